// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/graph/table/column_choice.hpp>

using namespace atl;
using namespace atl::table;

namespace {

using Words = std::vector<std::string>;

// w: whole numbers, r: numbers with fractions, t: text, o: other.
std::vector<Kind> kinds(std::string_view letters) {
  std::vector<Kind> all;
  for (const char c : letters)
    all.push_back(c == 'w' ? Kind::whole : c == 'r' ? Kind::reals : c == 't' ? Kind::words : Kind::other);
  return all;
}

std::string choice(const Words& headings, std::string_view letters, const std::string& source = "",
                   const std::string& target = "", const std::string& weight = "") {
  const std::vector<Kind> all = kinds(letters);
  try {
    const ColumnChoice c = choose_columns(
        {.place = "t", .headings = headings, .kinds = all, .source = source, .target = target, .weight = weight});
    return fmt::format("{} {} {}", c.source, c.target, c.weight ? fmt::format("{}", *c.weight) : "-");
  } catch (const Error& e) {
    return e.what();
  }
}

bool refused(const std::string& text) { return text.starts_with("t: "); }

}  // namespace

TEST_CASE("headings name the ends of an edge, in any case and with any signs between words") {
  const struct {
    Words headings;
    const char *letters, *expected;
  } cases[] = {
      {{"Source", "Target", "Weight"}, "wwr", "0 1 2"},
      {{"target", "source"}, "ww", "1 0 -"},
      {{"SRC", "DST", "wgt"}, "wwr", "0 1 2"},
      {{"date", "to", "from"}, "www", "2 1 -"},
      {{"head", "relation", "tail"}, "ttt", "0 2 -"},
      {{"tail", "relation", "head"}, "ttt", "2 0 -"},
      {{"tail", "head"}, "ww", "0 1 -"},
      {{"subject", "predicate", "object"}, "ttt", "0 2 -"},
      {{"citing", "cited"}, "ww", "0 1 -"},
      {{"", "citing", "cited"}, "www", "1 2 -"},
      {{"Cited Paper", "Citing Paper"}, "ww", "1 0 -"},
      {{"Source ID", "Target-ID", "distance"}, "wwr", "0 1 2"},
      {{"FromNodeId", "ToNodeId"}, "ww", "0 1 -"},
      {{"gene_1", "gene_2", "score"}, "ttr", "0 1 2"},
      {{"Official Symbol Interactor A", "Official Symbol Interactor B"}, "tt", "0 1 -"},
      {{"Id", "Source", "Target", "Weight"}, "wwwr", "1 2 3"},
      {{"start", "end", "source", "target"}, "wwww", "2 3 -"},
      {{":START_ID", ":END_ID", ":TYPE"}, "wwt", "0 1 -"},
      {{"source", "target", "source name", "target name"}, "wwtt", "0 1 -"},
      {{"u", "v", "w"}, "wwr", "0 1 2"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.headings[0]);
    CHECK(choice(c.headings, c.letters) == c.expected);
  }
}

TEST_CASE("a first column that numbers the rows is no end") {
  for (const char* index : {"", "Unnamed: 0", "index", "Id", "ROW", "row_id"}) {
    CAPTURE(index);
    CHECK(choice({index, "gene", "partner"}, "wtt") == "1 2 -");
    CHECK(choice({index, "x", "y", "z"}, "wwwr") == "1 2 3");
    CHECK(choice({index, "src", "dst", "wgt"}, "wwwr") == "1 2 3");
  }
  CHECK(refused(choice({"id", "weight"}, "wr")));
}

TEST_CASE("columns of dates are no ends, and of several columns of words two are if they alone share values") {
  const Words people = {"Ann", "Bob", ""}, friends = {"Bob", "Cid", "Ann"}, colours = {"red", "", "blue"};
  const auto chosen = [](const Words& headings, std::vector<Words> samples) {
    const std::vector<Kind> all(headings.size(), Kind::words);
    try {
      const ColumnChoice c = choose_columns({.place = "t", .headings = headings, .kinds = all, .samples = samples});
      return fmt::format("{} {} {}", c.source, c.target, c.certain);
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  for (const Words& dates : {Words{"2026-03-01", "NA", "2026-11-30"},
                             {"1.3.2026", "30.11.2026", ""},
                             {"03/01/2026 08:30", "2026/3/1T07:00:01", ""}}) {
    CHECK(chosen({"person", "since", "friend"}, {people, dates, friends}) == "0 2 true");
    CHECK(chosen({"since", "person", "place"}, {dates, people, colours}) == "1 2 true");
    CHECK(chosen({"from when", "when"}, {dates, dates}) == "0 1 true");  // all there is
  }
  CHECK(refused(chosen({"person", "since", "friend"}, {people, {"2026-3", "1-2-3", "2026-03-1x"}, colours})));
  CHECK(chosen({"person", "favourite", "friend"}, {people, colours, friends}) == "0 2 true");
  CHECK(refused(chosen({"person", "favourite", "place"}, {people, colours, {"York", "Hull", ""}})));
  CHECK(refused(chosen({"person", "mother", "father"}, {people, {"Bob", "Eve", ""}, {"Bob", "Max", ""}})));
}

TEST_CASE("without known headings the first two columns are the ends, unless a third could be one") {
  CHECK(choice({}, "ww") == "0 1 -");
  CHECK(choice({}, "wwr") == "0 1 2");
  CHECK(choice({}, "wwwww") == "0 1 2");
  CHECK(choice({"gene", "partner", "score"}, "ttr") == "0 1 2");
  CHECK(choice({"x", "y", "z"}, "www") == "0 1 2");
  CHECK(choice({"x", "y", "when"}, "wwo") == "0 1 -");
  const std::string three = choice({"gene", "effect", "partner"}, "ttt");
  CHECK(refused(three));
  CHECK(three.find("'gene' to 'effect', or from 'gene' to 'partner'") != std::string::npos);
  CHECK(refused(choice({"x", "y", "z", "t"}, "wwww")));
}

TEST_CASE("two readings are refused, and both are named") {
  for (const Words& headings : {Words{"source", "target", "from", "to"}, Words{"source", "target", "dest"}}) {
    const std::string text = choice(headings, headings.size() == 4 ? "wwww" : "www");
    CHECK(text.find("both readings are possible") != std::string::npos);
    CHECK(text.find("'source' and 'target', or") != std::string::npos);
    CHECK(text.find("--source-column") != std::string::npos);
  }
  CHECK(refused(choice({"head", "tail"}, "ww")));
}

TEST_CASE("columns that the caller names are taken, by heading or number") {
  CHECK(choice({"a", "b", "c"}, "www", "C", "a") == "2 0 -");
  CHECK(choice({"a", "b", "c"}, "www", "3", "1") == "2 0 -");
  CHECK(choice({}, "www", "3", "1", "2") == "2 0 1");
  CHECK(choice({"x", "from", "to"}, "www", "to") ==
        "t: the source is 'to' (several columns can be the target). Name the target column too.");
  CHECK(choice({"gene", "score", "partner"}, "trt", "partner") == "2 0 -");
  CHECK(choice({}, "www", "2") == "1 0 -");
  CHECK(choice({"a", "b"}, "ww", "z", "b") ==
        "t: the source column is 'z' (the columns are: 'a', 'b'). Name one of them, or give its number.");
  CHECK(choice({"a", "b"}, "ww", "a", "a") ==
        "t: source and target are both 'a' (an edge has two ends). Name two columns.");
  CHECK(choice({"a", "b"}, "ww", "0", "1") == "the source column is 0 (columns count from 1). Correct it.");
}
