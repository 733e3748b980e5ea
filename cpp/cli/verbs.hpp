// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

/// One function per verb, each in a file of its own; main.cpp has the table.
namespace atl::cli {

int verb_apsp(const Words& words);
int apsp_query(const Words& words);
int verb_bench(const Words& words);
int bench_exchange(const Words& words);
int bench_device(const Words& words);
int bench_gemm(const Words& words);
int bench_grid(const Words& words);
int bench_levels(const Words& words);
int bench_programs(const Words& words);
int bench_memory(const Words& words);
int bench_messages(const Words& words);
int bench_queue(const Words& words);
int bench_replay(const Words& words);
int bench_spmm(const Words& words);
int verb_completion(const Words& words);
int verb_convert(const Words& words);
int verb_doctor(const Words& words);
int verb_graph500(const Words& words);
int verb_graphalytics(const Words& words);
int verb_inspect(const Words& words);
int verb_info(const Words& words);
int verb_map(const Words& words);
int map_measured(const Words& words);
int verb_model(const Words& words);
int model_fit(const Words& words);
int verb_network(const Words& words);
int verb_reorder(const Words& words);
int verb_simulate(const Words& words);
int verb_spmm_volume(const Words& words);
int verb_run(const Words& words);
int verb_tune(const Words& words);
int verb_verify(const Words& words);
int run_apsp(const Words& words);
int run_gcn(const Words& words);
int run_path(const Words& words);
int run_similar(const Words& words);
int run_spmm(const Words& words);
int run_walks(const Words& words);

}  // namespace atl::cli
