// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/io/read_file.hpp>
#include <atoll/io/scan.hpp>
#include <atoll/runtime/world.hpp>
#include <cstdint>
#include <functional>
#include <string>

/// The text of a file, split at line ends into blocks that all threads of all ranks process.
///
///     for_each_block(world, path, {.from = head_bytes, .first_line = 3},
///                    [&](int thread, const Block& block) { ...parse, or throw LineError... });
///
/// Plain files: every rank reads its own range with pread (a file that shrinks would crash a mapping by SIGBUS).
/// Compressed files: rank 0's first thread decompresses and distributes blocks to its other threads and to the other
/// ranks. Blocks contain whole lines; a missing last line end is added. The blocks of a rank are numbered by turns, in
/// the order of the text.
namespace atl {

struct Block {
  const char* begin;
  const char* end;   ///< behind a line end; kTextPadding more bytes can be read
  std::size_t turn;  ///< 0, 1, 2, .. on this rank
  std::uint64_t at;  ///< its offset in the text
  std::int64_t row;  ///< number of rows before it, if BlockPlan::count_rows
};

struct BlockPlan {
  std::uint64_t from = 0;       ///< offset after the head of the file
  std::int64_t first_line = 1;  ///< number of the line at `from`
  std::size_t block_bytes = std::size_t{256} << 10;
  std::size_t longest_line = std::size_t{1} << 20;  ///< a longer line is an error: it is no such file
  /// Counts the rows in whole lines, for formats in which the line number has a meaning.
  std::int64_t (*count_rows)(const char* begin, const char* end) = nullptr;
  std::uint64_t file_bytes = 0;  ///< the size that all ranks must see; 0: not checked
};

using BlockWork = std::function<void(int thread, const Block&)>;

/// Collective. Throws the error of the first wrong line of the file, on every rank, as "path:line: ...". The work is
/// called once per block, and for each turn even after an earlier error, so that threads waiting for turns continue.
/// Returns the number of rows if they are counted, else 0.
std::int64_t for_each_block(World& world, const std::string& path, const BlockPlan& plan, const BlockWork& work);

}  // namespace atl
