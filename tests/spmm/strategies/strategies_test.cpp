// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/spmm/spmm_product.hpp>

#include "shapes.hpp"
#include "spmm/dense_part.hpp"
#include "spmm/spmm_cases.hpp"

using namespace atl;
using dense_part::Part;
using dense_part::wrong_in;
using spmm_cases::Job;
using spmm_cases::kJobs;
using spmm_cases::plan_of;
using spmm_cases::strategies;

namespace {

bool has(const SpmmStrategy& strategy, Reduce reduce) {
  return strategy.algorithm == SpmmStrategy::Algorithm::rows_1d || reduce == Reduce::sum || reduce == Reduce::mean;
}

}  // namespace

TEST_CASE("distributed products equal their definition on any ranks and domains, of any width, by any strategy") {
  for (const Job& job : kJobs) {
    if (shapes::kSanitized && job.ranks > 9) continue;
    CAPTURE(job.ranks);
    CAPTURE(std::string(job.domains));
    run_ranks(job.ranks, plan_of(job), [&](World& world) {
      const Blocks blocks = random_rows::blocks(world.size());
      const auto own = blocks.size(world.rank());
      for (const SpmmStrategy& strategy : strategies())
        for (const Reduce reduce : {Reduce::sum, Reduce::mean, Reduce::max, Reduce::min}) {
          if (!has(strategy, reduce)) continue;
          const bool weighted = reduce != Reduce::mean;
          CAPTURE(std::string(strategy.name));
          SpmmProduct<float> spmm(world, random_rows::rows<float>(blocks, world.rank(), weighted), strategy,
                                  {.reduce = reduce});
          for (const std::int64_t columns : {1, 3, 32, 65, 128}) {
            if (shapes::kSanitized && columns == 128) continue;
            CAPTURE(columns);
            Part<float> b(own, columns), c(own, columns);
            b.fill(blocks.begin(world.rank()), 1);
            spmm(b.view(), c.view());
            CHECK(wrong_in(c.view(), blocks, world.rank(), 1, reduce, weighted) == 0);
            for (std::int64_t i = 0; i < own; ++i) CHECK(c.view().data[i * c.stride + columns] == -77);
          }
        }
    });
  }
}

TEST_CASE("any strategy over workgroups of any size, the last with what is left") {
  for (const Rank ranks : {6, 8, 16})
    for (Rank size = 1; size <= ranks; ++size) {
      if (shapes::kSanitized && (ranks > 8 || size % 3 != 1)) continue;
      CAPTURE(ranks);
      CAPTURE(size);
      const std::string domains = dense_part::workgroups(ranks, size);
      run_ranks(ranks, plan_of({ranks, domains.c_str(), 1}), [&](World& world) {
        const Blocks blocks = random_rows::blocks(world.size());
        const auto own = blocks.size(world.rank());
        for (const SpmmStrategy& strategy : strategies()) {
          CAPTURE(std::string(strategy.name));
          SpmmProduct<double> spmm(world, random_rows::rows<double>(blocks, world.rank()), strategy);
          Part<double> b(own, 5), c(own, 5);
          b.fill(blocks.begin(world.rank()), 1);
          spmm(b.view(), c.view());
          CHECK(wrong_in(c.view(), blocks, world.rank(), 1, Reduce::sum, true) == 0);
        }
      });
    }
}

TEST_CASE("a hundred products by each strategy, each with its own B, over small, delayed and shuffled buffers") {
  const int calls = shapes::kSanitized ? 20 : 100;
  for (const shapes::Shape& shape : shapes::buffers())
    for (const char* domains : {"", "2x2"}) {
      CAPTURE(shape.name);
      CAPTURE(std::string(domains));
      Plan plan = shape.plan;
      plan.domains = domains;
      run_ranks(4, plan, [&](World& world) {
        const Blocks blocks = random_rows::blocks(world.size());
        const auto own = blocks.size(world.rank());
        const auto right = [&](int call) {
          Part<double> c(own, 3);
          for (std::int64_t i = 0; i < own; ++i)
            for (std::int64_t j = 0; j < 3; ++j)
              c.view()(i, j) =
                  dense_part::expected(blocks.begin(world.rank()) + i, blocks.count(), j, call, Reduce::sum, true);
          return c.values;
        };
        std::vector<std::vector<double>> wanted;
        for (int call = 0; call < calls; ++call) wanted.push_back(right(call));
        for (const SpmmStrategy& strategy : strategies()) {
          CAPTURE(std::string(strategy.name));
          SpmmProduct<double> spmm(world, random_rows::rows<double>(blocks, world.rank()), strategy);
          Part<double> b(own, 3), c(own, 3);
          int wrong = 0;
          for (int call = 0; call < calls; ++call) {
            b.fill(blocks.begin(world.rank()), call);
            spmm(b.view(), c.view());
            wrong += c.values != wanted[static_cast<std::size_t>(call)];
            b.fill(blocks.begin(world.rank()), -1);  // B may change as soon as the product is there
          }
          CHECK(wrong == 0);
        }
      });
    }
}
