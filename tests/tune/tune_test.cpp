// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/tune/search.hpp>
#include <atoll/tune/store.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>

#include "folder.hpp"

using namespace atl;
using namespace atl::tune;

namespace {

Space small_space() {
  Space space;
  space.choice("tile", {"a", "b"}).integer("kc", {1, 2, 4}).integer("mc", {1, 3});
  return space;
}

}  // namespace

TEST_CASE("a space is the product of its values, without the points that its rules exclude") {
  Space space = small_space();
  CHECK(space.size() == 12);
  CHECK(space.points().size() == 12);
  CHECK(space.points()[1].text() == "tile a, kc 1, mc 3");
  space.require("kc is not 2", [](const Point& p) { return p["kc"] != 2; });
  space.require("b only with mc 3", [](const Point& p) { return p.label("tile") == "a" || p["mc"] == 3; });
  CHECK(space.points().size() == 6);
  const auto left = space.left_out();
  CHECK(left[0].points == 4);
  CHECK(left[1].points == 2);  // of those that the first rule leaves
  for (const Point& p : space.points()) CHECK(space.point(p.to_json()) == p);
}

TEST_CASE("invalid spaces and points are rejected with the reason") {
  Space space = small_space();
  CHECK_THROWS_WITH_AS(space.integer("kc", {1}), doctest::Contains("already"), InputError);
  CHECK_THROWS_WITH_AS(space.integer("x", {}), doctest::Contains("no values"), InputError);
  CHECK_THROWS_WITH_AS(space.choice("x", {"a", "a"}), doctest::Contains("twice"), InputError);
  CHECK_THROWS_WITH_AS(space.points()[0]["nc"], doctest::Contains("'nc'"), InputError);
  space.require("never", [](const Point&) { return false; });
  CHECK_THROWS_WITH_AS(grid_search(space, [](const Point&) { return 1.0; }), doctest::Contains("no point"), InputError);
  const auto json = [](const char* text) { return nlohmann::json::parse(text); };
  CHECK_THROWS_WITH_AS(space.point(json(R"({"tile": "a", "kc": 1})")), doctest::Contains("no 'mc'"), InputError);
  CHECK_THROWS_WITH_AS(space.point(json(R"({"tile": "a", "kc": 5, "mc": 1})")), doctest::Contains("kc is 5"),
                       InputError);
  CHECK_THROWS_WITH_AS(space.point(json(R"({"tile": "a", "kc": "1", "mc": 1})")), doctest::Contains("kc is 1"),
                       InputError);
  CHECK_THROWS_WITH_AS(space.point(json(R"({"tile": "a", "kc": 1, "mc": 1, "nc": 1})")), doctest::Contains("too many"),
                       InputError);
  CHECK_THROWS_WITH_AS(space.point(json(R"({"tile": "a", "kc": 1, "mc": 1})")), doctest::Contains("never"), InputError);
}

TEST_CASE("a space of JSON has its parameters in their order, steps written out") {
  const auto json = [](const char* text) { return nlohmann::ordered_json::parse(text); };
  const Space space = Space::from_json(json(
      R"({"z": ["u", "v"], "n": {"from": 1, "to": 9, "factor": 2}, "r": [0.5, 1], "on": [true, false],
          "m": {"from": -1, "to": 1, "step": 1}, "s": {"from": 0.1, "to": 0.3, "step": 0.1}})"));
  CHECK(
      space.to_json().dump() ==
      R"({"z":["u","v"],"n":[1,2,4,8],"r":[0.5,1.0],"on":[true,false],"m":[-1,0,1],"s":[0.1,0.2,0.30000000000000004]})");
  CHECK(Space::from_json(space.to_json()).to_json() == space.to_json());
  CHECK(space.size() == 2 * 4 * 2 * 2 * 3 * 3);
  const Point last = space.at(space.size() - 1);
  CHECK(last.text() == "z v, n 8, r 1.0, on false, m 1, s 0.30000000000000004");
  CHECK(last.to_json() ==
        nlohmann::json::parse(R"({"z": "v", "n": 8, "r": 1.0, "on": false, "m": 1, "s": 0.30000000000000004})"));
  CHECK(last["n"] == 8);
  CHECK(last["r"] == 1);  // its place
  CHECK(space.point(last.to_json()) == last);
  nlohmann::json whole = last.to_json();
  whole["r"] = 1;  // as people write it
  CHECK(space.point(whole) == last);
  CHECK_THROWS_WITH_AS(space.at(space.size()), doctest::Contains("Choose a smaller number"), InputError);
  const std::vector<Point> points = space.points();
  for (std::size_t i = 0; i < points.size(); ++i) CHECK(space.at(i) == points[i]);
}

TEST_CASE("a space of wrong JSON is rejected with the parameter") {
  for (const auto& [text, why] : std::map<const char*, const char*>{
           {"[]", "an object of parameters"},
           {"{}", "no parameters"},
           {R"({"": [1]})", "no name"},
           {R"({"x": 5})", "'x' is 5"},
           {R"({"x": []})", "'x' has no values"},
           {R"({"x": [1, "a"]})", "'x' has the values"},
           {R"({"x": [null]})", "'x' has the values"},
           {R"({"x": [1.0, 1]})", "'x' has a value twice"},
           {R"({"x": {"from": 1, "to": 2}})", "'x' is"},
           {R"({"x": {"from": 1, "to": 2, "step": "1"}})", "'x' is"},
           {R"({"x": {"from": 1, "to": 2, "step": 0}})", "a step above 0"},
           {R"({"x": {"from": 1, "to": 2, "factor": 1}})", "a factor above 1"},
           {R"({"x": {"from": 0, "to": 1e18, "step": 1}})", "more than 2^20"},
       }) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(Space::from_json(nlohmann::ordered_json::parse(text)), doctest::Contains(why), InputError);
  }
  Space large;
  std::vector<std::int64_t> values(1 << 10);
  std::iota(values.begin(), values.end(), 0);
  for (const char* name : {"a", "b", "c", "d", "e"}) large.integer(name, values);
  CHECK(large.size() == std::size_t{1} << 50);
  CHECK(large.at((std::size_t{1} << 50) - 1)["a"] == 1023);
  large.integer("f", values);
  CHECK_THROWS_WITH_AS(large.size(), doctest::Contains("2^53"), InputError);
}

TEST_CASE("the best point is found despite noise, with few repeated measurements") {
  const Space space = small_space();
  const auto quality = [](const Point& p) {
    return 100.0 + 10 * static_cast<double>(p["tile"]) + 20 * static_cast<double>(p["kc"]) -
           5 * static_cast<double>(p["mc"]);
  };
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    std::map<std::string, int> calls;
    const auto found = grid_search(
        space,
        [&](const Point& p) {
          ++calls[p.text()];
          return quality(p) * (random.unit() < 0.15 ? 0.6 : 1.0);  // now and then another program takes the core
        },
        {.rounds = 9, .keep = 0.5, .at_most = 12});
    CHECK(quality(found[0].point) >= 0.94 * 185);
    CHECK(found.size() == 12);
    CHECK(found[0].rates.size() == 9);
    CHECK(calls[found[0].point.text()] == 9);
  }
  int calls = 0;
  const auto found =
      grid_search(space, [&](const Point& p) { return ++calls, quality(p); }, {.rounds = 4, .keep = 0.999});
  CHECK(found[0].point.text() == "tile b, kc 4, mc 1");
  CHECK(calls == 12 + 3);
  CHECK(grid_search(space, [](const Point&) { return 1.0; }, {.seconds = 0}).size() == 1);
  CHECK_THROWS_AS(grid_search(space, [](const Point&) { return 0.0; }), InputError);
}

TEST_CASE("a result is read back by its key, on the machine where it was found") {
  const files::Folder folder;
  const std::string path = folder / "store";  // made by what is written
  const Store store(path, {"A Processor (R) 9", "avx2"});
  CHECK_FALSE(store.read("gemm/float32"));
  const auto file = store.write("gemm/float32", {{"kc", 256}});
  CHECK(file == std::filesystem::path(path) / "A-Processor-R-9-avx2" / "gemm" / "float32.json");
  store.write("gemm/float32", {{"kc", 512}});
  const auto entry = store.read("gemm/float32");
  REQUIRE(entry);
  CHECK(entry->value == nlohmann::json{{"kc", 512}});
  CHECK(entry->provenance.at("processor") == "A Processor (R) 9");
  CHECK(entry->provenance.at("date").get<std::string>().size() == 20);
  CHECK(entry->provenance.contains("version"));
  CHECK_FALSE(Store(path, {"A Processor (R) 9", "avx512"}).read("gemm/float32"));
  CHECK_FALSE(Store(path, {"Another", "avx2"}).read("gemm/float32"));
  CHECK(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}) == 1);  // no partial file is left

  for (const char* key : {"", "/", "a/", "/a", "../a", "a/../b", "a b", ".hidden"}) {
    CAPTURE(key);
    CHECK_THROWS_WITH_AS(store.write(key, 1), doctest::Contains("key"), InputError);
  }
  files::write(file, "{\"schema\": 1");
  CHECK_THROWS_WITH_AS(store.read("gemm/float32"), doctest::Contains("tune or measure again"), InputError);
  CHECK_THROWS_WITH_AS(Store(folder.write("file", ""), {"p", "i"}).write("a", 1),
                       doctest::Contains("or name another folder by ATOLL_CACHE."), IoError);
  const files::FileSizeLimit limit(0);
  CHECK_THROWS_WITH_AS(store.write("b", 1), doctest::Contains("Another folder is named by ATOLL_CACHE."), IoError);
  CHECK_FALSE(store.read("b"));
}

TEST_CASE("the environment selects the folder") {
  const auto set = [](const char* name, const char* value) {
    if (value) {
      setenv(name, value, 1);
    } else {
      unsetenv(name);
    }
  };
  const char* const names[] = {"ATOLL_CACHE", "XDG_CACHE_HOME", "HOME"};
  std::map<std::string, std::string> before;
  for (const char* name : names)
    if (const char* value = std::getenv(name)) before[name] = value;
  set("ATOLL_CACHE", "/own");
  set("XDG_CACHE_HOME", "/cache");
  set("HOME", "/home/me");
  CHECK(Store::default_folder() == "/own");
  set("ATOLL_CACHE", nullptr);
  CHECK(Store::default_folder() == "/cache/atoll");
  set("XDG_CACHE_HOME", "");
  CHECK(Store::default_folder() == "/home/me/.cache/atoll");
  set("HOME", nullptr);
  CHECK_THROWS_AS(Store::default_folder(), UsageError);
  for (const char* name : names) set(name, before.contains(name) ? before[name].c_str() : nullptr);
}
