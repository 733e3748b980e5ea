// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/version.hpp>
#include <csignal>
#include <cstdlib>

#include "prompt/foreign_verb.hpp"
#include "prompt/help.hpp"
#include "verbs.hpp"

namespace atl::cli {
namespace {

struct Verb {
  const char* name;
  const char* about;
  int (*run)(const Words&);
};

constexpr Verb kVerbs[] = {
    {"apsp", "ask a file of all pairs' distances: apsp query FILE --from 17 --to 42 --path", verb_apsp},
    {"bench", "measure this machine: bench exchange", verb_bench},
    {"completion", "what a shell needs to complete verbs and options: completion bash", verb_completion},
    {"convert", "a graph from one format into another: convert INPUT OUTPUT", verb_convert},
    {"doctor", "what this installation can do here, and how to get what is missing", verb_doctor},
    {"graph500", "the Graph500 benchmark: construction and 64 verified searches", verb_graph500},
    {"graphalytics", "a case of the LDBC Graphalytics benchmark, timed and checked", verb_graphalytics},
    {"info", "the job's ranks and hierarchy, and every knob of communication", verb_info},
    {"inspect", "what a graph holds, and the memory that a run would take", verb_inspect},
    {"map", "an order of ranks for a network, with its dilation and contention: map random:64:4 --export simgrid FILE",
     verb_map},
    {"model", "predict all-pairs shortest paths before a run: model predict apsp --n 4128768 --nodes 9216", verb_model},
    {"network",
     "distances and bisection of a network, and better ones of its degree: network random:64:4 --optimize aspl",
     verb_network},
    {"reorder", "new numbers for a graph's vertices, for locality: reorder INPUT OUTPUT --method rabbit", verb_reorder},
    {"run", "an algorithm on a graph: run bfs INPUT", verb_run},
    {"simulate", "predict a command on another machine: simulate --platform cluster:8x8x16 -- run bfs INPUT",
     verb_simulate},
    {"spmm-volume", "what a distributed sparse product moves, by strategy: spmm-volume INPUT --ranks 16 --workgroup 8",
     verb_spmm_volume},
    {"tune", "find what is fastest: tune gemm, or of any program: tune --command './prog {x}' --space FILE", verb_tune},
    {"verify", "whether a file holds an algorithm's answer: verify sssp INPUT RESULT --source 7", verb_verify},
};

bool is_own(const std::string& name) {
  return std::ranges::any_of(kVerbs, [&](const Verb& verb) { return name == verb.name; });
}

void print_help() {
  std::vector<std::pair<std::string, std::string>> own, foreign;
  for (const Verb& v : kVerbs) own.emplace_back(std::string("  ") + v.name, v.about);
  for (const auto& [name, about] : foreign_verbs())
    if (!is_own(name)) foreign.emplace_back("  " + name, about);
  print_result(fmt::format(
      "atoll {}: distributed graphs\n\nusage: atoll VERB [INPUT] [--option VALUE] [--ranks N] [--threads T] "
      "[--json FILE|-]\n\n{}{}{}\n`atoll VERB --help` tells more. Any atoll-VERB beside this program or on PATH is a "
      "verb, too.\n",
      kVersion, wrapped_table(own), foreign.empty() ? "" : "\nprograms of their own\n", wrapped_table(foreign)));
}

// Suggests the verb that the word may have been meant to be.
std::string nearest_verb(const std::string& word) {
  std::vector<std::string> known;
  for (const Verb& verb : kVerbs) known.emplace_back(verb.name);
  for (const auto& [name, about] : foreign_verbs())
    if (!is_own(name)) known.push_back(name);
  return nearest_of(word, known);
}

}  // namespace

int main(int argc, char** argv) {
  report_uncaught_lack_of_memory();
  result_file();
  setenv("HWLOC_HIDE_ERRORS", "2", 0);  // its complaint about a machine without /sys says nothing about a result
  std::signal(SIGPIPE, SIG_IGN);        // a reader that is gone is an error of the write: the job ends in order
  std::signal(SIGXFSZ, SIG_IGN);        // a file beyond `ulimit -f` is then an error of its write, which says so
  const Words words(argv + 1, argv + argc);
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_help();
    return words.empty() ? 2 : 0;
  }
  if (words[0] == "--version") {
    print_result(fmt::format("atoll {}\n", kVersion));
    return 0;
  }
  const Words rest(words.begin() + 1, words.end());
  for (const Verb& verb : kVerbs)
    if (words[0] == verb.name) return verb.run(rest);
  run_foreign_verb(words[0], rest);
  say("atoll: error: verb '{}' is unknown (`atoll --help` lists them{}). Choose one.\n", words[0],
      nearest_verb(words[0]));
  return 2;
}

}  // namespace atl::cli

int main(int argc, char** argv) {
  try {
    return atl::cli::main(argc, argv);
  } catch (...) {  // of what is said before a verb is known; verbs catch their own
    const atl::cli::Failure failure = atl::cli::current_failure();
    if (!failure.message.empty()) atl::cli::say("atoll: error: {}\n", failure.message);
    return failure.exit_code;
  }
}
