// SPDX-License-Identifier: Apache-2.0
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <atoll/runtime/job/job_monitor.hpp>
#include <atoll/runtime/job/leftovers.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace atl {
namespace {

int open_process(int pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

// Exit status of a zombie, as waitpid would give it to its parent; -1: not to be had.
int status_of_zombie(const ProcessId& process) {
  if (ProcessId::of(process.pid).start != process.start) return -1;
  FILE* file = std::fopen(("/proc/" + std::to_string(process.pid) + "/stat").c_str(), "re");
  if (!file) return -1;
  std::array<char, 2048> text{};
  const std::size_t n = std::fread(text.data(), 1, text.size() - 1, file);
  std::fclose(file);
  const std::string_view line(text.data(), n);
  const auto name_end = line.rfind(") Z");
  const auto last = line.find_last_of(' ');
  if (name_end == std::string_view::npos || last == std::string_view::npos) return -1;
  return std::atoi(text.data() + last);
}

// Segments of Open MPI 4 and 5 (MPICH unlinks its own at once).
std::vector<std::string> shared_memory_of(int pid) {
  std::vector<std::string> out;
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto at = line.find("/dev/shm/");
    if (at == std::string::npos || line.ends_with("(deleted)")) continue;
    const std::string_view name = std::string_view(line).substr(at + 9);
    if (name.starts_with("vader_segment.") || name.starts_with("sm_segment.")) out.push_back(line.substr(at));
  }
  return out;
}

bool has_joined(const JobBoard::Seat& seat) {
  return seat.state == JobBoard::State::running && !seat.operation.empty() && seat.operation != kJoining;
}

}  // namespace

bool all_joined(const JobBoard& board) {
  for (Rank r = 0; r < board.ranks(); ++r)
    if (const auto seat = board.seat(r); !has_joined(seat) || !seat.process.alive()) return false;
  return true;
}

JobWatch::JobWatch(JobBoard& board, int launcher, int signals)
    : board_(board),
      launcher_(launcher),
      signals_(signals),
      events_(epoll_create1(EPOLL_CLOEXEC)),
      launcher_file_(open_process(launcher)) {
  ranks_.resize(static_cast<std::size_t>(board.ranks()));
  segments_known_.resize(ranks_.size());
  watch(signals_, kSignals);
  watch(launcher_file_.get(), kLauncher);
}

int JobWatch::look(Patience patience) {
  bool all_seated = true;
  for (Rank r = 0; r < board_.ranks(); ++r) {
    File& file = ranks_[static_cast<std::size_t>(r)];
    const auto seat = board_.seat(r);
    if (bool& known = segments_known_[static_cast<std::size_t>(r)]; !known && has_joined(seat)) {
      known = true;
      for (std::string& name : shared_memory_of(seat.process.pid)) leftovers_.push_back(std::move(name));
    }
    if (file.get() >= 0) continue;
    all_seated = all_seated && seat.state != JobBoard::State::empty;
    if (seat.state != JobBoard::State::running) continue;
    file = File(open_process(seat.process.pid));
    watch(file.get(), static_cast<std::uint64_t>(r));
  }
  // The kernel reports in the order of the events: of several dead ranks the first is the one that matters,
  // the others were killed by the launcher for its sake.
  std::array<epoll_event, 16> events;
  const int n = epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()),
                           patience == Patience::none ? 0
                           : all_seated               ? 100
                                                      : 10);
  int signal = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t what = events[static_cast<std::size_t>(i)].data.u64;
    if (what == kSignals) {
      signalfd_siginfo info;
      if (read(signals_, &info, sizeof info) == sizeof info) signal = static_cast<int>(info.ssi_signo);
    } else if (what != kLauncher) {
      epoll_ctl(events_.get(), EPOLL_CTL_DEL, ranks_[what].get(), nullptr);
      note_if_dead(static_cast<Rank>(what));
    }
  }
  for (Rank r = 0; r < board_.ranks(); ++r) note_if_dead(r);
  return signal;
}

std::optional<int> JobWatch::ended() {
  int status = 0;
  return waitpid(launcher_, &status, WNOHANG) == launcher_ ? std::optional(status) : std::nullopt;
}

bool JobWatch::broken() const {
  for (Rank r = 0; r < board_.ranks(); ++r) {
    const auto seat = board_.seat(r);
    if (seat.state == JobBoard::State::died || (seat.state == JobBoard::State::finished && seat.exit_code != 0))
      return true;
  }
  return false;
}

bool JobWatch::anyone_left() const {
  for (Rank r = 0; r < board_.ranks(); ++r)
    if (board_.seat(r).process.alive()) return true;
  return false;
}

void JobWatch::kill_ranks(int signal) const {
  for (Rank r = 0; r < board_.ranks(); ++r)
    if (const auto seat = board_.seat(r); seat.process.alive()) kill(seat.process.pid, signal);
}

void JobWatch::remove_leftovers() const {
  for (const std::string& file : leftovers_) unlink(file.c_str());
  std::vector<ProcessId> ranks;
  for (Rank r = 0; r < board_.ranks(); ++r) ranks.push_back(board_.seat(r).process);
  remove_leftovers_of(ranks);
}

void JobWatch::watch(int file, std::uint64_t what) {
  epoll_event event{EPOLLIN, {}};
  event.data.u64 = what;
  if (file >= 0) epoll_ctl(events_.get(), EPOLL_CTL_ADD, file, &event);
}

void JobWatch::note_if_dead(Rank r) {
  const auto seat = board_.seat(r);
  if (seat.state != JobBoard::State::running || !board_.died(r)) return;
  const int status = status_of_zombie(seat.process);
  board_.note_death(r, status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

}  // namespace atl
