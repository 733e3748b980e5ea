// SPDX-License-Identifier: Apache-2.0
// Ranks say who they are, in order, and add up their numbers. hello [RANKS]: ranks are threads of this process.
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/runtime/world.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

// Travels between ranks as bytes, so it holds no pointer, std::string or std::vector.
struct Greeting {
  atl::Rank rank;
  int process;
};

void hello(atl::World& world) {
  const Greeting mine{world.rank(), static_cast<int>(getpid())};
  const std::vector<Greeting> all = world.all_gather(mine);  // collective: all[r] is the greeting of rank r
  if (world.rank() == 0)
    for (const Greeting& greeting : all)
      std::printf("rank %d of %d, in process %d\n", greeting.rank, world.size(), greeting.process);

  const atl::Rank sum = world.sum(world.rank());  // collective: the same value on every rank
  if (world.rank() == 0) std::printf("the ranks' numbers add up to %d\n", sum);
  // All ranks compare the same sum, so all throw or none.
  if (sum != world.size() * (world.size() - 1) / 2) throw atl::VerificationError("the sum is wrong");
}

int main(int argc, char** argv) try {
  const atl::Rank ranks = argc > 1 ? std::atoi(argv[1]) : 3;
  atl::run_ranks(ranks, atl::Plan{.threads = 1}, hello);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "hello: %s\n", error.what());
  return 1;
}
