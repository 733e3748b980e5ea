// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/formats/block_text.hpp>
#include <atoll/io/line_ends.hpp>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <vector>

namespace atl {
namespace {

struct Packed {
  BlockBuffer buffer;
  Block block{};
};

// Blocks waiting for a thread of this rank. Every buffer is here, being processed, or in `idle_`.
class BlockQueue {
 public:
  explicit BlockQueue(std::size_t buffers) : left_to_make_(buffers) {}

  // A buffer to fill; null if there is none: the caller then processes a block first.
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
  // The next block; null once the queue is closed and empty.
  std::unique_ptr<Packed> pop() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return closed_ || !waiting_.empty(); });
    return take();
  }
  // The next block if there is one; otherwise waits until a buffer is returned.
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

// Sent before each block that goes to another rank.
struct BlockHeader {
  std::uint64_t bytes, at;
  std::int64_t row, end;  // `end`: no block follows; row is then the number of rows
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
    // Shares are proportional to the parsing threads; rank 0's first thread decompresses.
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
        // On any error, the other threads and ranks must learn that no more blocks follow.
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

  // Returns an idle buffer; parses blocks while there is none.
  std::unique_ptr<Packed> buffer() {
    for (;;) {
      if (auto idle = queue_.idle()) return idle;
      if (auto block = queue_.pop_or_wait_for_idle()) finish(0, std::move(block));
    }
  }

  std::uint64_t tag_to(Rank to) { return (tag_ << 32 | sent_[to]++) | std::uint64_t{1} << 63; }

  // Runs on rank 0's first thread.
  void unpack() {
    try {
      distribute();
    } catch (const TransportError&) {
      transport_ = std::current_exception();  // the other ranks cannot be notified
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

  void distribute() {
    TextStream text(*file_);
    skip(text);
    std::size_t assigned = 0, have = 0;
    std::unique_ptr<Packed> now = buffer();
    now->buffer.reserve(plan_.block_bytes + 2, 0);
    for (bool more = true; more;) {
      world_.team().cancellation_point();
      while (have < now->buffer.room() - 2) {
        std::size_t n = 0;
        try {
          n = text.read(now->buffer.data() + have, now->buffer.room() - 2 - have);
        } catch (const InputError&) {
          at_ += have;  // the line that contains the damage
          throw;
        }
        const std::size_t known = have - (have > 0);
        more = n > 0;
        have += n;
        unify_line_ends(now->buffer.data(), known, have, !more);
        if (!more) break;
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
      // An incomplete last line begins the next block.
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
        const Rank owner = owners_[assigned++ % owners_.size()];
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

  void send(Rank to, const BlockHeader& header, const char* text) {
    world_.send(to, tag_to(to), std::as_bytes(std::span(&header, 1)));
    world_.send(to, tag_to(to), std::as_bytes(std::span(text, header.bytes)));
  }

  // Runs on the first thread of the other ranks.
  void receive() {
    for (;;) {
      BlockHeader header{};
      try {
        world_.receive(0, tag_to(0), std::as_writable_bytes(std::span(&header, 1)));
        at_ = header.at;
        if (header.end) {
          rows_ = header.row;
          return;
        }
        auto packed = buffer();
        packed->buffer.reserve(header.bytes + 2, 0);
        world_.receive(0, tag_to(0), std::as_writable_bytes(std::span(packed->buffer.data(), header.bytes)));
        packed->block.begin = packed->buffer.data();
        packed->block.end = close_text(packed->buffer, header.bytes);
        packed->block.at = header.at;
        packed->block.row = header.row;
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
  std::vector<std::uint64_t> sent_;  // messages sent to each peer, or received from rank 0
  std::uint64_t at_ = 0;
  std::int64_t rows_ = 0;
  std::exception_ptr transport_;
};

}  // namespace

std::int64_t for_packed_blocks(World& world, const InputFile* file, const BlockPlan& plan, const BlockWork& work,
                               FirstFailure& failure) {
  return Unpacking(world, file, plan, work, failure).run();
}

}  // namespace atl
