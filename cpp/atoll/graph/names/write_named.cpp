// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/graph/formats/write.hpp>
#include <atoll/graph/names/write_named.hpp>
#include <atoll/io/write_file.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>

namespace atl {
namespace {

constexpr std::size_t kRowsPerBlock = 8192;

void put(std::string& line, std::int64_t value) {
  char digits[24];
  line.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Formats values as write_result() does.
void put(std::string& line, double value) {
  char digits[32];
  if (std::abs(value) < 0x1p53 && std::trunc(value) == value) {
    put(line, static_cast<std::int64_t>(value));
  } else if (std::isfinite(value)) {
    line.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  } else {
    line += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  }
}

void put_name(std::string& line, std::string_view name, char separator) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool plain = !name.empty() && name.front() != '#' && !is_blank(name.front()) && !is_blank(name.back()) &&
                     name.find_first_of("\"\r\n") == std::string_view::npos &&
                     name.find(separator) == std::string_view::npos &&
                     (separator != ' ' || name.find('\t') == std::string_view::npos);
  if (plain) {
    line += name;
    return;
  }
  line += '"';
  for (const char c : name) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

char separator_of(const std::string& path) {
  return path.ends_with(".csv") ? ',' : path.ends_with(".tsv") ? '\t' : ' ';
}

// Writes `head` and then every rank's rows, which line(text, row) appends. Lines are formatted twice, the first time for
// their lengths: so every rank and thread knows where to write. Collective.
template <class Line>
void write_rows(World& world, const std::string& path, const std::string& head, std::size_t rows, Line&& line) {
  OutputFile file(world, path);
  const std::size_t blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  std::vector<std::uint64_t> at(blocks + 1, 0);
  std::vector<std::string> texts(static_cast<std::size_t>(world.team().size()));
  const auto format = [&](int thread, std::size_t block) -> const std::string& {
    std::string& text = texts[thread];
    text.clear();
    for (std::size_t row = block * kRowsPerBlock, end = std::min(rows, row + kRowsPerBlock); row < end; ++row)
      line(text, row);
    return text;
  };
  world.collective_try([&] {
    world.team().for_range(
        blocks, 1, [&](int thread, std::size_t block, std::size_t) { at[block + 1] = format(thread, block).size(); });
  });
  for (std::size_t block = 0; block < blocks; ++block) at[block + 1] += at[block];
  std::uint64_t start = head.size(), total = head.size();
  const auto sizes = world.all_gather(at[blocks]);
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (r < static_cast<std::size_t>(world.rank())) start += sizes[r];
    total += sizes[r];
  }
  file.reserve(total);
  world.collective_try([&] {
    if (world.rank() == 0) file.write_at(head.data(), head.size(), 0);
    world.team().for_range(blocks, 1, [&](int thread, std::size_t block, std::size_t) {
      const std::string& text = format(thread, block);
      file.write_at(text.data(), text.size(), start + at[block]);
    });
  });
  file.commit();
}

template <class Put>
void write_values(World& world, const std::string& path, const Dictionary& names, std::span<const Vertex> ids,
                  Put&& put_value) {
  check_named_result_path(world, path);
  const char separator = separator_of(path);
  write_rows(world, path, separator == ',' ? "id,value\n" : "", ids.size(), [&](std::string& text, std::size_t row) {
    put_name(text, names.name(ids[row]), separator);
    text += separator;
    put_value(text, row, separator);
    text += '\n';
  });
}

}  // namespace

void write_named_result(World& world, const std::string& path, const Dictionary& names, std::span<const Vertex> ids,
                        std::span<const std::int64_t> values, Meaning meaning) {
  write_values(world, path, names, ids, [&](std::string& text, std::size_t row, char separator) {
    if (meaning == Meaning::numbers) {
      put(text, values[row]);
    } else if (values[row] >= 0) {
      put_name(text, names.name(values[row]), separator);
    }
  });
}

void write_named_result(World& world, const std::string& path, const Dictionary& names, std::span<const Vertex> ids,
                        std::span<const double> values) {
  write_values(world, path, names, ids, [&](std::string& text, std::size_t row, char) { put(text, values[row]); });
}

void write_pair_values(World& world, const std::string& path, const Dictionary* names, std::span<const Vertex> source,
                       std::span<const Vertex> target, std::span<const double> values) {
  check_named_result_path(world, path);
  const char separator = separator_of(path);
  const auto put_vertex = [&](std::string& text, Vertex id) {
    names ? put_name(text, names->name(id), separator) : put(text, id);
    text += separator;
  };
  write_rows(world, path, separator == ',' ? "source,target,value\n" : "", source.size(),
             [&](std::string& text, std::size_t row) {
               put_vertex(text, source[row]);
               put_vertex(text, target[row]);
               put(text, values[row]);
               text += '\n';
             });
}

void check_named_result_path(World& world, const std::string& path) {
  check_result_path(world, path);
  if (path.ends_with(".npy"))
    throw UsageError(fmt::format("{}: has fields for numbers (its vertices have names). Write .tsv or .csv.", path));
}

}  // namespace atl
