// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

struct Bench {
  const char* name;
  const char* what;
  int (*run)(const Words& words);
};
constexpr Bench kBenches[] = {
    {"exchange", "small records between all ranks, beside MPI_Alltoallv", bench_exchange},
    {"queue", "latency and rate of single messages, beside bare MPI", bench_queue},
    {"messages", "rows one by one and many to a message, across each level of the hierarchy", bench_messages},
    {"gemm", "products of matrices over semirings, beside the processor's peak", bench_gemm},
    {"device", "products over min_plus and all pairs on a GPU, beside its limits", bench_device},
    {"grid", "all pairs over grids of ranks that are not here: scaling, uneven links", bench_grid},
    {"spmm", "products of a sparse and a dense matrix on one rank, beside the reading of random rows", bench_spmm},
    {"levels", "the time of a level with nearly nothing in it: its steps, and searches along a path", bench_levels},
    {"programs", "vertex programs of a few lines, beside the library's searches and components", bench_programs},
    {"replay", "the kept traffic of a run, over another route or network", bench_replay},
    {"memory", "communication memory where every vertex is active, beside RMA windows", bench_memory},
};

std::string help() {
  std::string text = "usage: atoll bench WHAT [--option VALUE]\n\n";
  for (const Bench& b : kBenches) text += fmt::format("  {:<9} {}\n", b.name, b.what);
  return text;
}

}  // namespace

int verb_bench(const Words& words) {
  for (const Bench& b : kBenches)
    if (!words.empty() && words[0] == b.name) return b.run(Words(words.begin() + 1, words.end()));
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    print_result(help());
    return 0;
  }
  say("atoll: error: {} (bench needs one of those below). Choose one.\n{}",
      words.empty() ? std::string("nothing to measure is named") : "bench '" + words[0] + "' is unknown", help());
  return 2;
}

}  // namespace atl::cli
