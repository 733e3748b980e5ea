// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <atoll/base/array.hpp>
#include <atoll/base/types.hpp>
#include <string>
#include <string_view>
#include <vector>

// The structures of the Arrow C data and stream interfaces, which each side declares for itself
// (https://arrow.apache.org/docs/format/CDataInterface.html).
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
}
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
#endif

namespace atl::python {

namespace nb = nanobind;

/// A table that came through `__arrow_c_stream__`, held until the last of its columns is read.
///
///     ArrowTable table(capsule);
///     table.kind(0);            // "names", "ints", "reals", or the name of a type that is none of these: "timestamp[s]"
///     table.views(0);           // string views into the table's memory
///
/// The structures are held against each other as far as they tell, so that no damaged table is read outside its memory:
/// InputError. Where a buffer ends, they do not say but of string views.
class ArrowTable {
 public:
  /// Takes the stream out of the capsule "arrow_array_stream". With the GIL.
  explicit ArrowTable(const nb::capsule& capsule);
  ~ArrowTable();
  ArrowTable(const ArrowTable&) = delete;
  ArrowTable& operator=(const ArrowTable&) = delete;

  std::size_t columns() const { return static_cast<std::size_t>(schema_.n_children); }
  std::size_t rows() const;
  std::string name(std::size_t column) const;
  std::string kind(std::size_t column) const;
  /// Returns a column of "names". InputError where one is null, as of the others.
  std::vector<std::string_view> views(std::size_t column) const;
  /// Returns a column of "ints"; InputError where one is beyond int64.
  Array<Vertex> ints(std::size_t column) const;
  /// Returns a column of "reals" in 64 bits; those of 32 bits and fewer are exact there.
  Array<double> reals(std::size_t column) const;
  /// Whether reals are of 64 bits.
  bool is_wide(std::size_t column) const;

 private:
  /// f(row, array, index) for each row of a column.
  void check_batch(const ArrowArray& batch) const;
  template <class F>
  void each(std::size_t column, F&& f) const;
  [[noreturn]] void refuse_null(std::size_t column, std::size_t row) const;

  ArrowSchema schema_{};
  std::vector<ArrowArray> batches_;
};

}  // namespace atl::python
