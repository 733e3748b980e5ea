// SPDX-License-Identifier: Apache-2.0
#include "arrow_table.hpp"

#include <algorithm>
#include <atoll/base/error.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

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

// How long the bytes' buffer is, the structures do not say: at least to where the last text ends, if offsets ascend.
template <class Offset>
std::optional<std::string_view> text_between(const ArrowArray& array, std::int64_t index) {
  const auto begin = value_at<Offset>(array, index), end = value_at<Offset>(array, index + 1);
  if (begin < 0 || begin > end || end > value_at<Offset>(array, array.offset + array.length)) return {};
  if (begin == end) return std::string_view{};  // the bytes' buffer may be null
  if (array.buffers[2] == nullptr) return {};
  return std::string_view{static_cast<const char*>(array.buffers[2]) + begin, static_cast<std::size_t>(end - begin)};
}

// A view: its length, then up to 12 bytes, or 4 of them, the number of a buffer and an offset there. The last buffer has
// the lengths of those between.
std::optional<std::string_view> text_viewed(const ArrowArray& array, std::int64_t index) {
  constexpr std::int64_t kView = 16, kOthers = 3;
  constexpr std::int32_t kInline = 12;
  const char* view = static_cast<const char*>(array.buffers[1]) + index * kView;
  std::int32_t words[4];
  std::memcpy(words, view, sizeof words);
  const auto [length, prefix, buffer, offset] = words;
  if (length < 0) return {};
  if (length <= kInline) return std::string_view{view + 4, static_cast<std::size_t>(length)};
  if (buffer < 0 || buffer >= array.n_buffers - kOthers || offset < 0) return {};
  const void* bytes = array.buffers[2 + buffer];
  const void* lengths = array.buffers[array.n_buffers - 1];
  if (bytes == nullptr || lengths == nullptr) return {};
  std::int64_t extent;
  std::memcpy(&extent, static_cast<const std::int64_t*>(lengths) + buffer, sizeof extent);
  if (std::int64_t{offset} + length > extent) return {};
  return std::string_view{static_cast<const char*>(bytes) + offset, static_cast<std::size_t>(length)};
}

bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "vu"; }
bool is_int(std::string_view format) {
  return format.size() == 1 && std::string_view("cCsSiIlL").find(format[0]) != std::string_view::npos;
}

bool is_real(std::string_view format) { return format == "e" || format == "f" || format == "g"; }

// Nothing where the text would lie outside the array's bytes.
std::optional<std::string_view> text_at(std::string_view format, const ArrowArray& array, std::int64_t index) {
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

float half_at(const ArrowArray& array, std::int64_t index) {
  const auto bits = value_at<std::uint16_t>(array, index);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value;
  if (exponent == 31)
    value = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(fraction), -24);
  else
    value = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return bits >> 15 ? -value : value;
}

std::string unit_of(char letter) {
  switch (letter) {
    case 's':
      return "s";
    case 'm':
      return "ms";
    case 'u':
      return "us";
    default:
      return "ns";
  }
}

// A type in the words of pyarrow and polars, of the letters of the C data interface.
std::string type_name(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  if (schema.dictionary) {
    const std::string_view values = schema.dictionary->format;
    return "categories of " + (is_int(values)    ? "whole numbers"
                               : is_real(values) ? "reals"
                                                 : type_name(*schema.dictionary));
  }
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"n", "null"},       {"b", "bool"},    {"z", "bytes"},  {"Z", "bytes"},  {"vz", "bytes"},     {"u", "text"},
      {"U", "text"},       {"vu", "text"},   {"tdD", "date"}, {"tdm", "date"}, {"tiM", "interval"}, {"tiD", "interval"},
      {"tin", "interval"}, {"+s", "struct"}, {"+m", "map"},   {"+r", "runs"},  {"c", "int8"},       {"C", "uint8"},
      {"s", "int16"},      {"S", "uint16"},  {"i", "int32"},  {"I", "uint32"}, {"l", "int64"},      {"L", "uint64"},
      {"e", "float16"},    {"f", "float32"}, {"g", "float64"}};
  for (const auto& [letters, name] : kNames)
    if (format == letters) return name;
  if (format.starts_with("d:")) {
    std::string parts(format.substr(2));
    const std::size_t comma = parts.find(','), second = comma == std::string::npos ? comma : parts.find(',', comma + 1);
    const std::string bits = second == std::string::npos ? "128" : parts.substr(second + 1);
    parts.resize(std::min(parts.size(), second));
    if (comma != std::string::npos) parts.insert(comma + 1, " ");
    return fmt::format("decimal{}({})", bits, parts);
  }
  if (format.size() > 2 && format.starts_with("tt")) return fmt::format("time[{}]", unit_of(format[2]));
  if (format.size() > 2 && format.starts_with("tD")) return fmt::format("duration[{}]", unit_of(format[2]));
  if (format.size() > 2 && format.starts_with("ts"))
    return format.size() > 4 ? fmt::format("timestamp[{}, tz={}]", unit_of(format[2]), format.substr(4))
                             : fmt::format("timestamp[{}]", unit_of(format[2]));
  if (format.starts_with("w:")) return "bytes";
  if (format.starts_with("+u")) return "union";
  const bool lists =
      format == "+l" || format == "+L" || format == "+vl" || format == "+vL" || format.starts_with("+w:");
  if (lists && schema.n_children == 1) return "lists of " + type_name(*schema.children[0]);
  return fmt::format("of the Arrow format '{}'", format);
}

// Whether a column of one of the kinds that are read has the buffers that its type has.
bool is_whole(const ArrowSchema& schema, const ArrowArray& array) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 32;  // of 16 bytes each
  if (array.length < 0 || array.offset < 0 || array.length > kMost || array.offset > kMost) return false;
  const std::string_view format = schema.format;
  const bool is_read = schema.dictionary != nullptr || is_text(format) || is_int(format) || is_real(format);
  if (!is_read) return true;
  const std::int64_t buffers = !schema.dictionary && is_text(format) ? 3 : 2;
  if (array.n_buffers < buffers || array.buffers == nullptr) return false;
  if (array.length > 0 && array.buffers[1] == nullptr) return false;
  return schema.dictionary == nullptr ||
         (is_int(format) && array.dictionary != nullptr && is_whole(*schema.dictionary, *array.dictionary));
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
    check(std::string_view(schema_.format) == "+s" && schema_.n_children >= 0,
          "table is a single column, {} (a table of columns is needed). Give a table, or Graph((src, dst)).",
          type_name(schema_));
    for (;;) {
      ArrowArray batch{};
      must(stream.get_next(&stream, &batch), "a batch");
      if (batch.release == nullptr) break;
      batches_.push_back(batch);
      check_batch(batch);
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
  const std::string_view format = schema.dictionary ? schema.dictionary->format : schema.format;
  if (is_text(format)) return "names";
  if (!schema.dictionary && is_int(format)) return "ints";
  if (!schema.dictionary && is_real(format)) return "reals";
  return type_name(schema);
}

// A package's table is trusted, except where it would lead outside its memory.
void ArrowTable::check_batch(const ArrowArray& batch) const {
  check(batch.length >= 0 && batch.offset >= 0 && batch.n_children == schema_.n_children && batch.n_buffers >= 1 &&
            batch.buffers != nullptr,
        "a batch of the table has {} columns and {} rows (the table has {} columns). Make it again.", batch.n_children,
        batch.length, schema_.n_children);
  for (std::size_t k = 0; k < columns(); ++k) {
    const ArrowArray& array = *batch.children[k];
    check(is_whole(*schema_.children[k], array) && array.length - batch.offset >= batch.length,
          "column '{}' is damaged (it has {} values in {} buffers for {} rows). Make the table again.", name(k),
          array.length, array.n_buffers, batch.length);
  }
}

template <class F>
void ArrowTable::each(std::size_t column, F&& f) const {
  std::size_t row = 0;
  for (const ArrowArray& batch : batches_) {
    const ArrowArray& array = *batch.children[column];
    for (std::int64_t i = 0; i < batch.length; ++i, ++row) {
      const std::int64_t index = array.offset + batch.offset + i;
      if (!is_valid(batch, batch.offset + i) || !is_valid(array, index)) refuse_null(column, row);
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
  const auto text = [&](std::size_t row, std::string_view format, const ArrowArray& array, std::int64_t index) {
    const auto found = text_at(format, array, index);
    check(found.has_value(),
          "column '{}' is damaged (the text of row {} lies outside its bytes). Make the table again.", name(column),
          row);
    return *found;
  };
  const ArrowSchema& schema = *schema_.children[column];
  if (schema.dictionary) {
    each(column, [&](std::size_t row, const ArrowArray& array, std::int64_t index) {
      const ArrowArray& dictionary = *array.dictionary;
      const std::int64_t code = int_at(schema.format[0], array, index).value_or(-1);
      check(code >= 0 && code < dictionary.length,
            "column '{}' is damaged (row {} has the category {} of {}). Make the table again.", name(column), row, code,
            dictionary.length);
      if (!is_valid(dictionary, code + dictionary.offset)) refuse_null(column, row);
      views[row] = text(row, schema.dictionary->format, dictionary, code + dictionary.offset);
    });
  } else {
    each(column, [&](std::size_t row, const ArrowArray& array, std::int64_t index) {
      views[row] = text(row, schema.format, array, index);
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
  const char format = schema_.children[column]->format[0];
  each(column, [&](std::size_t row, const ArrowArray& array, std::int64_t index) {
    values[row] = format == 'g'   ? value_at<double>(array, index)
                  : format == 'f' ? static_cast<double>(value_at<float>(array, index))
                                  : static_cast<double>(half_at(array, index));
  });
  return values;
}

}  // namespace atl::python
