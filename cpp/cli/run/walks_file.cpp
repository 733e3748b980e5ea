// SPDX-License-Identifier: Apache-2.0
#include "walks_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/io/npy.hpp>
#include <atoll/io/write_file.hpp>
#include <vector>

#include "named_report.hpp"

namespace atl::cli {
namespace {

constexpr std::size_t kWalksPerBlock = 4096;

// The lines of some rows.
std::string lines_of(std::span<const Vertex> rows, std::size_t width, char separator, const Dictionary* names) {
  std::string text;
  for (std::size_t first = 0; first < rows.size(); first += width) {
    for (std::size_t k = first; k < first + width && rows[k] != kNoVertex; ++k) {
      if (k > first) text += separator;
      if (names) {
        text += text_of(rows[k], names);
      } else {
        fmt::format_to(std::back_inserter(text), "{}", rows[k]);
      }
    }
    text += '\n';
  }
  return text;
}

// Writes a head and then all ranks' parts, which have been cut into blocks.
void write_parts(World& world, const std::string& path, const std::string& head,
                 const std::vector<std::span<const char>>& parts) {
  OutputFile file(world, path);
  std::uint64_t own = 0;
  for (const auto& part : parts) own += part.size();
  std::uint64_t start = head.size(), total = head.size();
  const auto sizes = world.all_gather(own);
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (r < static_cast<std::size_t>(world.rank())) start += sizes[r];
    total += sizes[r];
  }
  file.reserve(total);
  world.collective_try([&] {
    if (world.rank() == 0) file.write_at(head.data(), head.size(), 0);
    for (const auto& part : parts) {
      file.write_at(part.data(), part.size(), start);
      start += part.size();
    }
  });
  file.commit();
}

}  // namespace

void check_walks_path(World& world, const std::string& path, bool named) {
  const bool is_known = path.ends_with(".txt") || path.ends_with(".tsv") || path.ends_with(".npy");
  world.collective_try([&] {
    if (!is_known)
      throw UsageError(
          fmt::format("{}: its ending is no format of walks (there are .txt, .tsv and .npy). Choose one.", path));
    if (named && !path.ends_with(".tsv"))
      throw UsageError(fmt::format("{}: takes no names (a .tsv does). Write that, or leave --names out.", path));
  });
}

void write_walks(World& world, const std::string& path, std::span<const Vertex> rows, std::size_t width,
                 const Dictionary* names) {
  if (path.ends_with(".npy")) {
    const auto walks = world.sum(static_cast<std::int64_t>(rows.size() / width));
    const auto bytes = std::as_bytes(rows);
    write_parts(world, path, npy_head("<i8", fmt::format("({}, {})", walks, width), 0),
                {{reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
    return;
  }
  const std::size_t block = kWalksPerBlock * width;
  std::vector<std::string> texts((rows.size() + block - 1) / block);
  world.team().for_range(rows.size(), block, [&](int, std::size_t a, std::size_t b) {
    texts[a / block] = lines_of(rows.subspan(a, b - a), width, path.ends_with(".txt") ? ' ' : '\t', names);
  });
  write_parts(world, path, "", {texts.begin(), texts.end()});
}

}  // namespace atl::cli
