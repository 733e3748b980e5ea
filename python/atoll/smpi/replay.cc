// SPDX-License-Identifier: Apache-2.0
// Replays time-independent traces of several MPI programs at once on one platform, each with ranks of its own.
//
//     replay [--cfg=..] PLATFORM JOBS
//
// A line of the file JOBS is a program: its name, and for each of its ranks a host and a trace, without blanks. All begin
// together. Prints for each, in order, how long its last rank took: "end NAME SECONDS".
#include <smpi/smpi.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <string>
#include <vector>

extern "C" void smpi_init_options();  // SimGrid exports it, but no header of it says so

namespace s4u = simgrid::s4u;

namespace {

struct Rank {
  std::string host, trace;
};

struct Job {
  std::string name;
  std::vector<Rank> ranks;
  double seconds = 0;
};

constexpr double kBegin = 1;  // on the simulated clock: all are prepared by then

void run(Job& job, std::size_t rank) {
  const auto self = s4u::Actor::self();
  self->set_property("instance_id", job.name);
  self->set_property("rank", std::to_string(rank));
  MPI_Init(nullptr, nullptr);
  // Some algorithms first find out which ranks share a host, by messages, which SimGrid 3.32 gets wrong in a replay: it
  // would free memory that is not its own.
  int one = 1, sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  s4u::this_actor::sleep_until(kBegin);
  smpi_replay_run(job.name.c_str(), static_cast<int>(rank), 0, job.ranks[rank].trace.c_str());
  job.seconds = std::max(job.seconds, s4u::Engine::get_clock() - kBegin);
}

std::vector<Job> read_jobs(const char* path) {
  std::vector<Job> jobs;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Job job;
    words >> job.name;
    for (Rank rank; words >> rank.host >> rank.trace;) job.ranks.push_back(rank);
    jobs.push_back(job);
  }
  return jobs;
}

}  // namespace

int main(int argc, char* argv[]) {
  smpi_init_options();  // before the engine reads --cfg=smpi/alltoall:bruck
  s4u::Engine engine(&argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: replay PLATFORM JOBS\n");
    return 2;
  }
  engine.load_platform(argv[1]);
  std::vector<Job> jobs = read_jobs(argv[2]);
  SMPI_init();
  for (const Job& job : jobs) SMPI_app_instance_register(job.name.c_str(), nullptr, static_cast<int>(job.ranks.size()));
  for (Job& job : jobs)
    for (std::size_t r = 0; r < job.ranks.size(); ++r)
      s4u::Actor::create(job.name + "-" + std::to_string(r), s4u::Host::by_name(job.ranks[r].host),
                         [&job, r] { run(job, r); });
  engine.run();
  SMPI_finalize();
  for (const Job& job : jobs) std::printf("end %s %.9g\n", job.name.c_str(), job.seconds);
}
