// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "files.hpp"

using namespace files;

namespace {

const std::vector<EdgeTuple> kThree = {{1, 2, 1}, {3, 4, 1}, {5, 6, 1}};
const std::vector<EdgeTuple> kWeighted = {{1, 2, 0.5}, {3, 4, -2}, {5, 6, 1e10}};

// n pseudo-random edges as lines of text, with their values.
std::string random_lines(std::uint64_t seed, std::size_t n, std::uint64_t ids, bool weighted,
                         std::vector<EdgeTuple>& edges) {
  std::string text;
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    const auto s = static_cast<Vertex>(random.below(ids) >> random.below(40)),
               t = static_cast<Vertex>(random.below(ids) >> random.below(40));
    const double w = weighted ? static_cast<double>(random.below(1000000)) / 64 : 1;
    text += fmt::format("{}{}{}", s, i % 7 ? "\t" : " ", t);
    if (weighted) text += fmt::format(" {}", w);
    text += i % 11 ? "\n" : "  \r\n";
    if (i % 1013 == 5) text += "# a comment\n\n";
    edges.emplace_back(s, t, w);
  }
  return text;
}

}  // namespace

TEST_CASE("an edge list is read in every dialect") {
  Folder folder;
  const struct {
    const char* what;
    const char* text;
    bool weighted;
  } dialects[] = {
      {"blank", "1 2\n3 4\n5 6\n", false},
      {"tab", "1\t2\n3\t4\n5\t6\n", false},
      {"comma", "1,2\n3,4\n5,6\n", false},
      {"comma and blank", "1, 2\n3 ,4\n5 , 6\n", false},
      {"semicolon", "1;2\n3;4\n5;6\n", false},
      {"bar", "1|2\n3|4\n5|6\n", false},
      {"no line end at the end", "1 2\n3 4\n5 6", false},
      {"line ends of Windows", "1 2\r\n3 4\r\n5 6\r\n", false},
      {"blanks around", "  1   2  \n\t3\t\t4\n5 6   \n", false},
      {"comments", "# one\n% two\n// three\n1 2\n# four\n3 4\n\n   \n5 6 # five\n", false},
      {"delimiter at the end", "1,2,\n3,4,\n5,6,\n", false},
      {"names", "source,target\n1,2\n3,4\n5,6\n", false},
      {"names that are not known", "alpha,beta\n1,2\n3,4\n5,6\n", false},
      {"names in another order", "when,to,from\n7,2,1\n8,4,3\n9,6,5\n", false},
      {"quoted names", "\"target\",\"source\"\n2,1\n4,3\n6,5\n", false},
      {"byte order mark",
       "\xef\xbb\xbf"
       "1,2\n3,4\n5,6\n",
       false},
      {"attributes of NetworkX", "1 2 {}\n3 4 {}\n5 6 {'a': 1}\n", false},
      {"header of Graphs.jl", "6,3,d,graph\n1,2\n3,4\n5,6\n", false},
      {"vertices and edges on lines of their own", "7\n3\n1 2\n3 4\n5 6\n", false},
      {"weights", "1 2 0.5\n3 4 -2\n5 6 1e10\n", true},
      {"weights with commas", "1,2,.5\n3,4,-2.\n5,6,10000000000\n", true},
      {"weights with a sign", "1 2 +0.5\n3 4 -2.0e0\n5 6 +1E+10\n", true},
      {"weights by name", "src;dst;kind;weight\n1;2;x;0.5\n3;4;y;-2\n5;6;z;1e10\n", true},
      {"weights by name, first", "weight,source,target\n0.5,1,2\n-2,3,4\n1e10,5,6\n", true},
      {"a fourth column", "1 2 0.5 77\n3 4 -2 78\n5 6 1e10 80\n", true},
  };
  for (const auto& dialect : dialects) {
    CAPTURE(dialect.what);
    const std::string path = folder.write("a.txt", dialect.text);
    for (const Rank ranks : {1, 3}) {
      const Gathered got = read(path, ranks).sorted();
      CHECK(got.edges == (dialect.weighted ? kWeighted : kThree));
      CHECK(got.weighted == dialect.weighted);
      CHECK(got.directed);
      CHECK_FALSE(got.wide);
    }
  }
}

TEST_CASE("options complete what an edge list does not say") {
  Folder folder;
  const std::string path = folder.write("a.csv", "id,a,b,len,w\n0,1,2,7,0.5\n1,3,4,7,-2\n2,5,6,7,1e10\n");
  ReadOptions options;
  options.directed = false;
  options.source_column = "2";
  options.target_column = "b";
  options.weight_column = "w";
  const Gathered got = read(path, 2, options).sorted();
  CHECK(got.edges == kWeighted);
  CHECK_FALSE(got.directed);
  options.weights = ReadOptions::Weights::none;
  CHECK(read(path, 2, options).sorted().edges == kThree);
  options.weights = ReadOptions::Weights::required;
  options.weight_column = "cost";
  CHECK(refusal(path, 2, options) == path +
                                         ":1: the weight column is 'cost' (the columns are: 'id', 'a', 'b', 'len', "
                                         "'w'). Name one of them, or give its "
                                         "number.");
}

TEST_CASE("headers define the set of vertices") {
  Folder folder;
  Gathered got = read(folder.write("a.csv", "9,2,u,graph\n1,2\n3,9\n"), 2);
  REQUIRE(got.range);
  CHECK(got.range->first == 1);
  CHECK(got.range->count == 9);
  CHECK_FALSE(got.directed);
  got = read(folder.write("a.txt", "9\n2\n0 2 3.5\n3 8 4\n"), 2);
  REQUIRE(got.range);
  CHECK(got.range->first == 0);
  CHECK(got.range->count == 9);
}

TEST_CASE("long edge lists are read the same, plain and compressed, on any number of ranks") {
  Folder folder;
  for (const bool weighted : {false, true}) {
    for (const std::uint64_t ids : {std::uint64_t{4000000000}, std::uint64_t{INT64_MAX} - 1}) {
      std::vector<EdgeTuple> edges;
      const std::string text = random_lines(7, 120000, ids, weighted, edges);
      const std::string plain = folder.write("a.txt", text);
      const std::string half = text.substr(0, text.size() / 2), rest = text.substr(text.size() / 2);
      const std::string zst = folder.write("a.txt.zst", zstd_frame(half) + zstd_frame("") + zstd_frame(rest));
      const std::string gz = folder.write("a.txt.gz", gzip_member(half) + gzip_member(rest));
      for (const std::string& path : {plain, zst, gz}) {
        const Gathered alone = read(path);
        CHECK(alone.edges == edges);  // in the order of the file
        CHECK(alone.wide == (ids > UINT32_MAX));
      }
      std::sort(edges.begin(), edges.end());
      for (const Rank ranks : {2, 3, 5})
        for (const std::string& path : {plain, zst, gz}) CHECK(read(path, ranks).sorted().edges == edges);
    }
  }
}

TEST_CASE("one wide id widens the ids of every rank") {
  Folder folder;
  std::string text;
  for (int i = 0; i < 200000; ++i) text += fmt::format("{} {}\n", i, i + 1);
  text += fmt::format("0 {}\n", INT64_MAX - 1);
  for (const Rank ranks : {1, 3}) {
    const Gathered got = read(folder.write("a.el", text), ranks);
    CHECK(got.wide);
    CHECK(got.edges.size() == 200001);
    CHECK(got.edges[199999] == EdgeTuple{199999, 200000, 1});
    CHECK(got.edges.back() == EdgeTuple{0, INT64_MAX - 1, 1});
  }
}

TEST_CASE("more ranks than lines are allowed") {
  Folder folder;
  const std::string path = folder.write("a.el", "1 2\n");
  for (const Rank ranks : {2, 5, 8}) CHECK(read(path, ranks).edges == std::vector<EdgeTuple>{{1, 2, 1}});
  const std::string packed = folder.write("a.el.zst", zstd_frame("1 2\n"));
  for (const Rank ranks : {2, 5, 8}) CHECK(read(packed, ranks).edges == std::vector<EdgeTuple>{{1, 2, 1}});
}

TEST_CASE("Matrix Market keeps its ids from 1") {
  Folder folder;
  const std::string path = folder.write(
      "a.mtx", "%%MatrixMarket matrix coordinate real general\n% comment\n\n 6 6 3\n1 2 0.5\n3 4 -2\n5 6 1e10\n");
  for (const Rank ranks : {1, 2, 3, 5}) {
    const Gathered got = read(path, ranks).sorted();
    CHECK(got.edges == kWeighted);
    CHECK(got.directed);
    REQUIRE(got.range);
    CHECK(got.range->first == 1);
    CHECK(got.range->count == 6);
  }
  const Gathered symmetric =
      read(folder.write("b.mtx", "%%matrixmarket MATRIX Coordinate Pattern Symmetric\n6 6 3\n1 2\n3 4 \n5 6\n"), 2)
          .sorted();
  CHECK(symmetric.edges == kThree);
  CHECK_FALSE(symmetric.directed);
  CHECK_FALSE(symmetric.weighted);
  const Gathered empty = read(folder.write("c.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 4 0\n"), 2);
  CHECK(empty.edges.empty());
  CHECK(empty.range->count == 4);
}

TEST_CASE("Matrix Market is recognised by its first line, whatever the file's name") {
  Folder folder;
  CHECK(read(folder.write("a.txt", "%%MatrixMarket matrix coordinate pattern general\n6 6 3\n1 2\n3 4\n5 6\n"))
            .range->count == 6);
}

TEST_CASE("DIMACS arcs are directed and weighted") {
  Folder folder;
  const std::string path = folder.write("a.gr", "c roads\np sp 6 3\nc arcs\na 1 2 0.5\na 3 4 -2\n\na  5\t6 1e10\n");
  for (const Rank ranks : {1, 2, 3, 5}) {
    const Gathered got = read(path, ranks).sorted();
    CHECK(got.edges == kWeighted);
    CHECK(got.directed);
    CHECK(got.range->first == 1);
    CHECK(got.range->count == 6);
  }
  CHECK(read(path, 2, {.weights = ReadOptions::Weights::none}).sorted().edges == kThree);
  const Gathered colours = read(folder.write("b.gr", "p edge 6 3\ne 1 2\ne 3 4\ne 5 6\n")).sorted();
  CHECK(colours.edges == kThree);
  CHECK_FALSE(colours.directed);
}

TEST_CASE("METIS lists each edge twice and it is read once") {
  Folder folder;
  // A triangle 1 2 3 with an edge to 5; 4 is isolated.
  const std::vector<EdgeTuple> plain = {{1, 2, 1}, {1, 3, 1}, {2, 3, 1}, {3, 5, 1}};
  const std::vector<EdgeTuple> weighted = {{1, 2, 7}, {1, 3, 8}, {2, 3, 9}, {3, 5, 4}};
  const struct {
    const char* text;
    bool weighted;
  } cases[] = {
      {"5 4\n2 3\n1 3\n1 2 5\n\n3\n", false},
      {"% about\n5 4 0\n2 3 \n1 3\n% inside\n 1 2 5\n\n3", false},
      {"5 4 1\n2 7 3 8\n1 7 3 9\n1 8 2 9 5 4\n\n3 4\n", true},
      {"5 4 001\n2 7 3 8\n1 7 3 9\n1 8 2 9 5 4\n\n3 4\n\n\n", true},
      {"5 4 10\n100 2 3\n100 1 3\n100 1 2 5\n100\n100 3\n", false},
      {"5 4 11 2\n100 0 2 7 3 8\n100 0 1 7 3 9\n1 1 1 8 2 9 5 4\n1 1\n1 1 3 4\n", true},
      {"5 4 110 1\n9 100 2 3\n9 100 1 3\n9 100 1 2 5\n9 100\n9 100 3\n", false},
      {"5 4 100\n3 2 3\n3 1 3\n3 1 2 5\n3\n3 3\n", false},  // vertex sizes
      {"5 4 100\n2 3\n1 3\n1 2 5\n\n3\n", false},           // the 10th DIMACS challenge
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const std::string path = folder.write("a.graph", c.text), zst = folder.write("b.graph.zst", zstd_frame(c.text));
    for (const std::string& file : {path, zst}) {
      for (const Rank ranks : {1, 2, 3, 5}) {
        const Gathered got = read(file, ranks).sorted();
        CHECK(got.edges == (c.weighted ? weighted : plain));
        CHECK(got.weighted == c.weighted);
        CHECK_FALSE(got.directed);
        CHECK(got.range->first == 1);
        CHECK(got.range->count == 5);
      }
    }
  }
}

TEST_CASE("METIS files that list each edge once contain arcs, and so do those read as directed") {
  Folder folder;
  const std::string once = folder.write("a.graph", "3 3\n2 3\n3\n\n");
  for (const Rank ranks : {1, 3}) {
    const Gathered got = read(once, ranks).sorted();
    CHECK(got.directed);
    CHECK(got.edges == std::vector<EdgeTuple>{{1, 2, 1}, {1, 3, 1}, {2, 3, 1}});
  }
  const Gathered both = read(folder.write("b.graph", "2 1\n2\n1\n"), 2, {.directed = true}).sorted();
  CHECK(both.edges == std::vector<EdgeTuple>{{1, 2, 1}, {2, 1, 1}});
}

TEST_CASE("METIS rows keep their numbers across blocks, and a row may be longer than a block") {
  Folder folder;
  constexpr int kVertices = 60000;
  // A star with a ring around it.
  std::string text = fmt::format("{} {}\n", kVertices, 2 * (kVertices - 1) - 1);
  for (int i = 2; i <= kVertices; ++i) text += fmt::format("{} ", i);
  text += '\n';
  for (int i = 2; i <= kVertices; ++i) {
    text += "1";
    if (i > 2) text += fmt::format(" {}", i - 1);
    if (i < kVertices) text += fmt::format(" {}", i + 1);
    text += i % 100 ? "\n" : "\n% comment\n";
  }
  for (const std::string& path : {folder.write("a.graph", text), folder.write("b.graph.gz", gzip_member(text))}) {
    for (const Rank ranks : {1, 2, 5}) {
      const Gathered got = read(path, ranks).sorted();
      REQUIRE(got.edges.size() == 2 * (kVertices - 1) - 1);
      CHECK(got.edges[0] == EdgeTuple{1, 2, 1});
      CHECK(got.edges[kVertices - 1] == EdgeTuple{2, 3, 1});
      CHECK(got.edges.back() == EdgeTuple{kVertices - 1, kVertices, 1});
    }
  }
}

TEST_CASE("Graphalytics is found by its folder, any of its files, and their common name") {
  Folder folder;
  folder.write("g.v", "1\n2\n3\n4\n5\n6\n9223372036854775806\n");
  folder.write("g.e", "1 2 0.5\n3 4 -2\n5 6 1e10\n");
  folder.write("g.properties",
               "# about\ngraph.g.vertex-file = g.v\ngraph.g.edge-file = g.e\ngraph.g.meta.vertices = "
               "7\ngraph.g.meta.edges = 3\n"
               "graph.g.directed = false\ngraph.g.edge-properties.names = "
               "weight\ngraph.g.edge-properties.types = real\n");
  for (const char* name : {"g.v", "g.e", "g.properties", "g", ""}) {
    CAPTURE(name);
    for (const Rank ranks : {1, 2, 5}) {
      const Gathered got = read(folder / name, ranks).sorted();
      CHECK(got.edges == kWeighted);
      CHECK_FALSE(got.directed);
      CHECK(got.vertices == std::vector<Vertex>{1, 2, 3, 4, 5, 6, INT64_MAX - 1});
    }
  }
}

TEST_CASE("numbers are read exactly") {
  Folder folder;
  const char* weights[] = {"0",
                           "-0",
                           "1",
                           "0.1",
                           "123456.7654321",
                           "1234567.1234567",
                           "12345678.5",
                           "0.12345678",
                           "3.",
                           "1e-300",
                           "1.7976931348623157e308",
                           "4.9e-324",
                           "9007199254740992",
                           "9007199254740993.",
                           "0.30000000000000004",
                           "123456789012345678901234567890.",
                           "00000000000000000012.5"};
  std::string text;
  std::vector<EdgeTuple> edges;
  Vertex id = 1;
  for (const char* w : weights) {
    text += fmt::format("{} 000000000000000000000000000000{} {}\n", id, id, w);
    edges.emplace_back(id, id, std::strtod(w, nullptr));
    id = id * 9 + 7;
  }
  CHECK(read(folder.write("a.wel", text), 1, {.leading_zeros = true}).edges == edges);
}
