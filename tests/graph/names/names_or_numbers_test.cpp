// SPDX-License-Identifier: Apache-2.0
// Whether a list of edges has names or numbers.
#include <doctest/doctest.h>

#include <atoll/graph/names/read_named.hpp>

#include "graph/formats/files.hpp"

using namespace files;

TEST_CASE("names are taken where the first lines leave no doubt") {
  struct Look {
    std::string name, text;
    bool named;
    ReadOptions options = {};
  };
  const std::vector<Look> looks = {
      {"a.csv", "caller,callee,date,minutes\nAnn,Bob,2026-03-01,5\nCid,Dan,2026-03-02,\n", true},
      {"a.csv", "caller,callee\n,Bob\nCid,\n7,Dan\n", true},
      {"a.tsv", "BRCA1\tTP53\t0.5\nTP53\tMDM2\t2\n", true},
      {"a.tsv", "Ann\t17\nBob\t17\n", true},
      {"a.csv", ",x,y\nx,0,1\ny,1,0\n", true},
      {"a.csv", "from,to\n1,2\n2,NA\n", false},
      {"a.txt", "1 2\n2 3\nx4 5\n3 1\n", false},
      {"a.csv", "1,2\n-3,4\n2,1.5\n", false},
      {"a.csv", "person,friend\nAnn,Bob\nCid,Dan\n", true, {.headings = true}},
      // Triples, arcs of DIMACS and prose, whose first two columns are no ends.
      {"a.tsv", "Ann\tknows\tBob\nBob\tknows\tCid\n", false},
      {"a.txt", "a 1 2 5\na 2 3 5\n", false},
      {"a.txt", "This is a text.\nIt has words.\n", false},
      {"a.csv", "1,2,red\n2,3,blue\n", false},
      {"a.csv", ",x,y\n1,0,1\n2,1,0\n", false},
      // Zeros in front, which a number would lose: of ids, and not of weights or of what is behind a decimal comma.
      {"a.csv", "from,to\n0001,0002\n0002,0010\n", true},
      {"a.csv", "0001,0002\n0003,0004\n", true},
      {"a.txt", "1 2\n2 03\n", true},
      {"a.tsv", "zip\tother\tmiles\n02134\t10001\t190\n10001\t60601\t\n", true},
      {"a.csv", ",01,02\n01,0,1\n02,1,0\n", true},
      {"a.csv", "00,1\n1,2\n", true},
      {"a.csv", "0,1\n1,0\n", false},
      {"a.csv", "1,2,007\n2,3,010\n", false},
      {"a.txt", "1 2 0,05\n2 3 0,75\n", false},
      {"a.txt", "01 02 0,05\n02 03 0,75\n", false},
      {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", false},
  };
  const Folder folder;
  for (const Look& look : looks) {
    CAPTURE(look.text);
    const std::string path = folder.write(look.name, look.text);
    run_ranks(2, two_threads(), [&](World& world) {
      const bool named = has_names(world, path, look.options);
      world.agree(named == look.named, named ? "it is said to have names" : "it is said to have none");
    });
  }
}

TEST_CASE("ids with zeros in front are names, or numbers where that is said, and refused behind the first lines") {
  const Folder folder;
  const std::string zips = folder.write("zips.csv", "from,to,weight\n02134,2134,1\n02134,10001,190\n10001,2134,191\n");
  std::string late = "1 2\n", weighted = "1,2,0.5\n", odd = "a,b,c\n9,1,2\n";
  for (int k = 0; k < 3000; ++k) {
    late += fmt::format("{} {}\n", k, k + 1);
    weighted += fmt::format("{},{},{}\n", k, k + 1, "007");
    odd += fmt::format("9,{},{}\n", k, k + 1);
  }
  const std::vector<std::pair<std::string, ReadOptions>> files = {
      {folder.write("late.txt", late + "7 0012\n"), {}},
      {folder.write("first.txt", late + "0012 7\n"), {}},
      {folder.write("weighted.csv", weighted + "7,0012,3\n"), {}},
      {folder.write("odd.csv", odd + "9,7,0012\n"), {.source_column = "2", .target_column = "3"}}};
  for (const Rank ranks : {1, 2, 3, 5})
    run_ranks(ranks, two_threads(), [&](World& world) {
      const NamedEdges named = read_names_or_ids(world, zips, has_names(world, zips));
      world.agree(named.names && named.names->size() == 3, "02134, 10001 and 2134 are three names");
      const EdgeList numbers = read_edges(world, zips, {.leading_zeros = true});
      world.agree(gather(world, numbers).sorted().edges ==
                      std::vector<EdgeTuple>({{2134, 2134, 1}, {2134, 10001, 190}, {10001, 2134, 191}}),
                  "as numbers they lose their zeros");
      for (auto [path, options] : files) {
        world.agree(!has_names(world, path, options), path + ": its first lines are numbers");
        std::string message;
        try {
          read_edges(world, path, options);
        } catch (const InputError& e) {
          message = e.what();
        }
        world.agree(
            message.find(" is 0012 (with its zeros it is a name, and without them a number). Read names by "
                         "--names, names=True in Python. Or read numbers by --no-names, names=False in Python.") !=
                std::string::npos,
            path + ": " + message);
        options.leading_zeros = true;
        const EdgeList edges = read_edges(world, path, options);
        world.agree(world.sum(static_cast<std::int64_t>(edges.size())) >= 3001, path + ": all edges are numbers");
      }
    });
}
