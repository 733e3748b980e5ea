// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "folder.hpp"

using namespace atl;

namespace {

// Ranks exchange different texts in two rounds: each gets all of them, and all agree on the job's name.
void meet(Rank ranks, const std::function<std::shared_ptr<Bootstrap>(Rank)>& make) {
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
    const files::Folder folder;
    meet(ranks, [&](Rank r) { return bootstrap_by_files(folder.path(), r, ranks); });
  }
}

TEST_CASE("ranks in another order meet by their new numbers") {
  const std::vector<Rank> order{3, 0, 4, 1, 2};
  const files::Folder folder;
  meet(5, [&](Rank r) {
    const Rank process = order[static_cast<std::size_t>(r)];
    std::shared_ptr<Bootstrap> job = in_order(bootstrap_by_files(folder.path(), process, 5), order);
    CHECK(job->rank() == r);
    return job;
  });
}

TEST_CASE("an order that does not name each rank once is refused") {
  const files::Folder folder;
  const std::shared_ptr<Bootstrap> job = bootstrap_by_files(folder.path(), 0, 1);
  CHECK(in_order(job, {0})->rank() == 0);
  for (const std::vector<Rank>& wrong : {std::vector<Rank>{}, {1}, {-1}, {0, 0}, {0, 1}})
    CHECK_THROWS_AS(in_order(job, wrong), UsageError);
}

TEST_CASE("a rank that does not arrive in the folder is named") {
  const files::Folder folder;
  const auto alone = bootstrap_by_files(folder.path(), 0, 3, 0.05);
  CHECK_THROWS_WITH_AS(alone->gather("here"), doctest::Contains("for ranks 1, 2 of 3"), TransportError);
  const auto second = bootstrap_by_files(folder.path(), 1, 3, 0.05);
  CHECK_THROWS_WITH_AS(second->gather("here"), doctest::Contains("for rank 2 of 3"), TransportError);
}

TEST_CASE("a folder of another job is refused") {
  const files::Folder folder;
  bootstrap_by_files(folder.path(), 0, 1)->gather("before");
  CHECK_THROWS_WITH_AS(bootstrap_by_files(folder.path(), 0, 1), doctest::Contains("Give each job an empty folder"),
                       TransportError);
  CHECK_THROWS_AS(bootstrap_by_files(folder / "nowhere", 0, 1), TransportError);
}

namespace {

// A free port chosen by the kernel.
int free_port() {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  REQUIRE(bind(s, reinterpret_cast<sockaddr*>(&address), bytes) == 0);
  REQUIRE(getsockname(s, reinterpret_cast<sockaddr*>(&address), &bytes) == 0);
  close(s);
  return ntohs(address.sin_port);
}

std::string hosts_file(const files::Folder& folder, Rank ranks) {
  std::string hosts = "# rank 0 listens\n127.0.0.1:" + std::to_string(free_port()) + "\n";
  for (Rank r = 1; r < ranks; ++r) hosts += "localhost  # rank " + std::to_string(r) + "\n";
  return folder.write("hosts", hosts);
}

}  // namespace

TEST_CASE("ranks meet at the first of a list of hosts") {
  for (const Rank ranks : {1, 2, 5}) {
    const files::Folder folder;
    const std::string file = hosts_file(folder, ranks);
    CHECK(ranks_of_hosts(file) == ranks);
    meet(ranks, [&](Rank r) { return bootstrap_by_hosts(file, r); });
  }
}

TEST_CASE("a host that does not connect is named, as is the one waited for") {
  const files::Folder folder;
  const std::string file = hosts_file(folder, 3);
  CHECK_THROWS_WITH_AS(bootstrap_by_hosts(file, 2, 0.1), doctest::Contains("for rank 0 (127.0.0.1:"), TransportError);
  std::thread second([&] { CHECK_THROWS_AS(bootstrap_by_hosts(file, 1, 0.5), TransportError); });
  CHECK_THROWS_WITH_AS(bootstrap_by_hosts(file, 0, 0.3), doctest::Contains("for rank 2 (localhost) of 3"),
                       TransportError);
  second.join();
  CHECK_THROWS_WITH_AS(bootstrap_by_hosts(file, 3), doctest::Contains("has 3 hosts"), UsageError);
  CHECK_THROWS_AS(bootstrap_by_hosts(folder / "nowhere", 0), UsageError);
  folder.write("hosts", "host:port\n");
  CHECK_THROWS_WITH_AS(bootstrap_by_hosts(file, 0), doctest::Contains("hosts:1: port 'port'"), UsageError);
}

TEST_CASE("the environment determines the bootstrap") {
  const files::Folder folder;
  const std::vector<const char*> all{"ATOLL_BOOTSTRAP", "ATOLL_RANK", "ATOLL_BOOTSTRAP_RANKS"};
  CHECK(find_bootstrap() == nullptr);
  setenv("ATOLL_BOOTSTRAP", ("file:" + folder.path()).c_str(), 1);
  CHECK_THROWS_WITH_AS(find_bootstrap(), doctest::Contains("ATOLL_RANK is not set"), UsageError);
  setenv("ATOLL_RANK", "1", 1);
  setenv("ATOLL_BOOTSTRAP_RANKS", "1", 1);
  CHECK_THROWS_WITH_AS(find_bootstrap(), doctest::Contains("ATOLL_RANK is 1 of 1"), UsageError);
  setenv("ATOLL_RANK", "0", 1);
  CHECK(find_bootstrap()->name() == "file");
  setenv("ATOLL_BOOTSTRAP", "pigeon", 1);
  CHECK_THROWS_WITH_AS(find_bootstrap(), doctest::Contains("'pigeon'"), UsageError);
  for (const char* name : all) unsetenv(name);
}
