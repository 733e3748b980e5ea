// SPDX-License-Identifier: Apache-2.0
#include "algorithm.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "rows.hpp"

namespace atl::catalog {
namespace {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::whole:
      return "whole";
    case Kind::real:
      return "real";
    case Kind::word:
      return "word";
    case Kind::flag:
      return "flag";
    case Kind::vertex:
      return "vertex";
    case Kind::vertices:
      return "vertices";
    case Kind::reals:
      return "reals";
  }
  return "";
}

const char* name_of(Stage stage) { return stage == Stage::prepare ? "prepare" : stage == Stage::run ? "run" : "check"; }

nlohmann::json to_json(const Value& value) {
  return std::visit(
      []<class T>(const T& v) {
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
          return nlohmann::json(v);
        } else {
          return nlohmann::json();
        }
      },
      value);
}

nlohmann::json to_json(const Option& option) {
  nlohmann::json j{{"name", option.name},
                   {"kind", name_of(option.kind)},
                   {"stage", name_of(option.stage)},
                   {"default", to_json(option.default_value)},
                   {"help", option.help.empty() ? option.check_help : option.help},
                   {"command", option.taken_from != OptionSource::by_library}};
  if (!option.choices.empty()) j["choices"] = option.choices;
  if (option.range != Range::any) j["range"] = option.range == Range::positive ? "above 0" : "0 or more";
  return j;
}

nlohmann::json to_json(const Contract& contract) {
  const auto counted = [](Contract::Multiplicity m) {
    return m == Contract::Multiplicity::counted ? "counted" : "ignored";
  };
  return {{"graphs", contract.direction == Contract::Direction::any ? "directed and undirected" : "undirected"},
          {"weights", contract.weights == Contract::Weights::ignored    ? "ignored"
                      : contract.weights == Contract::Weights::optional ? "optional"
                                                                        : "needed"},
          {"self_loops", counted(contract.self_loops)},
          {"multi_edges", counted(contract.multi_edges)}};
}

}  // namespace

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all{
      bc_row(),           bcc_row(),         bellman_ford_row(), bfs_row(),
      cc_row(),           cdlp_row(),        closeness_row(),    coloring_row(),
      eccentricity_row(), eigenvector_row(), hits_row(),         katz_row(),
      kcore_row(),        ktruss_row(),      lcc_row(),          leiden_row(),
      louvain_row(),      matching_row(),    mis_row(),          msf_row(),
      pagerank_row(),     scc_row(),         sssp_row(),         topological_generations_row(),
      triangles_row()};
  return all;
}

const Algorithm& algorithm_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name == name) return algorithm;
    names.push_back(algorithm.name);
  }
  throw UsageError(fmt::format("algorithm '{}' is unknown (there are {}). Choose one.", name, fmt::join(names, ", ")));
}

nlohmann::json to_json(const Algorithm& algorithm) {
  nlohmann::json j{{"name", algorithm.name},
                   {"summary", algorithm.summary},
                   {"about", algorithm.description},
                   {"contract", to_json(algorithm.contract)},
                   {"options", nlohmann::json::array()},
                   {"columns", nlohmann::json::array()},
                   {"scalars", nlohmann::json::array()},
                   {"verified_by_default", algorithm.verified_by_default},
                   {"python", algorithm.python},
                   {"gives", algorithm.output_summary},
                   {"on_one_rank", algorithm.on_one_rank},
                   {"over_ranks", algorithm.over_ranks},
                   {"reference", algorithm.reference}};
  for (const Option& option : algorithm.options) j["options"].push_back(to_json(option));
  for (const ColumnInfo& column : algorithm.columns)
    j["columns"].push_back({{"name", column.name},
                            {"type", column.type},
                            {"meaning", column.meaning},
                            {"default", &column == &algorithm.columns.front()}});
  for (const ScalarInfo& scalar : algorithm.scalars)
    j["scalars"].push_back({{"name", scalar.name}, {"type", scalar.type}, {"meaning", scalar.meaning}});
  return j;
}

}  // namespace atl::catalog
