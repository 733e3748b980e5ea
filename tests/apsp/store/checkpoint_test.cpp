// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atoll/apsp/store/checkpoint.hpp>
#include <atoll/base/timer.hpp>
#include <chrono>
#include <thread>

#include "distance_samples.hpp"
#include "graph/formats/files.hpp"
#include "skip.hpp"

using namespace atl;
using samples::kGrids;
using samples::matrix;
using samples::one_thread;
using samples::refusal;
using samples::value_at;

namespace {

template <class T>
CheckpointOptions options(const std::string& folder, std::int64_t n, std::uint64_t input = 5) {
  return {.folder = folder, .run = {n, kElementOf<T>, Semiring::min_plus, input}};
}

// The matrix after `step` steps: it has the values of that seed.
template <class T>
Distances<T> after(std::int64_t step, Rank rank, const GridLayout& layout) {
  return matrix<T>(rank, layout, [&](auto i, auto j) { return value_at<T>(i, j, static_cast<std::uint64_t>(step)); });
}

template <class T>
std::int64_t differences(const Distances<T>& a, const Distances<T>& b) {
  std::int64_t count = a.local.rows() != b.local.rows() || a.local.cols() != b.local.cols();
  for (std::int64_t r = 0; count == 0 && r < a.local.rows(); ++r)
    for (std::int64_t c = 0; c < a.local.cols(); ++c) count += a.local(r, c) != b.local(r, c);
  return count;
}

template <class T>
void restart(const std::string& folder, const GridLayout& from, const GridLayout& to, std::int64_t step) {
  run_ranks(from.grid.size(), one_thread(), [&](World& world) {
    Checkpoint checkpoint(world, options<T>(folder, from.rows.size));
    CHECK(!checkpoint.load<T>(from));
    const Distances<T> distances = after<T>(step, world.rank(), from);
    const Timer timer;
    checkpoint.save(step, distances);
    CHECK(checkpoint.report().save_seconds <= timer.seconds());
    CHECK(checkpoint.report().saved == 1);
  });
  run_ranks(to.grid.size(), one_thread(), [&](World& world) {
    Checkpoint checkpoint(world, options<T>(folder, to.rows.size));
    const auto saved = checkpoint.load<T>(to);
    REQUIRE(saved);
    CHECK(saved->step == std::min(to.rows.blocks(), step * from.rows.block / to.rows.block));
    CHECK(differences(saved->distances, after<T>(step, world.rank(), to)) == 0);
  });
  std::filesystem::remove_all(folder);
}

}  // namespace

TEST_CASE("a run resumes from its checkpoint on any other grid and with other blocks") {
  files::Folder folder;
  for (const ProcessGrid& from : kGrids) {
    restart<float>(folder / "run", {29, 8, from}, {29, 8, {1, 3}}, 2);
    restart<float>(folder / "run", {29, 4, {1, 3}}, {29, 7, from}, 5);
  }
  restart<double>(folder / "run", {29, 8, {2, 2}}, {29, 8, {1, 3}}, 1);
  restart<std::int32_t>(folder / "run", {29, 8, {2, 2}}, {29, 3, {3, 1}}, 4);
  restart<std::uint16_t>(folder / "run", {31, 8, {2, 2}}, {31, 8, {2, 2}}, 3);
  restart<std::uint8_t>(folder / "run", {33, 64, {2, 2}}, {33, 5, {5, 1}}, 1);
  restart<float>(folder / "run", {1, 768, {2, 2}}, {1, 1, {1, 2}}, 0);
}

TEST_CASE("the previous checkpoint stays until the new one is complete, and leftovers of a killed run are removed") {
  files::Folder folder;
  const GridLayout layout(20, 4, {2, 2});
  run_ranks(4, one_thread(), [&](World& world) {
    Checkpoint checkpoint(world, options<float>(folder / "run", 20));
    checkpoint.save(1, after<float>(1, world.rank(), layout));
    if (world.rank() == 0) std::filesystem::create_directory(folder / "run/step-00000002.77-0.part");
    world.barrier();
    checkpoint.save(3, after<float>(3, world.rank(), layout));
    checkpoint.save(3, after<float>(3, world.rank(), layout));
  });
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "run"))
    names.push_back(entry.path().filename());
  CHECK(names == std::vector<std::string>{"step-00000003"});
}

TEST_CASE("a checkpoint is due by steps, by time and by SIGTERM, the same on all ranks") {
  files::Folder folder;
  const GridLayout layout(8, 4, {2, 2});
  run_ranks(4, one_thread(), [&](World& world) {
    CheckpointOptions every = options<float>(folder / "run", 8);
    every.every_steps = 3;
    {
      Checkpoint checkpoint(world, every);
      CHECK(checkpoint.due(0) == Due::no);
      CHECK(checkpoint.due(2) == Due::no);
      CHECK(checkpoint.due(3) == Due::save);
      checkpoint.save(3, after<float>(3, world.rank(), layout));
      CHECK(checkpoint.due(3) == Due::no);
      CHECK(checkpoint.due(6) == Due::save);
      world.barrier();
      if (world.rank() == 2) raise(SIGTERM);
      world.barrier();
      CHECK(checkpoint.due(7) == Due::save_and_end);
    }
    world.barrier();
    every.every_steps = 0;
    every.every_seconds = 0.05;
    Checkpoint checkpoint(world, every);
    CHECK(checkpoint.due(1) == Due::no);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    CHECK(checkpoint.due(1) == Due::save);
    checkpoint.save(1, after<float>(1, world.rank(), layout));
    CHECK(checkpoint.due(2) == Due::no);
  });
}

TEST_CASE("damage is detected and named; another run's checkpoint is rejected") {
  files::Folder folder;
  const std::int64_t n = 21;
  const GridLayout from(n, 4, {2, 2}), to(n, 4, {1, 3});
  run_ranks(4, one_thread(), [&](World& world) {
    Checkpoint(world, options<float>(folder / "run", n)).save(2, after<float>(2, world.rank(), from));
  });
  const auto load = [&](const CheckpointOptions& how) {
    return refusal(3, [&](World& world) { Checkpoint(world, how).load<float>(to); });
  };
  const CheckpointOptions own = options<float>(folder / "run", n);
  for (const std::string name :
       {"checkpoint.json", "rank-0.blocks", "rank-1.blocks", "rank-2.blocks", "rank-3.blocks"}) {
    const std::string part = "run/step-00000002/" + name, whole = files::content(folder / part);
    const bool json = name.ends_with("json");
    const std::size_t end = json ? whole.find_last_of('}') : whole.size();
    for (std::size_t byte = 0; byte < end; byte += json ? 1 : 13) {
      if (json && (whole[byte] == ' ' || whole[byte] == '\n')) continue;  // not significant
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << byte % 8));
      folder.write(part, damaged);
      const std::string message = load(own);
      if (message.find(folder / part) != 0 && message != "nothing") CHECK(message == folder / part);
      CHECK(message != "nothing");
    }
    folder.write(part, whole.substr(0, whole.size() - 1));
    if (!json) CHECK(load(own).find("It is cut off") != std::string::npos);
    std::filesystem::remove(folder / part);
    CHECK(load(own).find(folder / part) == 0);
    folder.write(part, whole);
    CHECK(load(own) == "nothing");
  }
  const std::string state = folder / "run/step-00000002/checkpoint.json";
  std::string earlier = files::content(state);
  earlier[earlier.find("\"version\": 2") + 11] = '1';
  folder.write("run/step-00000002/checkpoint.json", earlier);
  CHECK(load(own) == state + ": is of version 1 (this program reads version 2). Remove " +
                         (folder / "run/step-00000002") + " and start again.");
  earlier[earlier.find("\"version\": 1") + 11] = '2';
  folder.write("run/step-00000002/checkpoint.json", earlier);
  CHECK(load(options<float>(folder / "run", n, 6)).find(": is of another run (") != std::string::npos);
  CHECK(load(options<float>(folder / "run", 22)).find(": is of another run (") != std::string::npos);
  CHECK(load(options<std::int32_t>(folder / "run", n)).find(": is of another run (") != std::string::npos);
}

TEST_CASE("the hash of a matrix is the same on every grid, and differs from that of another matrix") {
  std::vector<std::uint64_t> hashes;
  for (const ProcessGrid& grid : kGrids)
    run_ranks(grid.size(), one_thread(), [&](World& world) {
      const std::uint64_t hash = hash_of(world, after<float>(1, world.rank(), GridLayout(29, 8, grid)));
      if (world.rank() == 0) hashes.push_back(hash);
    });
  CHECK(std::ranges::count(hashes, hashes[0]) == std::ssize(hashes));
  run_ranks(1, one_thread(),
            [&](World& world) { CHECK(hash_of(world, after<float>(2, 0, GridLayout(29, 8, {}))) != hashes[0]); });
}

TEST_CASE("a full disk is detected before saving, and one that fills while saving keeps the previous checkpoint") {
  files::Folder folder;
  const files::SmallDisk disk(folder, "256k");
  if (!disk.mounted()) return skip("a small file system needs the right to mount one");
  CHECK(refusal(4, [&](World& world) { Checkpoint(world, options<float>(folder / "run", 200)); }) ==
        (folder / "run") +
            "/step: needs 320.0 kB for two checkpoints of 200 x 200 values of float32 (262.1 kB are free in " +
            (folder / "run") + "). Make room, write elsewhere, or choose a smaller type.");
  const GridLayout layout(150, 16, {2, 2});
  const std::string message = refusal(4, [&](World& world) {
    Checkpoint checkpoint(world, options<float>(folder / "run", 150));
    checkpoint.save(1, after<float>(1, world.rank(), layout));
    if (world.rank() == 0) folder.write("ballast", std::string(130000, 'x'));
    checkpoint.save(2, after<float>(2, world.rank(), layout));
  });
  CHECK(message.starts_with((folder / "run/step-00000002") + ": cannot be written (No space left"));
  std::filesystem::remove(folder / "ballast");
  run_ranks(2, one_thread(), [&](World& world) {
    const GridLayout to(150, 16, {1, 2});
    const auto saved = Checkpoint(world, options<float>(folder / "run", 150)).load<float>(to);
    REQUIRE(saved);
    CHECK(saved->step == 1);
    CHECK(differences(saved->distances, after<float>(1, world.rank(), to)) == 0);
  });
}

TEST_CASE("after a kill at any time, the latest complete checkpoint can be loaded") {
  files::Folder folder;
  const GridLayout layout(100, 8, {2, 2}), to(100, 8, {1, 3});
  std::int64_t before = 0, gone_on = 0;
  for (int kill_after_ms = 5; kill_after_ms < 160; kill_after_ms += 14) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        run_ranks(4, one_thread(), [&](World& world) {
          Checkpoint checkpoint(world, options<float>(folder / "run", 100));
          std::int64_t step = 0;
          if (const auto saved = checkpoint.load<float>(layout)) step = saved->step;
          while (step < 13) {  // the last step is repeated forever
            step = std::min<std::int64_t>(step + 1, 12);
            checkpoint.save(step, after<float>(step, world.rank(), layout));
          }
        });
      } catch (...) {
        _exit(1);
      }
      _exit(0);
    }
    REQUIRE(child > 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(kill_after_ms));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    run_ranks(3, one_thread(), [&](World& world) {
      const auto saved = Checkpoint(world, options<float>(folder / "run", 100)).load<float>(to);
      if (!saved) {
        CHECK(before == 0);
        return;
      }
      CHECK(saved->step >= before);
      CHECK(differences(saved->distances, after<float>(saved->step, world.rank(), to)) == 0);
      world.barrier();
      if (world.rank() == 0) {
        gone_on += saved->step > before;
        before = saved->step;
      }
    });
  }
  CHECK(gone_on > 0);
}
