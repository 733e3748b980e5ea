// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/catalog/algorithm.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <nlohmann/json.hpp>
#include <set>

using namespace atl;
using namespace atl::catalog;

namespace {

const std::vector<Option> kOptions{
    {.name = "count", .default_value = std::int64_t{3}, .range = Range::not_negative},
    {.name = "width", .kind = Kind::real, .stage = Stage::prepare},
    {.name = "way", .kind = Kind::word, .stage = Stage::prepare, .default_value = "up", .choices = {"up", "down"}},
    {.name = "from", .kind = Kind::vertices}};

// The arguments of a run on a graph whose ids are 0, 1, ..: from its vertices 1 and 2 where it starts from some.
Arguments arguments_from(const Algorithm& row, const std::vector<Vertex>& sources) {
  Arguments arguments(row.options);
  for (const Option& option : row.options) {
    if (option.taken_from != OptionSource::as_source) continue;
    if (option.kind == Kind::vertex) {
      arguments.set(option.name, sources[0]);
    } else {
      arguments.set(option.name, std::span<const Vertex>(sources));
    }
  }
  return arguments;
}

}  // namespace

TEST_CASE("arguments have the defaults, and take only what their options do") {
  Arguments arguments(kOptions);
  CHECK(arguments.whole("count") == 3);
  CHECK(!arguments.has("width"));
  CHECK(arguments.vertices("from").empty());
  arguments.set("width", std::int64_t{2});
  CHECK(arguments.real("width") == 2.0);
  const std::vector<Vertex> ids{7, 9};
  arguments.set("from", std::span<const Vertex>(ids));
  CHECK(arguments.vertices("from").data() == ids.data());
  CHECK_THROWS_AS(arguments.set("count", std::int64_t{-1}), InputError);
  CHECK_THROWS_AS(arguments.set("count", std::int64_t{1} << 40), InputError);
  CHECK_THROWS_AS(arguments.set("way", "sideways"), InputError);
  CHECK_THROWS_AS(arguments.set("way", 1.5), UsageError);
  CHECK_THROWS_AS(arguments.set("height", 1.5), UsageError);
  CHECK_THROWS_AS(arguments.whole("height"), UsageError);
  CHECK_THROWS_AS(Arguments(kOptions).real("width"), UsageError);
}

TEST_CASE("prepared forms are alike where the options of prepare are") {
  Arguments one(kOptions), other(kOptions);
  other.set("count", std::int64_t{4});
  CHECK(one.prepare_text() == other.prepare_text());
  other.set("way", "down");
  CHECK(one.prepare_text() != other.prepare_text());
  one.set("way", "down");
  one.set("width", 0.1);
  other.set("width", 0.1 + 1e-18);
  CHECK(one.prepare_text() == other.prepare_text());
  other.set("width", 0.1 + 1e-17);
  CHECK(one.prepare_text() != other.prepare_text());
}

TEST_CASE("an answer gives back the array of the run before, of the same type alone") {
  Answer answer;
  CHECK(answer.take<Vertex>("core").size() == 0);
  answer.put("core", Array<Vertex>(5, 1));
  const Vertex* data = column_of<Vertex>(answer, "core").data();
  CHECK(column_of<double>(answer, "core").empty());
  CHECK(answer.take<double>("core").size() == 0);
  CHECK(answer.take<Vertex>("core").data() == data);
}

TEST_CASE("rows are complete") {
  std::string last;
  for (const Algorithm& row : algorithms()) {
    CAPTURE(row.name);
    CHECK(last < row.name);
    last = row.name;
    std::set<std::string_view> names;
    for (const Option& option : row.options) {
      CHECK(names.insert(option.name).second);
      CHECK(option.help.empty() == (option.stage == Stage::check));
    }
    for (const ColumnInfo& column : row.columns)
      CHECK((column.requires_flag.empty() || names.count(column.requires_flag) == 1));
    CHECK(!row.columns.empty());
    CHECK(row.columns.front().checked);
    CHECK((row.prepare && row.verify));
    CHECK(to_json(row)["options"].size() == row.options.size());
  }
  CHECK(algorithm_named("kcore").name == "kcore");
  CHECK_THROWS_AS(algorithm_named("core"), UsageError);
}

TEST_CASE("what a prepared form gives is right the first time and the second, on any number of ranks") {
  const std::vector<Vertex> sources{1, 2};
  for (const Rank ranks : {1, 2, 3, 5})
    for (const Algorithm& row : algorithms()) {
      CAPTURE(row.name);
      CAPTURE(ranks);
      Plan plan;
      plan.threads = 1;
      run_ranks(ranks, plan, [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, "grid:6x5", {.weights = Weights::uniform}));
        const Arguments arguments = arguments_from(row, sources);
        const auto form = row.prepare(graph, arguments);
        Answer answer;
        for (int turn = 0; turn < 2; ++turn) {
          form->run(arguments, answer, {});
          for (const ColumnInfo& column : row.columns) {
            const Values* values = answer.find(column.name);
            REQUIRE(values);
            CHECK(std::visit([](const auto& v) { return v.size(); }, *values) ==
                  static_cast<std::size_t>(graph.owned()));
          }
          for (const ScalarInfo& scalar : row.scalars) CHECK(answer.scalar(scalar.name));
          const Verdict verdict = row.verify(graph, arguments, answer, nullptr);
          CHECK_MESSAGE(verdict.ok, verdict.what);
        }
        for (auto& [name, values] : answer.columns())
          if (name == row.columns.front().name)
            std::visit(
                [&](auto& v) {
                  if (world.rank() == 0) v[0] += 1000;
                },
                values);
        CHECK(!row.verify(graph, arguments, answer, nullptr).ok);
      });
    }
}
