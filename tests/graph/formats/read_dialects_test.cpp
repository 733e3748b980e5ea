// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "files.hpp"

using namespace files;

// Texts that spreadsheets and other programs write, and first lines that describe the others.

namespace {

struct Written {
  const char *what, *name, *text;
  std::vector<EdgeTuple> edges;
  bool weighted = true, directed = true;
  ReadOptions options = {};
};

void check_all(const std::vector<Written>& all) {
  Folder folder;
  for (const Written& w : all) {
    CAPTURE(std::string(w.what));
    for (const bool packed : {false, true}) {
      const std::string path =
          packed ? folder.write(std::string(w.name) + ".gz", gzip_member(w.text)) : folder.write(w.name, w.text);
      for (const Rank ranks : {1, 3}) {
        const Gathered got = read(path, ranks, w.options).sorted();
        CHECK(got.edges == w.edges);
        CHECK(got.weighted == w.weighted);
        CHECK(got.directed == w.directed);
      }
    }
  }
}

// Each text is refused, and the message begins with the line and holds the words.
struct Refused {
  const char *name, *text, *begin, *words;
};

void check_refused(const std::vector<Refused>& all) {
  Folder folder;
  for (const Refused& r : all) {
    CAPTURE(std::string(r.text));
    const std::string path = folder.write(r.name, r.text);
    for (const Rank ranks : {1, 3}) {
      const std::string said = refusal(path, ranks);
      CHECK_MESSAGE(said.starts_with(path + r.begin), said);
      CHECK_MESSAGE(said.find(r.words) != std::string::npos, said);
    }
  }
}

const std::vector<EdgeTuple> kHalves = {{1, 2, 3.5}, {1, 3, 9}, {2, 3, 1.25}};

}  // namespace

TEST_CASE("fields are cut by one delimiter, and commas in them belong to numbers") {
  check_all({
      {"decimal commas", "a.csv", "source;target;weight\n1;2;3,5\n2;3;1,25\n1;3;9,0\n", kHalves},
      {"decimal commas without headings", "a.csv", "1;2;3,5\n2;3;1,25\n1;3;9\n", kHalves},
      {"decimal commas, tabs", "a.tsv", "1\t2\t3,5\n2\t3\t1,25\n1\t3\t9\n", kHalves},
      {"decimal commas, blanks", "a.txt", "1 2 3,5\n2 3 1,25\n1 3 9\n", kHalves},
      {"decimal commas, bars", "a.txt", "1|2|3,5\n2|3|1,25\n1|3|9,0\n", kHalves},
      {"decimal commas in quotes", "a.csv", "1,2,\"3,5\"\n2,3,\"1,25\"\n1,3,\"9,0\"\n", kHalves},
      {"exponents", "a.csv", "1;2;3,5e0\n2;3;12,5E-1\n1;3;9\n", kHalves},
      {"groups of digits", "a.tsv", "1,000\t2,000\n2,000\t3,000\n", {{1000, 2000, 1}, {2000, 3000, 1}}, false},
      {"groups and weights", "a.tsv", "1,000\t2\t1,500\n2\t3\t0.5\n", {{2, 3, 0.5}, {1000, 2, 1500}}},
      {"groups in quotes", "a.csv", "\"1,000\",\"2,000\"\n\"2,000\",3\n", {{1000, 2000, 1}, {2000, 3, 1}}, false},
      {"points between groups", "a.csv", "1;2;1.250,5\n2;3;7\n", {{1, 2, 1250.5}, {2, 3, 7}}},
      {"everything in quotes", "a.csv",
       "\"source\",\"target\",\"weight\"\n\"1\",\"2\",\"3.5\"\n\"2\",\"3\",\"1.25\"\n\"1\",\"3\",\"9\"\n", kHalves},
      {"a text with the delimiter in quotes", "a.csv", "src,dst,who,w\n1,2,\"Smith, J.\",3.5\n2,3,x,1.25\n1,3,\"\",9\n",
       kHalves},
      {"Excel's line", "a.csv", "sep=;\nsource;target;weight\n1;2;3,5\n2;3;1,25\n1;3;9\n", kHalves},
      {"Excel's line of tabs, with a mark", "a.csv", "\xef\xbb\xbfsep=\t\r\n1\t2\t3.5\r\n2\t3\t1.25\r\n1\t3\t9\r\n",
       kHalves},
      {"told: a comma is the decimal sign", "a.csv", "1;2;1,250\n", {{1, 2, 1.25}}, true, true, {.decimal = ','}},
      {"told: a comma groups", "a.csv", "1;2;1,250\n", {{1, 2, 1250}}, true, true, {.decimal = '.'}},
      {"told: the delimiter", "a.txt", "1;2;a,b;c\n", {{1, 2, 1}}, false, true, {.delimiter = ';'}},
  });
  check_refused({
      {"a.csv", "1;2;1,250\n2;3;1,500\n", ":1: weight is '1,250' (", "--decimal, decimal= in Python"},
      {"a.csv", "1;2;3,5\n2;3;1.5\n", ":2: weight is '1.5' (", "--decimal"},
      {"a.tsv", "1\t2\n2\t3\n3\t1,000,5\n", ":3: target is '1,000,5' (not a whole number)", "--names"},
      {"a.csv", "1,2\n\"12345678901234567890\"\"1\",2\n", ":2: source is", "not a whole number"},
      {"a.txt", "1,2 3\n2,3 4\n", ":1: source is '1,2' (not a whole number)", "columns"},
      {"a.csv", "source,target,weight\n1,2,3,5\n2,3,1,25\n", ":2: the line has 4 fields and the headings are 3",
       "quotes"},
  });
  // Beyond the lines that are looked at, too.
  Folder folder;
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("{};{};{}\n", i, i + 1, i);
  CHECK(refusal(folder.write("a.csv", text + "1;2;3,5\n")).find(":101: weight is '3,5' (") != std::string::npos);
}

TEST_CASE("line ends of old Macs end lines, wherever they fall in a block") {
  check_all({
      {"alone", "a.csv", "1,2,3.5\r2,3,1.25\r1,3,9\r", kHalves},
      {"the last one missing", "a.csv", "1,2,3.5\r2,3,1.25\r1,3,9", kHalves},
      {"headings", "a.csv", "source,target,weight\r1,2,3.5\r2,3,1.25\r1,3,9", kHalves},
      {"mixed", "a.csv", "1,2,3.5\r2,3,1.25\r\n1,3,9\n", kHalves},
  });
  Folder folder;
  for (const char* end : {"\r", "\r\n"}) {
    std::string text;
    std::vector<EdgeTuple> edges;
    for (int i = 0; i < 150000; ++i) {
      text += fmt::format("{} {}{}", i, i * 7 % 1000, end);
      edges.emplace_back(i, i * 7 % 1000, 1);
    }
    for (const std::string& path : {folder.write("a.el", text), folder.write("a.el.gz", gzip_member(text)),
                                    folder.write("b.el.zst", zstd_frame(text))})
      for (const Rank ranks : {1, 3}) CHECK(read(path, ranks).sorted().edges == edges);
    CHECK(refusal(folder.write("a.el", text + "1 x" + end), 3).find(":150001: target is 'x'") != std::string::npos);
  }
}

TEST_CASE("headings and numbers of rows say which columns are the ends") {
  check_all({
      {"an unnamed first column",
       "a.csv",
       ",citing,cited\n0,9,1\n1,9,2\n2,8,1\n",
       {{8, 1, 1}, {9, 1, 1}, {9, 2, 1}},
       false},
      {"R's numbers of rows",
       "a.txt",
       "\"from\" \"to\"\n\"1\" 9 1\n\"2\" 9 2\n\"3\" 8 1\n",
       {{8, 1, 1}, {9, 1, 1}, {9, 2, 1}},
       false},
      {"triples", "a.csv", "head,relation,tail\n1,likes,2\n2,likes,3\n", {{1, 2, 1}, {2, 3, 1}}, false},
      {"triples, in another order", "a.csv", "tail,relation,head\n1,likes,2\n", {{2, 1, 1}}, false},
      {"headings in a comment", "a.txt", "# ToNodeId FromNodeId\n1 2\n2 3\n", {{2, 1, 1}, {3, 2, 1}}, false},
      {"Gephi's", "a.csv", "Source;Target;Type;Id;Label;Weight\n9;1;Directed;0;;0,5\n", {{9, 1, 0.5}}},
  });
  check_refused({
      {"a.csv", "source,target,from,to\n1,2,3,4\n", ":1: the ends are 'source' and 'target', or 'from' and 'to'",
       "--source-column"},
      {"a.csv", "x,y,z,t\n1,2,3,4\n", ":1: the columns are 'x', 'y', 'z', 't'", "--source-column"},
  });
}

TEST_CASE("what a comment or a first line says is honoured") {
  check_all({
      {"undirected",
       "a.txt",
       "# Undirected graph: demo\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n1\t2\n2\t3\n",
       {{1, 2, 1}, {2, 3, 1}},
       false,
       false},
      {"directed: false", "a.txt", "# directed: false\n1 2\n", {{1, 2, 1}}, false, false},
      {"both", "a.txt", "# Directed graph\n# made of an undirected one\n1 2\n", {{1, 2, 1}}, false, true},
      {"told otherwise", "a.txt", "# Undirected graph\n1 2\n", {{1, 2, 1}}, false, true, {.directed = true}},
      {"KONECT, symmetric", "out.a", "% sym unweighted\n% 2 3 3\n1 2\n2 3\n", {{1, 2, 1}, {2, 3, 1}}, false, false},
      {"KONECT, unweighted with times",
       "out.a",
       "% asym unweighted\n1 2 1 100\n2 3 1 200\n",
       {{1, 2, 1}, {2, 3, 1}},
       false,
       true},
      {"KONECT, two sets",
       "out.a",
       "% bip unweighted\n% 4 2 3\n1 1\n1 2\n2 2\n2 3\n",
       {{1, 3, 1}, {1, 4, 1}, {2, 4, 1}, {2, 5, 1}},
       false,
       false},
      {"KONECT, two sets, not counted", "out.a", "% bip unweighted\n1 1\n2 3\n", {{1, 3, 1}, {2, 5, 1}}, false, false},
      {"data of edges", "a.edgelist",
       "1 2 {'weight': 3.5}\n2 3 {'kind': 'a, b', 'weight': 1.25}\n1 3 {\"weight\": np.float64(9.0)}\n", kHalves},
      {"data behind commas", "a.csv", "1,2,{'weight': 3.5, 'a': 1}\n2,3,{'weight': 1.25}\n1,3,{'weight': 9}\n",
       kHalves},
      {"data of some edges", "a.edgelist", "1 2 {'weight': 3.5}\n2 3 {}\n", {{1, 2, 3.5}, {2, 3, 1}}},
      {"another key",
       "a.edgelist",
       "1 2 {'cost': 3.5, 'weight': 1}\n",
       {{1, 2, 3.5}},
       true,
       true,
       {.weight_column = "cost"}},
      {"counts", "a.txt", "5 4\n0 1\n1 2\n2 3\n3 4\n", {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}}, false},
      {"counts above weights", "a.txt", "3 3\n1 2 3.5\n2 3 1.25\n1 3 9\n", kHalves},
      {"counts of a matrix", "a.txt", "3 3 3\n1 2 3.5\n2 3 1.25\n1 3 9\n", kHalves},
      {"vertices above edges", "a.txt", "4\n1 2 3.5\n2 3 1.25\n1 3 9\n", kHalves},
      {"an edge that looks like counts",
       "a.txt",
       "5 4\n0 1\n1 2\n2 3\n3 4\n",
       {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {5, 4, 1}},
       false,
       true,
       {.headings = false}},
      {"no counts: other ids",
       "a.txt",
       "5 4\n0 1\n1 2\n2 3\n3 9\n",
       {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 9, 1}, {5, 4, 1}},
       false},
  });
  Folder folder;
  CHECK(read(folder.write("a.txt", "5 4\n0 1\n1 2\n2 3\n3 4\n")).range->count == 5);
  // Counts of a long file, and an edge that is none: by the number of lines.
  std::string text;
  for (int i = 0; i < 40000; ++i) text += fmt::format("{} {}\n", i % 30000, (i * 7) % 30000);
  CHECK(read(folder.write("a.txt", "30000 40000\n" + text), 3).edges.size() == 40000);
  CHECK(read(folder.write("a.txt", "30000 39999\n" + text), 3).edges.size() == 40001);
}

TEST_CASE("a matrix is read as one where it is certain, else refused") {
  const std::vector<EdgeTuple> ring = {{0, 1, 1}, {0, 3, 1}, {1, 0, 1}, {1, 2, 1},
                                       {2, 1, 1}, {2, 3, 1}, {3, 0, 1}, {3, 2, 1}};
  check_all({
      {"0 and 1", "a.csv", "0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n", ring, false},
      {"blanks", "a.txt", "0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n", ring, false},
      {"numbers above and before", "a.csv", ",5,6,7\n5,0,1,0\n6,2.5,0,0\n7,0,0,0\n", {{5, 6, 1}, {6, 5, 2.5}}},
      {"symmetric weights",
       "a.txt",
       "0 2 0 1\n2 0 3 0\n0 3 0 4\n1 0 4 0\n",
       {{0, 1, 2}, {0, 3, 1}, {1, 0, 2}, {1, 2, 3}, {2, 1, 3}, {2, 3, 4}, {3, 0, 1}, {3, 2, 4}}},
      {"a comma at each end", "a.csv", "0,1,0,1,\n1,0,1,0,\n0,1,0,1,\n1,0,1,0,\n", ring, false},
      {"ids above alone", "a.csv", "\"7\",\"8\"\n7,8\n8,9\n", {{7, 8, 1}, {7, 8, 1}, {8, 9, 1}}, false},
      {"undirected",
       "a.csv",
       "0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n",
       {{0, 1, 1}, {0, 3, 1}, {1, 2, 1}, {2, 3, 1}},
       false,
       false,
       {.directed = false}},
      {"told", "a.txt", "0 1\n1 1\n", {{0, 1, 1}, {1, 0, 1}, {1, 1, 1}}, false, true, {.format = "matrix"}},
  });
  check_refused({
      {"a.txt", "0 1 0\n1 0 1\n0 1 0\n", ":1: 3 rows of 3 numbers", "--format matrix"},
      {"a.txt", "0 1 1 0 1\n1 0 1 1 0\n", ":1: 2 rows of 5 numbers", "not square"},
      {"a.txt", "1 2 3 4 5 6\n2 3 4 5 6 7\n2 4 4 5 6 8\n", ":1: 3 rows of 6 numbers", "--source-column"},
      {"a.el", "1 2 3 4 4 4 1 3\n", ":1: one row of 8 numbers", "one edge a line"},
      {"a.csv", "A,B,C\n0,1,0\n1,0,1\n0,1,0\n", ": its matrix has the vertex 'A' (not a whole number)", "--names"},
      {"a.csv", "A,B,C,D\n0,1,2,3\n1,0,1,9\n0,1,0,9\n1,2,3,4\n", ":1: 4 rows of 4 numbers with names above them",
       "--format matrix"},
      {"a.csv", "1,2,3,5\n2,3,1,25\n", ":1: the line is '1,2,3,5' (a weight 3.5 with a decimal comma",
       "--weight-column"},
      {"a.csv", ",a,b\na,0,1\nb,1,0\n", ": its matrix has the vertex 'a' (not a whole number)", "--names"},
  });
  Folder folder;
  const std::string wide = [] {  // more rows than are looked at
    std::string text;
    for (int i = 0; i < 300; ++i) {
      for (int j = 0; j < 300; ++j) text += fmt::format("{}{}", j ? "," : "", (i + 1) % 300 == j ? 2 : 0);
      text += '\n';
    }
    return text;
  }();
  for (const Rank ranks : {1, 3}) {
    const Gathered got = read(folder.write("a.csv", wide), ranks).sorted();
    CHECK(got.edges.size() == 300);
    CHECK(got.edges[299] == EdgeTuple{299, 0, 2});
    CHECK(got.range->count == 300);
    CHECK(refusal(folder.write("b.csv", wide + wide.substr(0, wide.find('\n') + 1)), ranks).find("row 301") !=
          std::string::npos);
  }
  CHECK(refusal(folder.write("c.txt", "0 1\n0 1\n"), 2, {.format = "matrix", .directed = false})
            .find("is not symmetric") != std::string::npos);
}

TEST_CASE("a list without edges is read where it says its vertices") {
  Folder folder;
  for (const char* text :
       {"# atoll: vertices 1..3 undirected\n", "# atoll: vertices 1..3 undirected\nsource,target\n", "3\n0\n"}) {
    CAPTURE(std::string(text));
    const Gathered got = read(folder.write("a.csv", text), 3);
    CHECK(got.edges.empty());
    CHECK(got.range->count == 3);
  }
}

TEST_CASE("DIMACS and METIS files as other programs write them") {
  check_all({
      {".col", "a.col", "c x\np edge 4 3\ne 1 2\ne 2 3\ne 3 4\n", {{1, 2, 1}, {2, 3, 1}, {3, 4, 1}}, false, false},
      {".clq, each edge twice",
       "a.clq",
       "p col 3 2\ne 1 2\ne 2 1\ne 2 3\ne 3 2\n",
       {{1, 2, 1}, {2, 1, 1}, {2, 3, 1}, {3, 2, 1}},
       false,
       false},
      {"node lines", "a.gr", "p edge 3 2\nn 1 5\nn 2 6\ne 1 2\ne 2 3\n", {{1, 2, 1}, {2, 3, 1}}, false, false},
      {"flows", "a.max", "p max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 4\n", {{1, 2, 5}, {2, 3, 4}}},
      {"old Macs", "a.gr", "p sp 3 2\ra 1 2 5\ra 2 3 4\r", {{1, 2, 5}, {2, 3, 4}}},
      {"a last vertex without neighbours and without a line", "a.graph", "4 1\n\n3\n2\n", {{2, 3, 1}}, false, false},
      {"the same, joined by line ends", "a.graph", "3 1\n2\n1\n", {{1, 2, 1}}, false, false},
  });
  Folder folder;
  CHECK(read(folder.write("a.graph", "4 1\n\n3\n2\n")).range->count == 4);
}
