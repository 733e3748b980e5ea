// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/transport/bootstrap.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

using namespace atl;

namespace {

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("atoll-bootstrap-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

// Ranks that differ in what they say, in two rounds: everyone hears everyone, and all have one name for the job.
void meet(Rank ranks, const std::function<std::unique_ptr<Bootstrap>(Rank)>& make) {
  auto text = [](Rank r, int round) {
    return std::string(static_cast<std::size_t>(r) * 60, 'x') + std::to_string(r * 10 + round);
  };
  std::vector<std::vector<std::string>> heard(static_cast<std::size_t>(2 * ranks));
  std::vector<std::string> jobs(static_cast<std::size_t>(ranks));
  std::vector<std::thread> all;
  for (Rank r = 0; r < ranks; ++r)
    all.emplace_back([&, r] {
      auto job = make(r);
      for (int round = 0; round < 2; ++round)
        heard[static_cast<std::size_t>(2 * r + round)] = job->gather(text(r, round));
      jobs[static_cast<std::size_t>(r)] = job->job();
    });
  for (std::thread& t : all) t.join();
  for (Rank r = 0; r < ranks; ++r) {
    CHECK_FALSE(jobs[0].empty());
    CHECK(jobs[static_cast<std::size_t>(r)] == jobs[0]);
    for (int round = 0; round < 2; ++round)
      for (Rank from = 0; from < ranks; ++from)
        CHECK(heard[static_cast<std::size_t>(2 * r + round)][static_cast<std::size_t>(from)] == text(from, round));
  }
}

}  // namespace

TEST_CASE("ranks meet in a folder") {
  for (const Rank ranks : {1, 2, 5}) {
    const Folder folder;
    meet(ranks, [&](Rank r) { return bootstrap_by_files(folder.path, r, ranks); });
  }
}

TEST_CASE("a rank that does not come to the folder is named") {
  const Folder folder;
  const auto alone = bootstrap_by_files(folder.path, 0, 3, 0.05);
  CHECK_THROWS_WITH_AS(alone->gather("here"), doctest::Contains("for ranks 1, 2 of 3"), TransportError);
  const auto second = bootstrap_by_files(folder.path, 1, 3, 0.05);
  CHECK_THROWS_WITH_AS(second->gather("here"), doctest::Contains("for rank 2 of 3"), TransportError);
}

TEST_CASE("a folder of another job is refused") {
  const Folder folder;
  bootstrap_by_files(folder.path, 0, 1)->gather("before");
  CHECK_THROWS_WITH_AS(bootstrap_by_files(folder.path, 0, 1), doctest::Contains("Give each job an empty folder"),
                       TransportError);
  CHECK_THROWS_AS(bootstrap_by_files(folder.path / "nowhere", 0, 1), TransportError);
}

TEST_CASE("the environment says how ranks meet") {
  const Folder folder;
  const std::vector<const char*> all{"ATOLL_BOOTSTRAP", "ATOLL_RANK", "ATOLL_RANKS"};
  CHECK(find_bootstrap() == nullptr);
  setenv("ATOLL_BOOTSTRAP", ("file:" + folder.path.string()).c_str(), 1);
  CHECK_THROWS_WITH_AS(find_bootstrap(), doctest::Contains("ATOLL_RANK is not set"), UsageError);
  setenv("ATOLL_RANK", "1", 1);
  setenv("ATOLL_RANKS", "1", 1);
  CHECK_THROWS_WITH_AS(find_bootstrap(), doctest::Contains("ATOLL_RANK is 1 of 1"), UsageError);
  setenv("ATOLL_RANK", "0", 1);
  CHECK(find_bootstrap()->name() == "file");
  setenv("ATOLL_BOOTSTRAP", "pigeon", 1);
  CHECK_THROWS_WITH_AS(find_bootstrap(), doctest::Contains("'pigeon'"), UsageError);
  for (const char* name : all) unsetenv(name);
}
