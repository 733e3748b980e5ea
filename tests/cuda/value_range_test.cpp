// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/arcs/narrow_arcs.hpp>
#include <atoll/apsp/device/on_device.hpp>
#include <atoll/apsp/store/distance_row.hpp>
#include <atoll/device/rank_device.hpp>
#include <atoll/runtime/job/launch.hpp>

#include "test_device.hpp"

using namespace atl;

namespace {

/// A directed cycle of n arcs of this weight; its longest path has n - 1 of them.
ReplicatedCsr<double> cycle(Local n, double weight) {
  std::vector<Arc<double>> arcs;
  std::vector<Vertex> ids;
  for (Local v = 0; v < n; ++v) {
    arcs.push_back({v, (v + 1) % n, weight});
    ids.push_back(v);
  }
  return make_arcs<double>(ids, true, arcs, "cycle");
}

/// The distance from 0 to the last vertex, computed on devices; or what is said.
template <class T>
std::string farthest(Rank ranks, const ReplicatedCsr<double>& arcs, PendantTreeRemoval peel) {
  std::string said;
  run_ranks(ranks, Plan{}, [&](World& world) {
    const auto device = device_of_rank(world, "cuda");
    std::string here;
    try {
      const auto all = all_pairs(world, narrowed<T>(arcs), {.pendant_trees = peel, .device = device.get()});
      here = fmt::format("{}", row_of(world, all.distances, 0).back());
    } catch (const InputError& e) {
      here = e.what();
    }
    if (world.rank() == 0) said = here;
  });
  return said;
}

}  // namespace

TEST_CASE("a path too long for a device's 16 bits is refused, and never reported as none") {
  const TestDevice tested;
  for (const Rank ranks : {1, 2, 4})
    for (const auto peel : {PendantTreeRemoval::no, PendantTreeRemoval::yes}) {
      CAPTURE(ranks);
      CHECK(farthest<std::uint16_t>(ranks, cycle(4, 12000), peel) ==
            "cycle: a path from 0 to 3 is 36000 long (uint16 holds lengths below 32767 on a device). Use a wider type, "
            "or no device.");
      CHECK(farthest<std::uint16_t>(ranks, cycle(4, 10922), peel) == "32766");
      CHECK(farthest<std::uint16_t>(ranks, cycle(8, 4681), peel).find("is 32767 long") != std::string::npos);
      CHECK(farthest<std::uint16_t>(ranks, cycle(3, 32766), peel).find("is 65532 long") != std::string::npos);
      CHECK(farthest<std::uint16_t>(ranks, cycle(3, 32767), peel).find("a weight is over 32766") != std::string::npos);
      CHECK(farthest<std::int32_t>(ranks, cycle(4, 12000), peel) == "36000");
      CHECK(farthest<float>(ranks, cycle(4, 12000), peel) == "36000");
    }
}

TEST_CASE("a device's int32 and float32 end where the host's do") {
  const TestDevice tested;
  constexpr double kEnd = kNoPath<std::int32_t>;  // 3 x 357,913,941
  for (const Rank ranks : {1, 2}) {
    CHECK(farthest<std::int32_t>(ranks, cycle(4, kEnd / 3), PendantTreeRemoval::no).find("is 1073741823 long (int32") !=
          std::string::npos);
    CHECK(farthest<std::int32_t>(ranks, cycle(4, kEnd / 3 - 1), PendantTreeRemoval::no) == "1073741820");
    CHECK(farthest<float>(ranks, cycle(4, 3e38), PendantTreeRemoval::no).find("float32 holds lengths below") !=
          std::string::npos);
  }
}

TEST_CASE("the type that is chosen for a device is by its own limit") {
  const TestDevice tested;
  CHECK(tested.device().kernels().min_plus.no_path(Element::uint16) == 32767);
  CHECK(tested.device().kernels().min_plus.no_path(Element::int32) == kNoPath<std::int32_t>);
  CHECK(device_element(tested.device(), Element::uint16, cycle(32766, 1).longest()) == Element::uint16);
  CHECK(device_element(tested.device(), Element::uint16, cycle(32767, 1).longest()) == Element::int32);
  CHECK(device_element(tested.device(), Element::uint8, cycle(20, 1).longest()) == Element::uint16);
  CHECK(device_element(tested.device(), Element::float32, cycle(20, 0.5).longest()) == Element::float32);
}
