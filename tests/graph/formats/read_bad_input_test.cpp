// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "files.hpp"

using namespace files;

namespace {

struct BadInput {
  std::string name, bytes, message;  // message: without the path in front
  ReadOptions options = {};
};

const std::string kMtx = "%%MatrixMarket matrix coordinate pattern general\n";

std::string many_lines(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "1 2\n";
  return text;
}

std::vector<BadInput> bad_inputs() {
  std::string cut_gz = gzip_member(many_lines(30000)), wrong_gz = cut_gz, cut_zst = zstd_frame(many_lines(60000)),
              wrong_zst = cut_zst;
  cut_gz.resize(cut_gz.size() - 100);
  wrong_gz[wrong_gz.size() - 6] ^= 1;  // part of the checksum
  cut_zst.resize(cut_zst.size() - 10);
  wrong_zst[6 + 100003] = '\x07';  // a block of a type that does not exist
  std::vector<BadInput> all = {
      // Edge lists.
      {"a.txt", "", ": is empty (0 bytes). Check how it was written."},
      {"a.txt", "# nothing\n\n",
       ": holds no edge (its 2 lines are comments, names or blank). Check how it was written."},
      {"a.txt", "1 2\n3\n", ":2: the line has 1 column (an edge needs 2). Complete or remove it."},
      {"a.txt", "1 2\n3 x4\n",
       ":2: target is 'x4' (not a whole number). Name the file's format and columns, or read names by --names, "
       "names=True in Python (docs/names.md)."},
      {"a.txt", "1 2\n3 4x\n",
       ":2: target is '4x' (not a whole number). Name the file's format and columns, or read names by --names, "
       "names=True in Python (docs/names.md)."},
      {"a.txt", "1 2\n3.0 4\n",
       ":2: source is '3.0' (ids are written without a fraction; pandas adds one to a column in which values are "
       "missing). "
       "Write it as 3, by astype(\"Int64\") in pandas."},
      {"a.txt", "1 2\n\n# c\n-3 4\n",
       ":4: source is -3 (ids are whole numbers from 0 to 2^63 - 2). Renumber the vertices."},
      {"a.txt", "1 2\n3 9223372036854775807\n",
       ":2: target is 9223372036854775807 (ids are whole numbers from 0 to 2^63 - 2). Renumber the "
       "vertices."},
      {"a.txt", "1 2\n3 99999999999999999999999\n",
       ":2: target is 99999999999999999999999 (ids are whole numbers from 0 to 2^63 - 2). Renumber the "
       "vertices."},
      {"a.txt", "GeneA GeneB\nGeneC GeneD\n",
       ":1: source is 'GeneA' (not a whole number). Name the file's format and columns, or read names by --names, "
       "names=True in Python (docs/names.md)."},
      {"a.txt", "1 2\n3 4 5\n",
       ":2: the line has 3 columns (those before have 2). If this is a list of neighbours, convert it to one "
       "edge a line."},
      {"a.txt", "1 2 3 4\n5 6 7\n8 9 1 2 3\n",
       ":1: lines differ in their number of columns (this looks like a list of neighbours, not of edges). "
       "Convert it to one edge a line."},
      {"a.txt", "0 5 6 1.5\n1 7 8 1.5\n2 9 5 1.5\n3 9 6 1.5\n",
       ":1: the first of 4 columns counts the lines (it looks like the number of the edge). Say which "
       "columns are source and target."},
      {"a.csv", "1,2\n3,,4\n",
       ":2: column 2 is empty (an edge needs it). Complete or remove the line, or leave such lines out: --missing "
       "drop, missing=\"drop\" in Python."},
      {"a.csv", "3,1,u,graph\n1,4\n", ":2: target is 4 (the header says ids 1 to 3). Correct the edge or the header."},
      {"a.csv", "3,2,u,graph\n1,3\n# and\n",
       ":1: the header promises 2 edges (the file has 1). The file is cut off, or its header is wrong."},
      {"a.csv", "3,1000000000000000000,u,graph\n1,3\n",
       ":1: the header promises 1000000000000000000 edges (a file of 34 bytes can hold 1 at most). The file "
       "is cut off, or its header is wrong."},
      {"a.txt", "3\n1\n0 3\n", ":3: target is 3 (the header says ids 0 to 2). Correct the edge or the header."},
      {"a.txt", "0\n2\n5 0\n0 5\n",
       ":3: source is 5 (the header says that there are no vertices). Correct the edge or the header."},
      {"a.txt", "0\n2\n5000000000 0\n0 5\n",
       ":3: source is 5000000000 (the header says that there are no vertices). Correct the edge or the header."},
      {"a.csv", "0,1,u,graph\n1,4\n",
       ":2: source is 1 (the header says that there are no vertices). Correct the edge or the header."},
      {"a.wel", "1 2 3\n1 2 nan\n", ":2: weight is 'nan' (weights are finite numbers). Remove the edge or correct it."},
      {"a.wel", "1 2 3\n1 2 -inf\n",
       ":2: weight is '-inf' (weights are finite numbers). Remove the edge or correct it."},
      {"a.wel", "1 2 3\n1 2 1e999\n", ":2: weight is '1e999' (beyond the range of a double). Scale the weights."},
      {"a.wel", "1 2 3\n1 2 heavy\n", ":2: weight is 'heavy' (not a number). Correct it, or read without weights."},
      {"a.wel", "1 2 3\n1 2\n", ":2: the line has 2 columns (an edge with its weight needs 3). Complete or remove it."},
      {"a.wel", "1 2\n",
       ":1: has no weights (the line has 2 columns). Name the column of the weights, or read without them."},
      {"a.txt",
       "1 2\n",
       ":1: has no weights (the line has 2 columns). Name the column of the weights, or read without them.",
       {.weights = ReadOptions::Weights::required}},
      {"a.dat", std::string("1 2\0\n", 5),
       ": is not text (there is a zero byte at 3) and its name does not say what it is. Name its format: "
       "auto edges matrix mtx metis dimacs graphalytics graph500 graph500-64 atoll."},
      {"a.txt",
       "\xff\xfe"
       "1 2\n",
       ":1: the text is UTF-16 or UTF-32 (by its first bytes). Convert it to UTF-8, as by iconv -f UTF-16 -t UTF-8."},
      // 2^53 + 1; larger even numbers and fractions are rounded like any double.
      {"a.wel",
       "1 2 9007199254740992\n1 2 9007199254740994\n3 4 09007199254740993.0\n3 5 9.007199254740993e15\n"
       "5 6 100000000000000000000\n7 8 9007199254740993\n",
       ":6: weight is '9007199254740993' (a double would round this whole number to 9007199254740992). Scale the "
       "weights, read without them, or write '9007199254740993.' if rounding will do."},
      {"a.csv", "1,2,-12345678901234567890\n",
       ":1: weight is '-12345678901234567890' (a double would round this whole number to -12345678901234567168). Scale "
       "the weights, read without them, or write '-12345678901234567890.' if rounding will do."},
      {"a.gr", "p sp 2 1\na 1 2 +0036028797018963969\n",
       ":2: weight is '+0036028797018963969' (a double would round this whole number to 36028797018963968). Scale "
       "the weights, read without them, or write '+0036028797018963969.' if rounding will do."},
      {"a.graph", "2 1 1\n2 9007199254740993\n1 9007199254740993\n",
       ":2: the weight of edge 1-2 is '9007199254740993' (not a finite number, or a whole one that a double would "
       "round). Correct it."},
      // Compressed files.
      {"a.txt.gz", "1 2\n",
       ": its first bytes are 31 20 (those of a .gz file are 1f 8b). Check how it was written, or rename "
       "it."},
      {"a.txt.zst", "1 2\n",
       ": its first bytes are 31 20 32 0a (those of a .zst file are 28 b5 2f fd). Check how it was written, "
       "or rename it."},
      {"a.txt.gz", gzip_member(""), ": holds no text (it unpacks to nothing). Check how it was written."},
      {"a.txt.zst", zstd_frame("1 2\nx\n"),
       ":2: source is 'x' (not a whole number). Name the file's format and columns, or read names by --names, "
       "names=True in Python (docs/names.md)."},
      {"a.txt.gz", gzip_member(many_lines(100000) + "1 -2\n" + many_lines(100000)),
       ":100001: target is -2 (ids are whole numbers from 0 to 2^63 - 2). Renumber the vertices."},
      {"a.txt.gz", cut_gz,
       ":29978: the gzip data ends early (the file has " + std::to_string(cut_gz.size()) +
           " bytes: a download or copy was cut off). Get the file again."},
      {"a.txt.gz", wrong_gz,
       ":30001: the gzip data is damaged before byte " + std::to_string(cut_gz.size() + 96) +
           " of the file (incorrect data check). Get the file again."},
      {"a.txt.zst", cut_zst,
       ":59998: the zstd data ends in the middle of a frame (the file has " + std::to_string(cut_zst.size()) +
           " bytes: a download or copy was cut off). Get the file again."},
      // Matrix Market.
      {"a.mtx", "1 2\n",
       ":1: begins with '1 2' (a Matrix Market file begins with '%%MatrixMarket matrix coordinate', its "
       "field and its symmetry). Name its format."},
      {"a.mtx", "%%MatrixMarket matrix array real general\n",
       ":1: the matrix is stored as 'array' (only coordinate lists the edges of a graph). Store it as "
       "coordinate."},
      {"a.mtx", "%%MatrixMarket matrix coordinate complex general\n",
       ":1: the entries are 'complex' (weights are real, integer, or none: pattern). Convert the matrix."},
      {"a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n",
       ":1: the matrix is 'skew-symmetric' (a graph is general or symmetric: elsewhere the two directions of "
       "an edge differ in sign). Store it as general."},
      {"a.mtx", kMtx, ":1: the file ends before the line of sizes (rows, columns, entries). The file is cut off."},
      {"a.mtx", kMtx + "3 4 1\n1 2\n",
       ":2: the matrix has 3 rows and 4 columns (the matrix of a graph is square). For a bipartite graph, "
       "number the columns after the rows."},
      {"a.mtx", kMtx + "3 3\n1 2\n",
       ":2: the line of sizes is '3 3' (it is rows, columns and entries: three whole numbers). Correct it."},
      {"a.mtx", kMtx + "3 3 -1\n1 2\n",
       ":2: the line of sizes is '3 3 -1' (it is rows, columns and entries: three whole numbers). Correct "
       "it."},
      {"a.mtx", kMtx + "0 0 0\n",
       ":2: the matrix has 0 rows (a graph has 1 to 2^63 - 2 vertices). Correct the header."},
      {"a.mtx", kMtx + "3 3 1000000000000000000\n1 2\n",
       ":2: the header promises 1000000000000000000 entries (a file of 77 bytes can hold 1 at most). The "
       "file is cut off, or its header is wrong."},
      {"a.mtx", kMtx + "3 3 99999999999999999999999999\n1 2\n",
       ":2: the header promises 9223372036854775807 entries (a file of 84 bytes can hold 1 at most). The "
       "file is cut off, or its header is wrong."},
      {"a.mtx", kMtx + "10 10 2\n% c\n1 2\n1 12\n",
       ":5: column is 12 (the header says 10 rows and columns). Ids in .mtx start at 1; was this file "
       "written from 0?"},
      {"a.mtx", kMtx + "10 10 2\n1 2\n0 2\n",
       ":4: row is 0 (the header says 10 rows and columns). Ids in .mtx start at 1; was this file written "
       "from 0?"},
      {"a.mtx", kMtx + "10 10 3\n1 2\n2 10\n%%%%\n",
       ":2: the header promises 3 entries (the file has 2). The file is cut off, or its header is wrong."},
      {"a.mtx", kMtx + "10 10 1\n1 2\n2 10\n",
       ":2: the header promises 1 entries (the file has 2). The file is cut off, or its header is wrong."},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2\n",
       ":2: the header promises 1 entries (a file of 56 bytes can hold 0 at most). The file is cut off, or "
       "its header is wrong."},
      {"a.mtx",
       kMtx + "3 3 1\n1 2\n",
       ":1: has no weights (the matrix is a pattern). Read it without them.",
       {.weights = ReadOptions::Weights::required}},
      {"a.mtx",
       "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n1 2\n",
       ":1: the matrix is symmetric (each entry is an edge of both directions). Leave out directed.",
       {.directed = true}},
      // DIMACS.
      {"a.gr", "c only\n",
       ":1: the file ends before its line 'p sp vertices arcs'. The file is cut off, or of another format."},
      {"a.gr", "p tw 3 2\n",
       ":1: the line is 'p tw 3 2' (a DIMACS file has 'p sp vertices arcs' before its arcs). Name the file's "
       "format."},
      {"a.gr", "p sp 3 1\n1 2 300\n",
       ":2: the line begins with '1' (an edge begins with 'a'). Correct or remove the line."},
      {"a.gr", "p sp 3 1\na 1 4 3\n",
       ":2: target is 4 (the header says 3 vertices). Ids in DIMACS files start at 1; was this file written "
       "from 0?"},
      {"a.gr", "p sp 3 2\na 1 2 3\n\n\n\n\n\n\n\n\n",
       ":1: the header promises 2 arcs (the file has 1). The file is cut off, or its header is wrong."},
      {"a.gr", "p sp 3 1\na 1 2\n\n\n",
       ":2: the line has 2 columns (an edge with its weight needs 3). Complete or remove it."},
      // METIS.
      {"a.graph", "3 x\n",
       ":1: the header is '3 x' (it is 'vertices edges [fmt [ncon]]', whole numbers). Name the file's "
       "format."},
      {"a.graph", "3 1 7\n2\n1\n\n",
       ":1: fmt is '7' (it is up to three digits 0 or 1: vertex sizes, vertex weights, edge weights). "
       "Correct the header."},
      {"a.graph", "1000000000000000000 1\n2\n1\n",
       ":1: the header promises 1000000000000000000 vertices, one a line, (a file of 26 bytes can hold 5 at "
       "most). The file is cut off, or its header is wrong."},
      {"a.graph", "4 1\n2\n1\n",
       ":1: the header promises 4 vertices, one a line (the file has 2 lines for them). The file is cut off, "
       "or its header is wrong."},
      {"a.graph", "3 1\n2\n1\n\n1\n",
       ":5: the line would be that of vertex 4 (the header says 3 vertices). Correct the header, or remove "
       "the line."},
      {"a.graph", "3 1\n2\n0\n\n",
       ":3: a neighbour of vertex 2 is 0 (the header says 3 vertices, numbered from 1). Was this file "
       "written from 0?"},
      {"a.graph", "3 1\n2\nx\n\n",
       ":3: a neighbour of vertex 2 is 'x' (not a whole number). Correct it, or name the file's format."},
      {"a.graph", "3 2\n2 3\n1\n\n",
       ":1: the header promises 2 edges (the lines have 3 entries: not twice as many). The file is cut off, "
       "or its header is wrong."},
      {"a.graph", "3 2\n2 3\n\n1 2\n",
       ": is not symmetric (2 entries name a larger id, 2 a smaller one, and they are not the same edges). "
       "An undirected edge stands in the lines of both its ends; read it as directed, or complete it."},
      {"a.graph", "2 1 1\n2 5\n1\n",
       ":3: the line of vertex 2 ends before the weight of the edge to 1 (fmt says that edges have weights). "
       "Complete it."},
      {"a.graph", "2 1 1\n2 5\n1 6\n",
       ": is not symmetric (1 entries name a larger id, 1 a smaller one, and they are not the same edges). "
       "An undirected edge stands in the lines of both its ends; read it as directed, or complete it."},
      // Graph500.
      {"a.g500", "0123456789012",
       ": has 13 bytes (edges of 12 bytes each leave a rest of 1). The file is cut off, or of another "
       "format."},
      {"a.g500-64", std::string(8, '\0') + std::string(8, '\xff'),
       ": edge 0 has the id -1 (ids are whole numbers from 0 to 2^63 - 2). Is the file of this format?"},
      // Our own format.
      {"a.atoll", "1 2\n", ": has 4 bytes (the header alone has 128). The file is cut off."},
      {"a.atoll", std::string(200, ' '), ": does not begin as an .atoll file does. Name its format."},
      {"a.txt", "1 2\n", "", {.format = "mtx2"}},
      {"a.txt", "1 2\n", "", {.source_column = "1", .target_column = "1"}},
  };
  return all;
}

}  // namespace

TEST_CASE("bad input gets a message with file, line, value, reason and remedy, the same on every rank") {
  for (const BadInput& bad : bad_inputs()) {
    Folder folder;
    const std::string path = folder.write(bad.name, bad.bytes);
    CAPTURE(bad.bytes.substr(0, 200));
    const std::string expected = bad.message.empty() ? "" : path + bad.message;
    for (const Rank ranks : {1, 2, 3, 5}) {
      const std::string message = refusal(path, ranks, bad.options);
      if (!expected.empty()) CHECK(message == expected);
      CHECK(message != "nothing");
    }
  }
}

TEST_CASE("the first wrong line of a file is reported, even if another thread finds a later one earlier") {
  Folder folder;
  std::string text;
  for (int i = 1; i <= 400000; ++i) text += i == 123457 || i == 123458 || i == 399999 ? "1 x\n" : "1 2\n";
  const std::string plain = folder.write("a.el", text), packed = folder.write("a.el.zst", zstd_frame(text));
  for (const std::string& path : {plain, packed})
    for (const Rank ranks : {1, 2, 3, 5})
      CHECK(refusal(path, ranks) == path +
                                        ":123457: target is 'x' (not a whole number). Name the file's format "
                                        "and columns, or read names by --names, names=True in Python (docs/names.md).");
}

TEST_CASE("a missing file is named, with a similar existing one") {
  Folder folder;
  folder.write("web-Stanford.txt.zst", zstd_frame("1 2\n"));
  CHECK(refusal(folder / "web-stanford.txt", 3) ==
        (folder / "web-stanford.txt") + ": no such file (its folder has web-Stanford.txt.zst). Did you mean that?");
  CHECK(refusal(folder / "web-Stanford.mtx", 2) ==
        (folder / "web-Stanford.mtx") + ": no such file (its folder has web-Stanford.txt.zst). Did you mean that?");
  CHECK(refusal(folder / "roads.gr", 2) ==
        fmt::format("{}: no such file (nothing in {} has a similar name). Check the path.", folder / "roads.gr",
                    std::filesystem::path(folder / "roads.gr").parent_path().string()));
  CHECK(refusal(folder / "no/roads.gr", 2) ==
        fmt::format("{0}/roads.gr: no such file (there is no folder {0}). Check the path.", folder / "no"));
}

TEST_CASE("a folder is rejected") {
  Folder folder;
  std::filesystem::create_directory(folder / "a.el");
  CHECK(refusal(folder / "a.el", 2) == (folder / "a.el") + ": is a folder (a file was expected). Name a file in it.");
}

TEST_CASE("a file without read permission is rejected") {
  if (geteuid() == 0) {
    MESSAGE("skipped: root may read everything");
    return;
  }
  Folder folder;
  const std::string path = folder.write("a.el", "1 2\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  CHECK(refusal(path, 2) ==
        path + ": cannot be opened (Permission denied). Check the permissions of the file and its folders.");
}

TEST_CASE("Graphalytics files must agree with their properties") {
  const auto write = [](const Folder& folder, const std::string& vertices, const std::string& edges,
                        const std::string& more) {
    folder.write("g.v", vertices);
    folder.write("g.e", edges);
    folder.write("g.properties",
                 "graph.g.vertex-file = g.v\ngraph.g.edge-file = g.e\ngraph.g.directed = true\n" + more);
  };
  const struct {
    const char *vertices, *edges, *more, *message;
  } cases[] = {
      {"1\n2\n", "1 2\n", "graph.g.meta.vertices = 3\n",
       "/g.properties: promises 3 vertices (FOLDER/g.v has 2). The file is cut off, or the number is wrong."},
      {"1\n2\n", "1 2\n", "graph.g.meta.edges = 3\n",
       "/g.properties: promises 3 edges (FOLDER/g.e has 1). The file is cut off, or the number is wrong."},
      {"1\nx\n", "1 2\n", "",
       "/g.v:2: vertex is 'x' (not a whole number). Name the file's format and columns, or read names by --names, "
       "names=True in Python (docs/names.md)."},
      {"1\n9223372036854775807\n", "1 2\n", "",
       "/g.v:2: vertex is 9223372036854775807 (ids are whole numbers from 0 to 2^63 - 2). Renumber the "
       "vertices."},
      {"1\n2\n", "1 2\n", "graph.g.edge-properties.names = weight\n",
       "/g.e:1: has no weights (the line has 2 columns). Name the column of the weights, or read without "
       "them."},
      {"1\n2\n", "1 2\n", "graph.g.edge-file = h.e\n",
       "/g.properties:4: edge-file is 'h.e' (there is no such file beside it). Correct it."},
      {"1\n2\n", "1 2\n", "graph.g.directed = yes\n",
       "/g.properties:4: directed is 'yes' (it is true or false). Correct it."},
  };
  for (const auto& c : cases) {
    Folder folder;
    write(folder, c.vertices, c.edges, c.more);
    const std::string root = std::filesystem::path(folder / "g").parent_path().string();
    std::string expected = root + c.message;
    if (const auto at = expected.find("FOLDER"); at != std::string::npos) expected.replace(at, 6, root);
    for (const Rank ranks : {1, 3}) CHECK(refusal(folder / "g", ranks) == expected);
  }
}
