// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/types.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The result of a run: columns, one value for each vertex of this rank by owned index, and scalars, the same on all
/// ranks.
///
///     form->run(arguments, answer, {});
///     std::get<Array<Vertex>>(*answer.find("core"));
///
/// A run takes the arrays of the run before out of the answer, fills them again, and puts them back.
namespace atl::catalog {

using Values = std::variant<Array<Vertex>, Array<float>, Array<double>>;
using Scalar = std::variant<std::int64_t, double, bool>;

class Answer {
 public:
  /// The array of the run before, if there is one of this type; else an empty one.
  template <class T>
  Array<T> take(std::string_view name) {
    for (auto& [key, values] : columns_)
      if (key == name)
        if (auto* array = std::get_if<Array<T>>(&values)) return std::move(*array);
    return {};
  }
  template <class T>
  void put(std::string_view name, Array<T>&& array) {
    for (auto& [key, values] : columns_)
      if (key == name) {
        values = std::move(array);
        return;
      }
    columns_.emplace_back(name, std::move(array));
  }
  void set(std::string_view name, Scalar scalar) {
    for (auto& [key, value] : scalars_)
      if (key == name) {
        value = scalar;
        return;
      }
    scalars_.emplace_back(name, scalar);
  }

  /// Null if there is none.
  const Values* find(std::string_view name) const {
    for (const auto& [key, values] : columns_)
      if (key == name) return &values;
    return nullptr;
  }
  const Scalar* scalar(std::string_view name) const {
    for (const auto& [key, value] : scalars_)
      if (key == name) return &value;
    return nullptr;
  }
  std::int64_t whole(std::string_view name) const { return std::get<std::int64_t>(*scalar(name)); }

  using Columns = std::vector<std::pair<std::string, Values>>;
  using Scalars = std::vector<std::pair<std::string, Scalar>>;
  Columns& columns() { return columns_; }
  const Scalars& scalars() const { return scalars_; }

 private:
  Columns columns_;
  Scalars scalars_;
};

template <class T>
std::span<const T> span_of(const Array<T>& values) {
  return {values.data(), values.size()};
}

/// A column of this type; empty if the answer has none of this name and type.
template <class T>
std::span<const T> column_of(const Answer& answer, std::string_view name) {
  const Values* values = answer.find(name);
  const auto* array = values ? std::get_if<Array<T>>(values) : nullptr;
  return array ? span_of(*array) : std::span<const T>();
}

template <class T>
Array<double> doubles_of(const Array<T>& from) {
  Array<double> to(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) to[k] = static_cast<double>(from[k]);
  return to;
}

}  // namespace atl::catalog
