// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/io/dictionary/dictionary_file.hpp>
#include <atoll/io/dictionary/merge_names.hpp>
#include <map>
#include <set>

#include "folder.hpp"

using namespace atl;

namespace {

// Names of 0 to 11 bytes of few letters, so that many are the same, or the beginning of another.
std::vector<std::string> random_names(std::size_t count, std::uint64_t seed) {
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t random = random_at(seed, i);
    for (std::uint64_t k = 0; k < random % 12; ++k) names[i] += "ab\0\xff"[random >> (8 + 2 * k) & 3];
  }
  return names;
}

std::vector<std::string_view> views(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

void check_same(const Dictionary& names, const std::vector<std::string>& from) {
  const std::set<std::string> distinct(from.begin(), from.end());
  REQUIRE(names.size() == static_cast<Vertex>(distinct.size()));
  Vertex id = 0;
  for (const std::string& name : distinct) {
    CHECK(names.name(id) == name);
    CHECK(names.find(name) == id++);
  }
}

std::string refusal(const std::string& path) {
  std::string message = "nothing";
  run_ranks(2, {}, [&](World& world) {
    try {
      map_dictionary(world, path);
    } catch (const InputError& e) {
      if (world.rank() == 0) message = e.what();
    }
  });
  return message;
}

}  // namespace

TEST_CASE("a dictionary is the set of names in the order of their bytes, by any number of threads") {
  for (const int threads : {1, 2, 3, 5}) {
    Team team(threads);
    for (const std::size_t count : {0, 1, 2, 3, 100, 20001}) {
      const std::vector<std::string> names = random_names(count, count);
      check_same(dictionary_of(team, views(names)), names);
    }
  }
}

TEST_CASE("a hundred thousand names, each several times") {
  std::vector<std::string> names;
  for (int i = 0; i < 200000; ++i) names.push_back(fmt::format("page {}", i * 7919LL % 100000));
  Team team(2);
  const Dictionary dictionary = dictionary_of(team, views(names));
  CHECK(dictionary.size() == 100000);
  CHECK(dictionary.name(0) == "page 0");
  CHECK(dictionary.name(1) == "page 1");
  CHECK(dictionary.name(2) == "page 10");
  CHECK(dictionary.find("page 99999") == 99999);
  CHECK(dictionary.find("page 100000") == kNoVertex);
}

TEST_CASE("a table numbers names as they come, as a map does") {
  NameTable table;
  std::map<std::string, std::uint32_t> of;
  for (const std::string& name : random_names(50000, 3)) {
    bool is_new = false;
    const std::uint32_t number = table.number_of(name, [&](std::string_view) { is_new = true; });
    const auto [at, added] = of.try_emplace(name, static_cast<std::uint32_t>(of.size()));
    REQUIRE(is_new == added);
    REQUIRE(number == at->second);
    REQUIRE(table.name(number) == name);
  }
  CHECK(table.size() == of.size());
}

TEST_CASE("a name that is refused is not in the table") {
  NameTable table;
  CHECK_THROWS_AS(table.number_of("x", [](std::string_view) { throw InputError("no"); }), InputError);
  CHECK(table.size() == 0);
  CHECK(table.number_of("y", [](std::string_view) {}) == 0);
}

TEST_CASE("the numbers of a run become ids") {
  Team team(3);
  for (const std::size_t count : {0, 1, 2, 999, 5000}) {
    std::vector<NameTable> tables(4);
    const std::vector<std::string> names = random_names(count, 5);
    for (std::size_t i = 0; i < names.size(); ++i) tables[i % 4].number_of(names[i], [](auto) {});
    const auto runs = sorted_runs(team, tables);
    const Dictionary dictionary = merge_names(team, runs);
    check_same(dictionary, names);
    for (std::size_t t = 0; t < 4; ++t) {
      std::vector<std::uint32_t> ids;
      ids_of_run(dictionary, runs[t], ids);
      REQUIRE(ids.size() == tables[t].size());
      for (std::uint32_t k = 0; k < tables[t].size(); ++k)
        REQUIRE(dictionary.name(static_cast<Vertex>(ids[k])) == tables[t].name(k));
    }
  }
}

TEST_CASE("the nearest names are the fewest edits away, capitals aside") {
  Team team(1);
  const std::vector<std::string_view> names{"BRCA1", "BRCA2", "TP53", "TP63", "MDM2", "a"};
  const Dictionary dictionary = dictionary_of(team, names);
  CHECK(dictionary.nearest("tp53", 3) == std::vector<std::string>{"TP53", "TP63"});
  CHECK(dictionary.nearest("BRCA", 3) == std::vector<std::string>{"BRCA1", "BRCA2"});
  CHECK(dictionary.nearest("BRCA", 1) == std::vector<std::string>{"BRCA1"});
  CHECK(dictionary.nearest("something else", 3).empty());
  CHECK(dictionary.nearest_text("TP35") == "; the nearest: 'TP53'");
  CHECK(dictionary.nearest_text("something else").empty());
  CHECK(Dictionary().nearest("x", 3).empty());
}

TEST_CASE("a dictionary comes back from its file on every rank, and as a name a line") {
  const files::Folder folder;
  const std::string path = folder / "graph.names";
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"b", "", "a\"b", "Müller", "a", "b"}, std::vector<std::string>{}}) {
    for (const Rank ranks : {1, 3})
      run_ranks(ranks, {}, [&](World& world) {
        write_dictionary(world, path, dictionary_of(world.team(), views(names)));
        check_same(map_dictionary(world, path), names);
        world.barrier();
        write_names(world, folder / "names.txt", map_dictionary(world, path));
        world.barrier();
      });
    CHECK(files::content(folder / "names.txt") == (names.empty() ? "" : "\nMüller\na\na\"b\nb\n"));
  }
}

TEST_CASE("a name with a line end is not written as a line") {
  const files::Folder folder;
  const std::vector<std::string_view> names{"a\nb"};
  run_ranks(2, {}, [&](World& world) {
    const Dictionary dictionary = dictionary_of(world.team(), names);
    CHECK_THROWS_WITH_AS(write_names(world, folder / "n.txt", dictionary), doctest::Contains("holds a line end"),
                         InputError);
  });
}

TEST_CASE("a damaged file of names is refused, wherever a bit is wrong or it ends") {
  const files::Folder folder;
  const std::string path = folder / "g.names";
  const std::vector<std::string_view> names{"a", "bc", "d"};
  run_ranks(1, {}, [&](World& world) { write_dictionary(world, path, dictionary_of(world.team(), names)); });
  const std::string good = files::content(path);
  CHECK(refusal(path) == "nothing");
  for (std::size_t at = 0; at < good.size(); ++at) {
    if (at >= 33 && at < 40) continue;  // zeros between the mark and the numbers
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    folder.write("g.names", bad);
    CHECK_MESSAGE(refusal(path) != "nothing", "byte ", at);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{50}, good.size() - 1}) {
    folder.write("g.names", good.substr(0, size));
    CHECK_MESSAGE(refusal(path) != "nothing", "cut to ", size);
  }
  folder.write("g.names", good + "x");
  CHECK(refusal(path) != "nothing");
}

TEST_CASE("UTF-8 is told from other bytes") {
  for (const char* good : {"", "a", "Müller", "\u20ac", "\U0001F600", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(good));
  for (const char* bad : {"M\xfcller", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff",
                          "\x80", "a\xe2\x82", "\xf0\x9f\x98", "\xc3(", "\xe2\x28\xa1"})
    CHECK_FALSE(is_utf8(bad));
}
