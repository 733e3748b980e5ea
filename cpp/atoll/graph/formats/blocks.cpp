// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/formats/block_text.hpp>
#include <optional>
#include <vector>

namespace atl {
namespace {

// The number of the line that contains byte `at` of the text.
std::int64_t line_of(const std::string& path, const BlockPlan& plan, std::uint64_t at) {
  const InputFile file(path);
  TextStream text(file);
  std::vector<char> buffer(std::size_t{1} << 20);
  std::uint64_t position = 0;
  std::int64_t lines = plan.first_line;
  char last = 0;  // "\r\n" is one line end
  while (position < at) {
    std::size_t n = 0;
    try {
      n = text.read(buffer.data(),
                    std::min<std::uint64_t>(buffer.size(), (position < plan.from ? plan.from : at) - position));
    } catch (const InputError&) {
    }
    if (n == 0) break;
    for (std::size_t i = 0; i < n && position >= plan.from; ++i) {
      lines += buffer[i] == '\r' || (buffer[i] == '\n' && last != '\r');
      last = buffer[i];
    }
    position += n;
  }
  return lines;
}

}  // namespace

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

char* close_text(BlockBuffer& buffer, std::size_t size) {
  char* end = buffer.data() + size;
  if (size == 0 || end[-1] != '\n') *end++ = '\n';
  std::memset(end, 0, kTextPadding);
  return end;
}

std::int64_t for_each_block(World& world, const std::string& path, const BlockPlan& plan, const BlockWork& work) {
  std::optional<InputFile> file;
  // Compressed files are opened by rank 0 only.
  int packing = 0;
  world.collective_try([&] {
    if (world.rank() == 0) packing = static_cast<int>(file.emplace(path).packing());
  });
  world.broadcast(std::span(&packing, 1), 0);
  const bool plain = packing == static_cast<int>(Packing::none);
  world.collective_try([&] {
    if (plain && world.rank() != 0) file.emplace(path);
    check(!file || plan.file_bytes == 0 || file->bytes() == plan.file_bytes,
          "{}: has {} bytes for rank {} (rank 0 sees {}). Let all ranks see the same file.", path,
          file ? file->bytes() : 0, world.rank(), plan.file_bytes);
  });

  FirstFailure failure;
  const std::int64_t rows = plain ? for_plain_blocks(world, *file, plan, work, failure)
                                  : for_packed_blocks(world, file ? &*file : nullptr, plan, work, failure);
  const std::uint64_t mine = failure.at(), first = world.min(mine);
  world.collective_try([&] {
    if (first == FirstFailure::kNone || mine != first) return;
    if (failure.error()) std::rethrow_exception(failure.error());
    throw InputError(fmt::format("{}:{}: {}", path, line_of(path, plan, first), failure.what()));
  });
  return rows;
}

}  // namespace atl
