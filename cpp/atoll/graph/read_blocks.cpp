// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/read_blocks.hpp>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

namespace atl {
namespace {

// Room for a block's text; grows for a line that is longer.
class Buffer {
 public:
  char* data() { return data_.get(); }
  std::size_t room() const { return room_; }
  // Keeps the first `used` bytes.
  void reserve(std::size_t room, std::size_t used) {
    if (room <= room_) return;
    auto larger = std::make_unique_for_overwrite<char[]>(room + kTextPadding);
    if (used > 0) std::memcpy(larger.get(), data_.get(), used);
    data_ = std::move(larger);
    room_ = room;
  }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t room_ = 0;
};

// The first thing that went wrong on this rank, by its place in the text.
class FirstFailure {
 public:
  static constexpr std::uint64_t kNone = UINT64_MAX;

  std::uint64_t at() const {
    std::lock_guard hold(mutex_);
    return at_;
  }
  // Stored as what it will be thrown as, but for the number of a line, which is counted once it is known to
  // be first.
  void note(std::uint64_t at, std::string what) { keep(at, std::move(what), nullptr); }
  void note(std::uint64_t at, std::exception_ptr error) { keep(at, {}, std::move(error)); }
  const std::string& what() const { return what_; }
  const std::exception_ptr& error() const { return error_; }

 private:
  void keep(std::uint64_t at, std::string what, std::exception_ptr error) {
    std::lock_guard hold(mutex_);
    if (at >= at_) return;
    at_ = at;
    what_ = std::move(what);
    error_ = std::move(error);
  }
  mutable std::mutex mutex_;
  std::uint64_t at_ = kNone;
  std::string what_;
  std::exception_ptr error_;
};

void do_block(const BlockWork& work, int thread, const Block& block, FirstFailure& failure) {
  try {
    work(thread, block);
  } catch (const LineError& e) {
    failure.note(block.at + static_cast<std::uint64_t>(e.at - block.begin), e.what);
  } catch (...) {
    failure.note(block.at, std::current_exception());
  }
}

std::string too_long(std::size_t longest) {
  return fmt::format("the line is longer than {} bytes (is this a text file of one edge a line?). Name its format.",
                     longest);
}

// Closes a block: a line end if there is none, and something defined behind it.
char* close_text(Buffer& buffer, std::size_t size) {
  char* end = buffer.data() + size;
  if (size == 0 || end[-1] != '\n') *end++ = '\n';
  std::memset(end, 0, kTextPadding);
  return end;
}

// ---- plain files
// ----------------------------------------------------------------------------------------------------

class PlainBlocks {
 public:
  PlainBlocks(World& world, const InputFile& file, const BlockPlan& plan) : world_(world), file_(file), plan_(plan) {
    const std::uint64_t bytes = file.bytes() - std::min(file.bytes(), plan.from);
    const auto p = static_cast<std::uint64_t>(world.size()), r = static_cast<std::uint64_t>(world.rank());
    // Blocks are dealt whole, so that their borders do not depend on the number of ranks.
    const std::uint64_t blocks = (bytes + plan.block_bytes - 1) / plan.block_bytes;
    first_ = blocks * r / p;
    count_ = static_cast<std::size_t>(blocks * (r + 1) / p - first_);
    buffers_.resize(static_cast<std::size_t>(world.team().size()));
  }

  // Calls f(thread, block) with lines that begin in each block of this rank.
  template <class F>
  void run(FirstFailure& failure, F&& f) {
    world_.team().for_range(count_, 1, [&](int thread, std::size_t turn, std::size_t) {
      Block block{};
      block.turn = turn;
      block.at = plan_.from + (first_ + turn) * plan_.block_bytes;
      Buffer& buffer = buffers_[static_cast<std::size_t>(thread)];
      // After a failure the turns still pass, without text.
      static const char nothing[kTextPadding] = {};
      block.begin = block.end = nothing;
      if (block.at < failure.at()) {
        try {
          read(buffer, block);
        } catch (const LineError& e) {
          failure.note(block.at, e.what);
          block.begin = block.end = nothing;
        } catch (...) {
          failure.note(block.at, std::current_exception());
          block.begin = block.end = nothing;
        }
      }
      f(thread, block);
    });
  }

  std::size_t count() const { return count_; }

 private:
  void read(Buffer& buffer, Block& block) {
    const std::uint64_t from = block.at, to = std::min(file_.bytes(), from + plan_.block_bytes);
    // One byte before tells whether a line begins at `from`; the tail usually holds the rest of the last
    // line.
    constexpr std::size_t kTail = 512;
    const std::uint64_t start = from > plan_.from ? from - 1 : from;
    std::size_t size = static_cast<std::size_t>(std::min(file_.bytes(), to + kTail) - start);
    buffer.reserve(plan_.block_bytes + kTail + 2, 0);
    file_.read_at(buffer.data(), size, start);
    std::size_t begin = 0;
    if (start < from) {
      const void* found = std::memchr(buffer.data(), '\n', static_cast<std::size_t>(to - start));
      if (!found) {  // the whole block is the inside of one line
        block.begin = block.end = buffer.data();
        std::memset(buffer.data(), 0, kTextPadding);
        return;
      }
      begin = static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data()) + 1;
    }
    const std::size_t border = static_cast<std::size_t>(to - start);  // lines that begin before it are ours
    std::size_t end = begin;
    if (begin < border) {
      // The last line that begins before the border ends at the first line end from border - 1 on.
      for (std::size_t look = border - 1;;) {
        const void* found = std::memchr(buffer.data() + look, '\n', size - look);
        if (found) {
          end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data()) + 1;
          break;
        }
        if (start + size == file_.bytes()) {
          end = size;
          break;
        }
        if (size - begin > plan_.longest_line + plan_.block_bytes)
          throw LineError{nullptr, too_long(plan_.longest_line)};
        look = size;
        const std::size_t more =
            static_cast<std::size_t>(std::min<std::uint64_t>(file_.bytes() - start - size, std::max(size, kTail)));
        buffer.reserve(size + more + 2, size);
        file_.read_at(buffer.data() + size, more, start + size);
        size += more;
      }
    }
    block.at = start + begin;
    block.begin = buffer.data() + begin;
    block.end = block.begin;
    if (end > begin) block.end = close_text(buffer, end);
  }

  World& world_;
  const InputFile& file_;
  const BlockPlan& plan_;
  std::uint64_t first_;
  std::size_t count_;
  std::vector<Buffer> buffers_;
};

std::int64_t for_plain(World& world, const InputFile& file, const BlockPlan& plan, const BlockWork& work,
                       FirstFailure& failure) {
  PlainBlocks blocks(world, file, plan);
  std::vector<std::int64_t> rows(plan.count_rows ? blocks.count() : 0);
  std::int64_t all = 0;
  if (plan.count_rows) {
    blocks.run(failure, [&](int, const Block& block) { rows[block.turn] = plan.count_rows(block.begin, block.end); });
    const std::int64_t mine = std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
    std::int64_t before = 0;
    const auto per_rank = world.all_gather(mine);
    for (Rank r = 0; r < world.size(); ++r) {
      if (r < world.rank()) before += per_rank[static_cast<std::size_t>(r)];
      all += per_rank[static_cast<std::size_t>(r)];
    }
    for (auto& r : rows) before += std::exchange(r, before);
  }
  blocks.run(failure, [&](int thread, Block block) {
    if (plan.count_rows) block.row = rows[block.turn];
    do_block(work, thread, block, failure);
  });
  return all;
}

// ---- packed files
// ---------------------------------------------------------------------------------------------------

struct Packed {
  Buffer buffer;
  Block block{};
};

// Blocks that wait for a thread of this rank. All buffers that exist are in it, in work, or in `idle`.
class BlockQueue {
 public:
  explicit BlockQueue(std::size_t buffers) : left_to_make_(buffers) {}

  // A buffer to fill, or none: then do a block first.
  std::unique_ptr<Packed> idle() {
    std::lock_guard hold(mutex_);
    if (!idle_.empty()) {
      auto buffer = std::move(idle_.back());
      idle_.pop_back();
      return buffer;
    }
    if (left_to_make_ == 0) return nullptr;
    --left_to_make_;
    return std::make_unique<Packed>();
  }
  void recycle(std::unique_ptr<Packed> buffer) {
    {
      std::lock_guard hold(mutex_);
      idle_.push_back(std::move(buffer));
    }
    changed_.notify_all();
  }
  void push(std::unique_ptr<Packed> block) {
    block->block.turn = turns_++;
    {
      std::lock_guard hold(mutex_);
      waiting_.push_back(std::move(block));
    }
    changed_.notify_one();
  }
  void close() {
    {
      std::lock_guard hold(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  // The next block, or none once the queue is closed and empty.
  std::unique_ptr<Packed> pop() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return closed_ || !waiting_.empty(); });
    return take();
  }
  // The next block if there is one; else waits for a buffer to come back.
  std::unique_ptr<Packed> pop_or_wait_for_idle() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return !idle_.empty() || !waiting_.empty(); });
    return take();
  }

 private:
  std::unique_ptr<Packed> take() {
    if (waiting_.empty()) return nullptr;
    auto block = std::move(waiting_.front());
    waiting_.pop_front();
    return block;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Packed>> waiting_;
  std::vector<std::unique_ptr<Packed>> idle_;
  std::size_t left_to_make_, turns_ = 0;
  bool closed_ = false;
};

// In front of each block that goes to another rank.
struct Announced {
  std::uint64_t bytes, at;
  std::int64_t row, end;  // `end`: no block, but the end of them; row is then the number of rows
};

class Unpacking {
 public:
  Unpacking(World& world, const InputFile* file, const BlockPlan& plan, const BlockWork& work, FirstFailure& failure)
      : world_(world),
        file_(file),
        plan_(plan),
        work_(work),
        failure_(failure),
        queue_(static_cast<std::size_t>(2 * world.team().size() + 1)),
        tag_(world.next_tag()) {
    // Shares in proportion to the threads that parse; rank 0's first thread has the unpacking to do.
    const auto threads = world.all_gather(world.team().size());
    std::vector<int> shares;
    for (std::size_t r = 0; r < threads.size(); ++r)
      shares.push_back(r == 0 ? std::max(2 * threads[r] - 2, 1) : 2 * threads[r]);
    for (int i = 0; i < *std::max_element(shares.begin(), shares.end()); ++i)
      for (std::size_t r = 0; r < shares.size(); ++r)
        if (i < shares[r]) owners_.push_back(static_cast<Rank>(r));
    sent_.resize(threads.size());
  }

  std::int64_t run() {
    world_.team().run([&](int thread) {
      if (thread == 0) {
        // Whatever happens, the other threads and ranks learn that it is over.
        try {
          world_.rank() == 0 ? unpack() : receive();
        } catch (...) {
          failure_.note(at_, std::current_exception());
        }
        queue_.close();
      }
      while (auto block = queue_.pop()) finish(thread, std::move(block));
    });
    if (transport_) std::rethrow_exception(transport_);
    return rows_;
  }

 private:
  void finish(int thread, std::unique_ptr<Packed> packed) {
    do_block(work_, thread, packed->block, failure_);
    queue_.recycle(std::move(packed));
  }

  // A buffer; parses while there is none.
  std::unique_ptr<Packed> buffer() {
    for (;;) {
      if (auto idle = queue_.idle()) return idle;
      if (auto block = queue_.pop_or_wait_for_idle()) finish(0, std::move(block));
    }
  }

  std::uint64_t tag_to(Rank to) {
    return (tag_ << 32 | sent_[static_cast<std::size_t>(to)]++) | std::uint64_t{1} << 63;
  }

  // Rank 0's first thread.
  void unpack() {
    try {
      deal();
    } catch (const TransportError&) {
      transport_ = std::current_exception();  // nobody can be told
      return;
    } catch (const InputError& e) {
      failure_.note(at_, e.what());
    } catch (...) {
      failure_.note(at_, std::current_exception());
    }
    try {
      for (Rank r = 1; r < world_.size(); ++r) send(r, {0, at_, rows_, 1}, nullptr);
    } catch (...) {
      transport_ = std::current_exception();
    }
  }

  void deal() {
    TextStream text(*file_);
    skip(text);
    std::size_t dealt = 0, have = 0;
    std::unique_ptr<Packed> now = buffer();
    now->buffer.reserve(plan_.block_bytes + 2, 0);
    for (bool more = true; more;) {
      while (have < now->buffer.room() - 2) {
        std::size_t n = 0;
        try {
          n = text.read(now->buffer.data() + have, now->buffer.room() - 2 - have);
        } catch (const InputError&) {
          at_ += have;  // the line that the damage is in
          throw;
        }
        if (n == 0) {
          more = false;
          break;
        }
        have += n;
      }
      const char* begin = now->buffer.data();
      std::size_t size = have;
      if (more) {
        const void* last = memrchr(begin, '\n', have);
        if (!last) {
          if (have > plan_.longest_line) throw InputError(too_long(plan_.longest_line));
          now->buffer.reserve(2 * now->buffer.room(), have);
          continue;
        }
        size = static_cast<std::size_t>(static_cast<const char*>(last) - begin) + 1;
      }
      // The broken line at the end begins the next block.
      auto next = more ? buffer() : nullptr;
      if (more) {
        next->buffer.reserve(std::max(plan_.block_bytes, have - size) + 2, 0);
        std::memcpy(next->buffer.data(), begin + size, have - size);
      }
      if (size > 0) {
        Block& block = now->block;
        block.begin = begin;
        block.end = close_text(now->buffer, size);
        block.at = at_;
        block.row = rows_;
        if (plan_.count_rows) rows_ += plan_.count_rows(block.begin, block.end);
        at_ += size;
        const Rank owner = owners_[dealt++ % owners_.size()];
        if (owner == 0) {
          queue_.push(std::move(now));
        } else {
          send(owner, {static_cast<std::uint64_t>(block.end - block.begin), block.at, block.row, 0}, block.begin);
          queue_.recycle(std::move(now));
        }
        if (failure_.at() != FirstFailure::kNone) return;
      }
      have -= size;
      now = std::move(next);
    }
  }

  void skip(TextStream& text) {
    std::vector<char> ignored(std::min<std::uint64_t>(plan_.from, std::size_t{64} << 10));
    while (at_ < plan_.from) {
      const std::size_t n = text.read(ignored.data(), std::min<std::uint64_t>(ignored.size(), plan_.from - at_));
      if (n == 0) return;
      at_ += n;
    }
  }

  void send(Rank to, const Announced& announced, const char* text) {
    world_.send(to, tag_to(to), std::as_bytes(std::span(&announced, 1)));
    world_.send(to, tag_to(to), std::as_bytes(std::span(text, announced.bytes)));
  }

  // The first thread of the other ranks.
  void receive() {
    for (;;) {
      Announced announced{};
      try {
        world_.receive(0, tag_to(0), std::as_writable_bytes(std::span(&announced, 1)));
        at_ = announced.at;
        if (announced.end) {
          rows_ = announced.row;
          return;
        }
        auto packed = buffer();
        packed->buffer.reserve(announced.bytes + 2, 0);
        world_.receive(0, tag_to(0), std::as_writable_bytes(std::span(packed->buffer.data(), announced.bytes)));
        packed->block.begin = packed->buffer.data();
        packed->block.end = close_text(packed->buffer, announced.bytes);
        packed->block.at = announced.at;
        packed->block.row = announced.row;
        queue_.push(std::move(packed));
      } catch (const TransportError&) {
        transport_ = std::current_exception();
        return;
      }
    }
  }

  World& world_;
  const InputFile* file_;
  const BlockPlan& plan_;
  const BlockWork& work_;
  FirstFailure& failure_;
  BlockQueue queue_;
  const std::uint64_t tag_;
  std::vector<Rank> owners_;
  std::vector<std::uint64_t> sent_;  // messages per peer, or received from rank 0
  std::uint64_t at_ = 0;
  std::int64_t rows_ = 0;
  std::exception_ptr transport_;
};

// Number of the line that holds byte `at` of the text.
std::int64_t line_of(const std::string& path, const BlockPlan& plan, std::uint64_t at) {
  const InputFile file(path);
  TextStream text(file);
  std::vector<char> buffer(std::size_t{1} << 20);
  std::uint64_t position = 0;
  std::int64_t lines = plan.first_line;
  while (position < at) {
    std::size_t n = 0;
    try {
      n = text.read(buffer.data(),
                    std::min<std::uint64_t>(buffer.size(), (position < plan.from ? plan.from : at) - position));
    } catch (const InputError&) {
    }
    if (n == 0) break;
    if (position >= plan.from) lines += count_lines(buffer.data(), buffer.data() + n);
    position += n;
  }
  return lines;
}

}  // namespace

std::int64_t for_each_block(World& world, const std::string& path, const BlockPlan& plan, const BlockWork& work) {
  std::optional<InputFile> file;
  // Packed files are opened by rank 0 alone.
  int packing = 0;
  world.together([&] {
    if (world.rank() == 0) packing = static_cast<int>(file.emplace(path).packing());
  });
  world.broadcast(std::span(&packing, 1), 0);
  const bool plain = packing == static_cast<int>(Packing::none);
  world.together([&] {
    if (plain && world.rank() != 0) file.emplace(path);
    check(!file || plan.file_bytes == 0 || file->bytes() == plan.file_bytes,
          "{}: has {} bytes for rank {} (rank 0 sees {}). Let all ranks see the same file.", path,
          file ? file->bytes() : 0, world.rank(), plan.file_bytes);
  });

  FirstFailure failure;
  const std::int64_t rows = plain ? for_plain(world, *file, plan, work, failure)
                                  : Unpacking(world, file ? &*file : nullptr, plan, work, failure).run();
  const std::uint64_t mine = failure.at(), first = world.min(mine);
  world.together([&] {
    if (first == FirstFailure::kNone || mine != first) return;
    if (failure.error()) std::rethrow_exception(failure.error());
    throw InputError(fmt::format("{}:{}: {}", path, line_of(path, plan, first), failure.what()));
  });
  return rows;
}

}  // namespace atl
