// SPDX-License-Identifier: Apache-2.0
// What the readers take: formats and their options, and the choice of columns, which tables from Python share.
#include <nanobind/stl/tuple.h>

#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/table/column_choice.hpp>

#include "preparation.hpp"

namespace atl::python {
namespace {

// Which columns of a table are the source, the target and the weight: positions from 0.
std::tuple<std::size_t, std::size_t, std::optional<std::size_t>> choose_columns(
    const std::vector<std::string>& headings, const std::vector<std::string>& kinds,
    const std::optional<std::string>& source, const std::optional<std::string>& target,
    const std::optional<std::string>& weight, std::optional<bool> weighted, const std::string& place,
    const std::vector<std::vector<std::string>>& samples) {
  std::vector<table::Kind> as_kinds;
  for (const std::string& kind : kinds)
    as_kinds.push_back(kind == "names"   ? table::Kind::words
                       : kind == "ints"  ? table::Kind::whole
                       : kind == "reals" ? table::Kind::reals
                                         : table::Kind::other);
  const table::ColumnChoice chosen = table::choose_columns({.place = place,
                                                            .headings = headings,
                                                            .kinds = as_kinds,
                                                            .samples = samples,
                                                            .source = source.value_or(""),
                                                            .target = target.value_or(""),
                                                            .weight = weight.value_or(""),
                                                            .weights = !weighted   ? table::UseWeights::automatic
                                                                       : *weighted ? table::UseWeights::required
                                                                                   : table::UseWeights::none});
  return {chosen.source, chosen.target, chosen.weight};
}

}  // namespace

ReadChoice::ReadChoice(const std::string& format, std::optional<bool> directed, std::optional<bool> weighted,
                       const std::string& source_column, const std::string& target_column,
                       const std::string& weight_column, std::optional<bool> headings, const std::string& delimiter,
                       const std::string& decimal, const std::string& missing) {
  options.format = format;
  options.directed = directed;
  options.weights = !weighted   ? ReadOptions::Weights::automatic
                    : *weighted ? ReadOptions::Weights::required
                                : ReadOptions::Weights::none;
  options.source_column = source_column;
  options.target_column = target_column;
  options.weight_column = weight_column;
  options.headings = headings;
  if (!delimiter.empty()) options.delimiter = delimiter[0];
  if (!decimal.empty()) options.decimal = decimal[0];
  using Missing = ReadOptions::Missing;
  options.missing = missing == "drop" ? Missing::drop : missing == "warn" ? Missing::warn : Missing::refuse;
}

void bind_formats(nb::module_& m) {
  using namespace nb::literals;

  nb::class_<ReadChoice>(m, "ReadChoice")
      .def(nb::init<const std::string&, std::optional<bool>, std::optional<bool>, const std::string&,
                    const std::string&, const std::string&, std::optional<bool>, const std::string&, const std::string&,
                    const std::string&>(),
           "format"_a, "directed"_a.none(), "weighted"_a.none(), "source_column"_a, "target_column"_a,
           "weight_column"_a, "headings"_a.none(), "delimiter"_a, "decimal"_a, "missing"_a);
  m.def("choose_columns", &choose_columns, "headings"_a, "kinds"_a, "source"_a.none(), "target"_a.none(),
        "weight"_a.none(), "weighted"_a.none(), "place"_a = "the table",
        "samples"_a = std::vector<std::vector<std::string>>());
  m.def("is_generator", [](const std::string& text) { return is_generator(text); }, "text"_a);
  m.def("file_formats", [] {
    std::map<std::string, std::string> all;
    for (const FileFormat& f : file_formats()) all[f.name] = f.about;
    return all;
  });
  m.def("file_endings", [] {
    std::map<std::string, std::string> all;
    for (const FileFormat& f : file_formats()) all[f.name] = f.endings;
    return all;
  });
  m.def("heading_words", [] {
    std::map<std::string, std::vector<std::string>> all;
    for (const table::EndNames& ends : table::end_names())
      all[ends.certain ? "certain ends" : "ends"].push_back(std::string(ends.source) + " " + std::string(ends.target));
    for (const std::string_view word : table::weight_names()) all["weights"].emplace_back(word);
    for (const std::string_view word : table::index_names()) all["indexes"].emplace_back(word);
    for (const std::string_view word : table::relation_names()) all["relations"].emplace_back(word);
    return all;
  });
}

}  // namespace atl::python
