// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/formats/block_text.hpp>
#include <atoll/io/line_ends.hpp>
#include <cstring>
#include <numeric>
#include <vector>

namespace atl {
namespace {

class PlainBlocks {
 public:
  PlainBlocks(World& world, const InputFile& file, const BlockPlan& plan) : world_(world), file_(file), plan_(plan) {
    const std::uint64_t bytes = file.bytes() - std::min(file.bytes(), plan.from);
    const auto p = static_cast<std::uint64_t>(world.size()), r = static_cast<std::uint64_t>(world.rank());
    // Ranks get whole blocks, so that block borders do not depend on the number of ranks.
    const std::uint64_t blocks = (bytes + plan.block_bytes - 1) / plan.block_bytes;
    first_ = blocks * r / p;
    count_ = static_cast<std::size_t>(blocks * (r + 1) / p - first_);
    buffers_.resize(static_cast<std::size_t>(world.team().size()));
  }

  // Calls f(thread, block) with the lines that begin in each block of this rank.
  template <class F>
  void run(FirstFailure& failure, F&& f) {
    world_.team().for_range(count_, 1, [&](int thread, std::size_t turn, std::size_t) {
      Block block{};
      block.turn = turn;
      block.at = plan_.from + (first_ + turn) * plan_.block_bytes;
      BlockBuffer& buffer = buffers_[thread];
      // After a failure the remaining turns still run, with empty text.
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
  void read(BlockBuffer& buffer, Block& block) {
    const std::uint64_t from = block.at, to = std::min(file_.bytes(), from + plan_.block_bytes);
    // The byte before `from` tells whether a line begins there; the tail usually contains the rest of the last line.
    constexpr std::size_t kTail = 512;
    const std::uint64_t start = from > plan_.from ? from - 1 : from;
    std::size_t size = 0;
    const auto read_more = [&](std::size_t more) {
      more = static_cast<std::size_t>(std::min<std::uint64_t>(file_.bytes() - start - size, more));
      buffer.reserve(size + more + 2, size);
      file_.read_at(buffer.data() + size, more, start + size);
      const std::size_t before = size;
      size += more;
      unify_line_ends(buffer.data(), before - (before > 0), size, start + size == file_.bytes());
    };
    read_more(static_cast<std::size_t>(to + kTail - start));
    std::size_t begin = 0;
    if (start < from) {
      const void* found = std::memchr(buffer.data(), '\n', static_cast<std::size_t>(to - start));
      if (!found) {  // the whole block lies inside one line
        block.begin = block.end = buffer.data();
        std::memset(buffer.data(), 0, kTextPadding);
        return;
      }
      begin = static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data()) + 1;
    }
    const std::size_t border = static_cast<std::size_t>(to - start);  // lines that begin before it belong to this block
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
        look = size - 1;  // a "\r" there may have become a line end
        read_more(std::max(size, kTail));
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
  std::vector<BlockBuffer> buffers_;
};

}  // namespace

std::int64_t for_plain_blocks(World& world, const InputFile& file, const BlockPlan& plan, const BlockWork& work,
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
      if (r < world.rank()) before += per_rank[r];
      all += per_rank[r];
    }
    for (auto& r : rows) before += std::exchange(r, before);
  }
  blocks.run(failure, [&](int thread, Block block) {
    if (plan.count_rows) block.row = rows[block.turn];
    do_block(work, thread, block, failure);
  });
  return all;
}

}  // namespace atl
