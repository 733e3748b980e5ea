// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/isa/isa.hpp>
#include <atoll/base/random.hpp>
#include <atoll/engine/mirror_bits.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <string>
#include <vector>

#include "shapes.hpp"

using namespace atl;

namespace {

// Chooses vertices pseudo-randomly: `share` of 64.
bool chosen(Vertex id, std::uint64_t round, std::uint64_t share) {
  return random_at(round, static_cast<std::uint64_t>(id)) % 64 < share;
}

void check_bits(World& world, const char* text) {
  const Graph graph = Graph::build(world, generate(world, text));
  MirrorBits mirror_bits(graph);
  VertexBits bits(graph.locals());
  std::uint64_t round = 0;
  for (const std::uint64_t share : {64u, 0u, 1u, 64u, 32u, 63u}) {
    ++round;
    for (Local v = 0; v < graph.active(); ++v) {
      bits.reset(v);
      if (chosen(graph.id_of(v), round, share)) bits.set(v);
    }
    if (share == 64) {
      mirror_bits.broadcast(bits);
    } else {
      std::vector<std::uint64_t> words(bits.words());
      for (std::size_t w = 0; w < words.size(); ++w) words[w] = bits.at(w);
      mirror_bits.broadcast(words, static_cast<double>(share) / 64);
      for (std::size_t w = 0; w < words.size(); ++w) bits.at(w) = words[w];
    }
    std::size_t wrong = 0;
    const auto look = [&](Local v) { wrong += bits.test(v) != chosen(graph.id_of(v), round, share); };
    for (Local v = 0; v < graph.active(); ++v) look(v);
    const Mirrors& mirrors = graph.mirrors();
    for (std::size_t r = 0; r < mirrors.count.size(); ++r)
      for (Local k = 0; k < mirrors.count[r]; ++k) look(mirrors.begin[r] + k);
    CAPTURE(share);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("mirrors get the bits of their masters, on every route and with every instruction set") {
  struct Shape {
    Rank ranks;
    const char* domains;
    const char* route;
  };
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
    if (isa > machine_isa()) continue;
    const shapes::WithIsa with_isa{std::string(name_of(isa))};
    CAPTURE(name_of(isa));
    for (const auto& [ranks, domains, route] :
         {Shape{1, "", "direct"}, Shape{2, "", "direct"}, Shape{3, "", "direct"}, Shape{5, "", "direct"},
          Shape{4, "2x2", "row"}, Shape{8, "2x4", "domain"}, Shape{5, "3+2", "aml"}})
      for (const char* text : {"kron:9", "uniform:9:3", "grid:23x11", "star:200", "path:5"}) {
        CAPTURE(ranks);
        CAPTURE(route);
        CAPTURE(text);
        Plan plan;
        plan.threads = 1;
        plan.domains = domains;
        plan.route = route;
        run_ranks(ranks, plan, [&](World& world) { check_bits(world, text); });
      }
  }
}
