// SPDX-License-Identifier: Apache-2.0
#include "arrow_table.hpp"

#include <atoll/base/error.hpp>
#include <cstring>
#include <optional>

namespace atl::python {
namespace {

bool is_valid(const ArrowArray& array, std::int64_t index) {
  const auto* bits = static_cast<const std::uint8_t*>(array.buffers[0]);
  return bits == nullptr || (bits[index / 8] >> (index % 8) & 1) != 0;
}

template <class T>
T value_at(const ArrowArray& array, std::int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(array.buffers[1]) + index * static_cast<std::int64_t>(sizeof(T)),
              sizeof value);
  return value;
}

template <class Offset>
std::string_view text_between(const ArrowArray& array, std::int64_t index) {
  const auto begin = value_at<Offset>(array, index), end = value_at<Offset>(array, index + 1);
  if (begin == end) return {};  // the bytes' buffer may be null
  return {static_cast<const char*>(array.buffers[2]) + begin, static_cast<std::size_t>(end - begin)};
}

// A view: its length, then up to 12 bytes, or 4 of them, the number of a buffer and an offset there.
std::string_view text_viewed(const ArrowArray& array, std::int64_t index) {
  constexpr std::int64_t kView = 16;
  constexpr std::int32_t kInline = 12;
  const char* view = static_cast<const char*>(array.buffers[1]) + index * kView;
  std::int32_t words[4];
  std::memcpy(words, view, sizeof words);
  if (words[0] <= kInline) return {view + 4, static_cast<std::size_t>(words[0])};
  return {static_cast<const char*>(array.buffers[2 + words[2]]) + words[3], static_cast<std::size_t>(words[0])};
}

bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "vu"; }
bool is_int(std::string_view format) {
  return format.size() == 1 && std::string_view("cCsSiIlL").find(format[0]) != std::string_view::npos;
}

std::string_view text_at(std::string_view format, const ArrowArray& array, std::int64_t index) {
  if (format == "u") return text_between<std::int32_t>(array, index);
  if (format == "U") return text_between<std::int64_t>(array, index);
  return text_viewed(array, index);
}

// Nothing where the number is beyond int64.
std::optional<std::int64_t> int_at(char format, const ArrowArray& array, std::int64_t index) {
  switch (format) {
    case 'c':
      return value_at<std::int8_t>(array, index);
    case 'C':
      return value_at<std::uint8_t>(array, index);
    case 's':
      return value_at<std::int16_t>(array, index);
    case 'S':
      return value_at<std::uint16_t>(array, index);
    case 'i':
      return value_at<std::int32_t>(array, index);
    case 'I':
      return value_at<std::uint32_t>(array, index);
    case 'l':
      return value_at<std::int64_t>(array, index);
    default: {
      const auto value = value_at<std::uint64_t>(array, index);
      if (value > static_cast<std::uint64_t>(INT64_MAX)) return {};
      return static_cast<std::int64_t>(value);
    }
  }
}

}  // namespace

ArrowTable::ArrowTable(const nb::capsule& capsule) {
  check(std::string_view(capsule.name() ? capsule.name() : "") == "arrow_array_stream",
        "__arrow_c_stream__ gave a capsule '{}' ('arrow_array_stream' is needed). Update the package of the table.",
        capsule.name() ? capsule.name() : "");
  auto& stream = *static_cast<ArrowArrayStream*>(capsule.data());
  check(stream.release != nullptr, "the stream of the table is used up (something has read it before). Make it again.");
  const auto must = [&](int error, const char* what) {
    const char* reason = error == 0 ? nullptr : stream.get_last_error(&stream);
    check(error == 0, "{} of the table cannot be read ({}). Look at how it was made.", what,
          reason ? reason : std::strerror(error));
  };
  try {
    must(stream.get_schema(&stream, &schema_), "the columns");
    check(std::string_view(schema_.format) == "+s",
          "the stream has the Arrow format '{}' (a table of columns is needed). Give a table.", schema_.format);
    for (;;) {
      ArrowArray batch{};
      must(stream.get_next(&stream, &batch), "a batch");
      if (batch.release == nullptr) break;
      batches_.push_back(batch);
    }
    stream.release(&stream);
  } catch (...) {
    stream.release(&stream);
    for (ArrowArray& batch : batches_) batch.release(&batch);
    if (schema_.release) schema_.release(&schema_);
    throw;
  }
}

ArrowTable::~ArrowTable() {
  for (ArrowArray& batch : batches_) batch.release(&batch);
  schema_.release(&schema_);
}

std::size_t ArrowTable::rows() const {
  std::int64_t rows = 0;
  for (const ArrowArray& batch : batches_) rows += batch.length;
  return static_cast<std::size_t>(rows);
}

std::string ArrowTable::name(std::size_t column) const {
  const char* name = schema_.children[column]->name;
  return name ? name : "";
}

std::string ArrowTable::kind(std::size_t column) const {
  const ArrowSchema& schema = *schema_.children[column];
  const std::string_view format = schema.format;
  if (schema.dictionary)
    return is_text(schema.dictionary->format) ? "names" : fmt::format("dictionary of {}", schema.dictionary->format);
  if (is_text(format)) return "names";
  if (is_int(format)) return "ints";
  if (format == "f" || format == "g") return "reals";
  return std::string(format);
}

template <class F>
void ArrowTable::each(std::size_t column, F&& f) const {
  std::size_t row = 0;
  for (const ArrowArray& batch : batches_) {
    const ArrowArray& array = *batch.children[column];
    for (std::int64_t i = 0; i < batch.length; ++i, ++row) {
      const std::int64_t index = array.offset + batch.offset + i;
      if (!is_valid(array, index)) refuse_null(column, row);
      f(row, array, index);
    }
  }
}

void ArrowTable::refuse_null(std::size_t column, std::size_t row) const {
  throw InputError(fmt::format("column '{}' is null in row {} (an edge needs it). Drop such rows, or fill them.",
                               name(column), row));
}

std::vector<std::string_view> ArrowTable::views(std::size_t column) const {
  std::vector<std::string_view> views(rows());
  const ArrowSchema& schema = *schema_.children[column];
  if (schema.dictionary) {
    each(column, [&](std::size_t row, const ArrowArray& array, std::int64_t index) {
      const ArrowArray& dictionary = *array.dictionary;
      const std::int64_t code = *int_at(schema.format[0], array, index) + dictionary.offset;
      if (!is_valid(dictionary, code)) refuse_null(column, row);
      views[row] = text_at(schema.dictionary->format, dictionary, code);
    });
  } else {
    each(column, [&](std::size_t row, const ArrowArray& array, std::int64_t index) {
      views[row] = text_at(schema.format, array, index);
    });
  }
  return views;
}

Array<Vertex> ArrowTable::ints(std::size_t column) const {
  Array<Vertex> values(rows());
  const char format = schema_.children[column]->format[0];
  each(column, [&](std::size_t row, const ArrowArray& array, std::int64_t index) {
    const auto value = int_at(format, array, index);
    check(value.has_value(), "column '{}' has {} in row {} (beyond int64). Renumber the vertices.", name(column),
          value ? 0 : value_at<std::uint64_t>(array, index), row);
    values[row] = *value;
  });
  return values;
}

bool ArrowTable::is_wide(std::size_t column) const { return schema_.children[column]->format[0] == 'g'; }

Array<double> ArrowTable::reals(std::size_t column) const {
  Array<double> values(rows());
  const bool wide = is_wide(column);
  each(column, [&](std::size_t row, const ArrowArray& array, std::int64_t index) {
    values[row] = wide ? value_at<double>(array, index) : static_cast<double>(value_at<float>(array, index));
  });
  return values;
}

}  // namespace atl::python
