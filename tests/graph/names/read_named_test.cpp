// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/graph/names/read_named.hpp>
#include <map>

#include "graph/formats/files.hpp"
#include "shapes.hpp"

using namespace files;

namespace {

using NamedTuple = std::tuple<std::string, std::string, double>;

struct NamedContent {
  std::vector<NamedTuple> edges;
  std::vector<std::string> names;
  std::string columns;
  bool weighted = false, directed = true;
};

NamedContent content_of(World& world, const std::string& path, const ReadOptions& options) {
  const NamedEdges named = read_named_edges(world, path, options);
  const Gathered all = gather(world, named.edges);
  NamedContent content;
  for (Vertex id = 0; id < named.names->size(); ++id) content.names.emplace_back(named.names->name(id));
  for (const auto& [source, target, weight] : all.edges)
    content.edges.emplace_back(named.names->name(source), named.names->name(target), weight);
  std::sort(content.edges.begin(), content.edges.end());
  content.columns = named.edges.columns;
  content.weighted = all.weighted;
  content.directed = all.directed;
  REQUIRE(all.range->first == 0);
  REQUIRE(all.range->count == named.names->size());
  return content;
}

NamedContent read_names(const std::string& path, Rank ranks = 1, const ReadOptions& options = {}) {
  NamedContent content;
  run_ranks(ranks, two_threads(), [&](World& world) {
    NamedContent mine = content_of(world, path, options);
    if (world.rank() == 0) content = std::move(mine);
  });
  return content;
}

std::string refusal_of(const std::string& path, Rank ranks, const ReadOptions& options = {}) {
  std::vector<std::string> messages(static_cast<std::size_t>(ranks));
  run_ranks(ranks, two_threads(), [&](World& world) {
    std::string& message = messages[static_cast<std::size_t>(world.rank())];
    try {
      read_named_edges(world, path, options);
      message = "nothing";
    } catch (const Error& e) {
      message = e.what();
    }
    world.barrier();
  });
  for (const std::string& message : messages)
    if (message != messages[0]) return "not the same: " + messages[0] + " | " + message;
  return messages[0];
}

const std::vector<NamedTuple> kThree = {{"BRCA1", "TP53", 2}, {"MDM2", "solute carrier 6", 1}, {"TP53", "MDM2", 0.5}};
const std::vector<std::string> kNames = {"BRCA1", "MDM2", "TP53", "solute carrier 6"};

}  // namespace

TEST_CASE("the dialects of a list of names are told by its first lines") {
  struct Dialect {
    std::string name, text, columns;
    ReadOptions options = {};
  };
  const std::string heads = "source 'source' (column 1), target 'target' (column 2), weight 'weight' (column 3)",
                    numbers = "source in column 1, target in column 2, weight in column 3";
  const std::vector<Dialect> dialects = {
      {"a.tsv", "source\ttarget\tweight\nBRCA1\tTP53\t2\nTP53\tMDM2\t0.5\nMDM2\tsolute carrier 6\t1\n", heads},
      {"a.tsv", "BRCA1\tTP53\t2\nTP53\tMDM2\t0.5\nMDM2\tsolute carrier 6\t1\n", numbers},
      {"a.csv", "BRCA1,TP53,2\r\nTP53 , MDM2,0.5\r\n\r\nMDM2,\"solute carrier 6\",1", numbers},
      {"a.csv", "source,target,weight\n\"BRCA1\",\"TP53\",2\n\"TP53\",MDM2,\"0.5\"\nMDM2,solute carrier 6,1\n", heads},
      {"a.txt", "# of a paper\n% too\n\nBRCA1 TP53 2\nTP53   MDM2\t0.5\nMDM2 \"solute carrier 6\" 1\n", numbers},
      {"a.txt", "BRCA1;TP53;2\nTP53;MDM2;0.5\nMDM2;solute carrier 6;1\n", numbers},
      {"a.txt", "BRCA1|TP53|2\nTP53|MDM2|0.5\nMDM2|solute carrier 6|1\n", numbers},
      {"a.csv",
       "\xef\xbb\xbf"
       "BRCA1,TP53,2\nTP53,MDM2,0.5\nMDM2,solute carrier 6,1\n",
       numbers},
      {"s.txt", "protein1 protein2 combined_score\nBRCA1 TP53 2\nTP53 MDM2 0.5\nMDM2 \"solute carrier 6\" 1\n",
       "source 'protein1' (column 1), target 'protein2' (column 2), weight 'combined_score' (column 3)"},
      {"c.csv",
       "id,km,from,to\n7,2,BRCA1,TP53\n8,0.5,TP53,MDM2\n9,1,MDM2,solute carrier 6\n",
       "source 'from' (column 3), target 'to' (column 4), weight 'km' (column 2)",
       {.weight_column = "km"}},
      {"c.csv",
       "7,2,BRCA1,TP53\n8,0.5,TP53,MDM2\n9,1,MDM2,solute carrier 6\n",
       "source in column 3, target in column 4, weight in column 2",
       {.source_column = "3", .target_column = "4", .weight_column = "2"}},
  };
  const Folder folder;
  for (const Dialect& d : dialects) {
    CAPTURE(d.text);
    const NamedContent content = read_names(folder.write(d.name, d.text), 2, d.options);
    CHECK(content.edges == kThree);
    CHECK(content.names == kNames);
    CHECK(content.columns.starts_with(d.columns + "; cut by "));
    CHECK(content.columns.ends_with("; directed"));
    CHECK(content.weighted);
  }
}

TEST_CASE("headings are taken for an edge, and an edge for headings, where the caller says so") {
  const Folder folder;
  const std::string path = folder.write("g.txt", "gene other\nTP53 MDM2\n");
  CHECK(read_names(path).edges.size() == 2);
  CHECK(read_names(path, 1, {.headings = true}).edges == std::vector<NamedTuple>{{"TP53", "MDM2", 1}});
  const std::string words = folder.write("w.txt", "from to\nto from\n");
  CHECK(read_names(words).edges.size() == 1);
  CHECK(read_names(words, 1, {.headings = false}).edges.size() == 2);
  // A value that is missing is no heading, and the letters of small examples are none.
  CHECK(read_names(folder.write("a.txt", "a b\nb c\n")).edges.size() == 2);
  CHECK(refusal_of(folder.write("n.txt", "a b NA\nb c 5\n"), 1, {.weight_column = "3"}).find(":1: weight is 'NA' (") !=
        std::string::npos);
}

TEST_CASE("a quote within a field is a character") {
  const Folder folder;
  const auto tabs = read_names(folder.write("pipes.tsv", "5\" pipe\tvalve\n6\" pipe\tpump\n"));
  CHECK(tabs.names == std::vector<std::string>{"5\" pipe", "6\" pipe", "pump", "valve"});
  const auto commas = read_names(folder.write("pipes.csv", "5\" pipe,valve\n\"a, \"\"b\"\"\",6\"\n"));
  CHECK(commas.names == std::vector<std::string>{"5\" pipe", "6\"", "a, \"b\"", "valve"});
}

TEST_CASE("quotes hold separators, quotes and nothing") {
  const Folder folder;
  const NamedContent content =
      read_names(folder.write("q.csv", "\"IL-2, receptor\",\"5\"\" cut\"\n\"\",\" x \"\n\"#tag\",M\xc3\xbcller\n"), 3);
  CHECK(content.edges ==
        std::vector<NamedTuple>{{"", " x ", 1}, {"#tag", "Müller", 1}, {"IL-2, receptor", "5\" cut", 1}});
  CHECK(content.names == std::vector<std::string>{"", " x ", "#tag", "5\" cut", "IL-2, receptor", "Müller"});
}

TEST_CASE("the ids are the same on every machine, plain and packed") {
  const Folder folder;
  for (const int lines : {1, 2, 7, 30000}) {
    std::string text;
    std::map<std::string, int> seen;
    std::vector<NamedTuple> edges;
    for (int i = 0; i < lines; ++i) {
      const auto name = [&](std::uint64_t k) {
        return fmt::format("vertex {}", random_at(k, static_cast<std::uint64_t>(i)) % 5003);
      };
      const std::string a = name(1), b = name(2);
      text += fmt::format("{},{},{}\n", a, b, i);
      ++seen[a];
      ++seen[b];
      edges.emplace_back(a, b, i);
    }
    std::sort(edges.begin(), edges.end());
    for (const auto& [file, bytes] :
         {std::pair("e.csv", text), {"e.csv.gz", gzip_member(text)}, {"e.csv.zst", zstd_frame(text)}}) {
      const std::string path = folder.write(file, bytes);
      for (const Rank ranks : shapes::kRanks) {
        const NamedContent content = read_names(path, ranks);
        CHECK(content.edges == edges);
        REQUIRE(content.names.size() == seen.size());
        CHECK(std::equal(content.names.begin(), content.names.end(), seen.begin(),
                         [](const std::string& name, const auto& pair) { return name == pair.first; }));
      }
    }
  }
}

TEST_CASE("a hundred thousand names over three ranks") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += fmt::format("n{}\tn{}\n", i, (i + 1) % 100000);
  const NamedContent content = read_names(folder.write("ring.tsv", text), 3);
  CHECK(content.names.size() == 100000);
  CHECK(content.edges.size() == 100000);
  CHECK(std::is_sorted(content.names.begin(), content.names.end()));
}

TEST_CASE("the first wrong line is named, the same on all ranks") {
  const std::string good = "a\tb\t1\n";
  std::string many;
  for (int i = 0; i < 50000; ++i) many += good;
  struct Wrong {
    std::string text, message;
    ReadOptions options = {};
  };
  const std::vector<Wrong> all = {
      {good + "a\tb\n",
       ":2: the line has 2 columns (the first edge's has 3). Complete it, or put a name that holds '\\x09' in quotes."},
      {many + "a\tb\tc\td\n" + many + "x\n", ":50001: the line has 4 columns (the first edge's has 3)"},
      {good + "a\t\t1\n",
       ":2: column 2 is empty (an edge needs it). Complete or remove the line, or leave such lines out: "
       "--missing drop, missing=\"drop\" in Python; the empty name is written \"\"."},
      {good + "a\tb\tx\n", ":2: weight is 'x' (not a number)"},
      {many + "a\tb\t0,5\n", ":50001: weight is '0,5' (the first lines have decimal points"},
      {good + "a\tb\tnan\n", ":2: weight is 'nan' (weights are finite numbers)"},
      {good + "\"a\tb\t1\n", ":2: a quote is not closed on its line"},
      {good + "\"a\"x\tb\t1\n", ":2: text follows a closing quote"},
      {good + "# end\tx\t1\n", ":2: the line begins with # (comments stand before the first edge)"},
      {good + "M\xfcller\tb\t1\n", ":2: the name 'M\\xfcller' is no UTF-8"},
      {"# nothing\n\n", ": holds no edge (its 2 lines are comments or blank)"},
      {"source\ttarget\n", ": holds no edge (its only line is taken as headings: source, target)"},
      {"alone\n",
       ":1: the line has 1 column (an edge needs 2). Complete it, or name the columns; fields are cut by blanks."},
      {good + good, ":1: the source column is 'gene' (the columns are: 'a', 'b', '1')", {.source_column = "gene"}},
      {"a\tb\nb\tc\n", ": has no weights (the line has 2 columns", {.weights = ReadOptions::Weights::required}},
  };
  const Folder folder;
  for (const Wrong& w : all)
    for (const Rank ranks : {1, 3}) {
      const std::string path = folder.write("x.tsv", w.text), said = refusal_of(path, ranks, w.options);
      const bool line_then = said.starts_with(path) && said.find(w.message) != std::string::npos;
      CHECK_MESSAGE(line_then, said, " instead of ", w.message);
    }
}

TEST_CASE("files of numbers are refused, and options hold") {
  const Folder folder;
  CHECK(refusal_of(folder.write("m.mtx", "%%MatrixMarket matrix\n"), 2).find("is mtx, whose vertices are numbers") !=
        std::string::npos);
  CHECK(refusal_of(folder.write("z.txt", std::string("a\0b", 3)), 2).find("is not text") != std::string::npos);
  const std::string markup = folder.write("g.txt", "<?xml version=\"1.0\"?>\n<graphml xmlns=\"x\">\n");
  for (const Rank ranks : {1, 3})
    CHECK(refusal_of(markup, ranks) ==
          markup +
              ": this is GraphML (names are read from lists of edges). Convert it to one, or name it so if it is "
              "one: --format edges.");
  CHECK(read_names(markup, 1, {.format = "edges"}).edges.size() == 2);
  CHECK(read_names(folder.write("genes.tsv", "PAR1\tF2R\n")).names == std::vector<std::string>{"F2R", "PAR1"});
  CHECK(read_names(folder.write("uris.txt", "<http://a/> <http://b>\n")).names.size() == 2);
  const std::string path = folder.write("e.txt", "a b 2\n");
  CHECK_FALSE(read_names(path, 2, {.weights = ReadOptions::Weights::none}).weighted);
  CHECK_FALSE(read_names(path, 2, {.directed = false}).directed);
  CHECK(refusal_of(path, 2, {.source_column = "2", .target_column = "2"}).find("source and target are both column 2") !=
        std::string::npos);
}

TEST_CASE("a square table with names is a matrix") {
  const Folder folder;
  const std::vector<NamedTuple> path = {{"A", "B", 1}, {"B", "A", 1}, {"B", "C", 2}, {"C", "B", 2}};
  for (const char* text :
       {",A,B,C\nA,0,1,0\nB,1,0,2\nC,0,2,0\n", "A,B,C\nA,0,1,0\nB,1,0,2\nC,0,2,0\n", "A,B,C\n0,1,0\n1,0,2\n0,2,0\n",
        "A,0,1,0\nB,1,0,2\nC,0,2,0\n", "x;A;B;C\nA;;1;\nB;1;;2\nC;;2;\n"})
    for (const Rank ranks : {1, 3}) {
      CAPTURE(std::string(text));
      const NamedContent content = read_names(folder.write("m.csv", text), ranks);
      CHECK(content.edges == path);
      CHECK(content.names == std::vector<std::string>{"A", "B", "C"});
      CHECK(content.columns.starts_with("an adjacency matrix of 3 rows"));
    }
  const std::string unordered = ",A,B,C\nA,0,1,0\nC,0,1,0\nB,1,0,1\n";
  CHECK(read_names(folder.write("e.csv", "C,B,A\n\"C\",0,1,0\nB,1,0,1\nA,0,1,0\n")).edges.size() == 4);
  CHECK(refusal_of(folder.write("u.csv", unordered), 2).find("(a matrix, or edges?)") != std::string::npos);
}

TEST_CASE("decimal commas, headings of triples and data of edges are those of numbers") {
  const Folder folder;
  const std::vector<NamedTuple> three = {{"a", "b", 3.5}, {"a", "c", 9}, {"b", "c", 1.25}};
  for (const char* text :
       {"a;b;3,5\nb;c;1,25\na;c;9,0\n", "a b {'weight': 3.5}\nb c {'weight': 1.25}\na c {'weight': 9}\n",
        "source,target,weight\ra,b,3.5\rb,c,1.25\ra,c,9\r", "sep=;\na;b;3,5\nb;c;1,25\na;c;9\n"}) {
    CAPTURE(std::string(text));
    CHECK(read_names(folder.write("t.txt", text), 2).edges == three);
  }
  const std::vector<NamedTuple> triples = {{"EGFR", "MDM2", 1}, {"TP53", "EGFR", 1}};
  for (const char* text : {"head,relation,tail\nTP53,binds,EGFR\nEGFR,cuts,MDM2\n",
                           "subject,predicate,object\nTP53,binds,EGFR\nEGFR,cuts,MDM2\n"})
    CHECK(read_names(folder.write("t.csv", text)).edges == triples);
  CHECK(refusal_of(folder.write("t.csv", "a|b;c|d\na|b;c|d\n"), 2).find("--delimiter") != std::string::npos);
}

TEST_CASE("names beside a graph fit its ids, or are refused") {
  run_ranks(3, two_threads(), [&](World& world) {
    const auto edges_to = [&](Vertex last) {
      EdgeList edges;
      Array<std::uint32_t> source(world.rank() == 0 ? 1 : 0, 0),
          target(source.size(), static_cast<std::uint32_t>(last));
      edges.source = std::move(source);
      edges.target = std::move(target);
      edges.name = "g.el";
      return edges;
    };
    const Dictionary names = [&] {
      Array<std::uint64_t> offsets(3);
      for (std::size_t k = 0; k < 3; ++k) offsets[k] = k;
      Array<char> bytes(2);
      bytes[0] = 'a';
      bytes[1] = 'b';
      return Dictionary(std::move(offsets), std::move(bytes));
    }();
    EdgeList fits = edges_to(1), beyond = edges_to(2), longer = edges_to(1);
    longer.range = IdRange{0, 3};
    CHECK_THROWS_WITH_AS(give_names(world, longer, names, "g.el.names"),
                         "g.el: has the vertices 0 to 2 (g.el.names has 2 names, for 0 to 1). Are they of one graph?",
                         InputError);
    give_names(world, fits, names, "g.el.names");
    CHECK(fits.range->count == 2);
    CHECK_THROWS_WITH_AS(give_names(world, beyond, names, "g.el.names"),
                         "g.el: vertex 2 has no name (g.el.names has 2, for 0 to 1). Are they of one graph?",
                         InputError);
  });
}

TEST_CASE("names above two columns that may be two friends as well are refused, the same on all ranks") {
  const Folder folder;
  const std::string file = folder.write("a.csv", "person,friend\nAnn,Bob\nCid,Dan\n");
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, {}, [&](World& world) {
      CHECK_THROWS_WITH_AS(
          has_names(world, file, {}),
          (file + ":1: the line is 'person,friend' (headings, or an edge between names that no other line "
                  "has?). Say --headings yes or --headings no, headings=True or headings=False in Python.")
              .c_str(),
          UsageError);
    });
}

TEST_CASE("lines that lack an end or the weight are left out and counted, or refused") {
  const std::string text =
      "caller,callee,minutes\nAnn,Bob,4.5\n,Cid,1\nDora,NA,2\nEve,\"NA\",3\nFinn,Gus,\nGus,Ann,nan\nHal,Ann,7\n";
  const Folder folder;
  const std::string path = folder.write("calls.csv", text);
  const std::string columns = "source 'caller' (column 1), target 'callee' (column 2), ";
  const auto drop = ReadOptions::Missing::drop;
  for (const Rank ranks : {1, 3}) {
    const NamedContent weighted = read_names(path, ranks, {.weight_column = "minutes", .missing = drop});
    CHECK(weighted.edges == std::vector<NamedTuple>{{"Ann", "Bob", 4.5}, {"Eve", "NA", 3}, {"Hal", "Ann", 7}});
    CHECK(weighted.names == std::vector<std::string>{"Ann", "Bob", "Eve", "Hal", "NA"});
    CHECK(weighted.columns ==
          columns +
              "weight 'minutes' (column 3); cut by commas; directed; 4 of 7 lines left out, where an end or the "
              "weight is missing");
    const NamedContent plain = read_names(path, ranks, {.weights = ReadOptions::Weights::none, .missing = drop});
    CHECK(plain.edges.size() == 5);
    CHECK(plain.columns == columns +
                               "no weight; cut by commas; not used: column 3; directed; 2 of 7 lines left out, "
                               "where an end or the weight is missing");
    CHECK(refusal_of(path, ranks) ==
          path +
              ":3: column 1 is empty (an edge needs it). Complete or remove the line, or leave such lines out: "
              "--missing drop, missing=\"drop\" in Python; the empty name is written \"\".");
    CHECK(refusal_of(folder.write("none.csv", "caller,callee\n,Bob\nAnn,\n"), ranks, {.missing = drop})
              .find("an end or the weight is missing in all of its 2 edges") != std::string::npos);
  }
}

TEST_CASE("lines of ids that lack an end or the weight are left out and counted") {
  const Folder folder;
  const std::string path = folder.write("a.csv", "from,to,km\n1,2,0.5\n,3,1\n3,NaN,1\n4294967296,1,None\n3,4,2\n");
  for (const Rank ranks : {1, 2}) {
    for (const bool weighted : {true, false}) {
      run_ranks(ranks, two_threads(), [&](World& world) {
        const ReadOptions options{.weights = weighted ? ReadOptions::Weights::automatic : ReadOptions::Weights::none,
                                  .weight_column = weighted ? "km" : "",
                                  .missing = ReadOptions::Missing::drop};
        const Gathered all = gather(world, read_edges(world, path, options));
        if (world.rank() != 0) return;
        CHECK(all.edges.size() == (weighted ? 2 : 3));
        CHECK(all.weighted == weighted);
      });
    }
  }
}
