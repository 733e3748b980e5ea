// SPDX-License-Identifier: Apache-2.0
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <atoll/runtime/job/job_monitor.hpp>
#include <atoll/runtime/job/leftovers.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>

namespace atl {
namespace {

int open_process(int pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

// Exit status of a zombie, as waitpid would give it to its parent; -1: not to be had.
int status_of_zombie(const ProcessId& process) {
  if (ProcessId::of(process.pid).start != process.start) return -1;
  std::ifstream file("/proc/" + std::to_string(process.pid) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  const std::string_view line(text);
  const auto name_end = line.rfind(") Z");
  const auto last = line.find_last_of(' ');
  if (name_end == std::string_view::npos || last == std::string_view::npos) return -1;
  return std::atoi(text.c_str() + last);
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

bool has_joined(const JobTable::RankStatus& status) {
  return status.state == JobTable::State::running && !status.operation.empty() && status.operation != kJoining;
}

}  // namespace

bool all_joined(const JobTable& table) {
  for (Rank r = 0; r < table.ranks(); ++r)
    if (const auto status = table.status(r); !has_joined(status) || !status.process.alive()) return false;
  return true;
}

JobMonitor::JobMonitor(JobTable& table, int launcher, int signals)
    : table_(table),
      launcher_(launcher),
      signals_(signals),
      events_(epoll_create1(EPOLL_CLOEXEC)),
      launcher_file_(open_process(launcher)) {
  ranks_.resize(static_cast<std::size_t>(table.ranks()));
  segments_known_.resize(ranks_.size());
  watch(signals_, kSignals);
  watch(launcher_file_.get(), kLauncher);
}

int JobMonitor::look(Patience patience) {
  bool all_registered = true;
  for (Rank r = 0; r < table_.ranks(); ++r) {
    FileHandle& file = ranks_[r];
    const auto status = table_.status(r);
    if (bool& known = segments_known_[r]; !known && has_joined(status)) {
      known = true;
      for (std::string& name : shared_memory_of(status.process.pid)) leftovers_.push_back(std::move(name));
    }
    if (file.get() >= 0) continue;
    all_registered = all_registered && status.state != JobTable::State::empty;
    if (status.state != JobTable::State::running) continue;
    FileHandle opened(open_process(status.process.pid));
    if (!status.process.alive()) continue;  // then the number may be another process's by now
    file = std::move(opened);
    watch(file.get(), static_cast<std::uint64_t>(r));
  }
  // The kernel reports in the order of the events: of several dead ranks the first is the one that matters,
  // the others were killed by the launcher for its sake. So a rank that is watched is noted only by its event.
  std::array<epoll_event, 16> events;
  int wait_ms = patience == Patience::none ? 0 : all_registered ? 100 : 10;
  int signal = 0, n = 0;
  do {
    n = epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()), wait_ms);
    wait_ms = 0;
    // One that has begun since the last look and is gone already: the others have rather waited for it.
    for (Rank r = 0; r < table_.ranks(); ++r)
      if (ranks_[r].get() < 0) note_if_dead(r);
    for (int i = 0; i < n; ++i) {
      const std::uint64_t what = events[i].data.u64;
      if (what == kSignals) {
        signalfd_siginfo info;
        if (read(signals_, &info, sizeof info) == sizeof info) signal = static_cast<int>(info.ssi_signo);
      } else if (what != kLauncher) {
        epoll_ctl(events_.get(), EPOLL_CTL_DEL, ranks_[what].get(), nullptr);
        note_if_dead(static_cast<Rank>(what));
      }
    }
  } while (n == static_cast<int>(events.size()));
  return signal;
}

std::optional<int> JobMonitor::ended() {
  int status = 0;
  return waitpid(launcher_, &status, WNOHANG) == launcher_ ? std::optional(status) : std::nullopt;
}

bool JobMonitor::broken() const {
  for (Rank r = 0; r < table_.ranks(); ++r) {
    const auto status = table_.status(r);
    if (status.state == JobTable::State::died || (status.state == JobTable::State::finished && status.exit_code != 0))
      return true;
  }
  return false;
}

bool JobMonitor::anyone_left() const {
  for (Rank r = 0; r < table_.ranks(); ++r)
    if (table_.status(r).process.alive()) return true;
  return false;
}

void JobMonitor::kill_ranks(int signal) const {
  for (Rank r = 0; r < table_.ranks(); ++r)
    if (const auto status = table_.status(r); status.process.alive()) kill(status.process.pid, signal);
}

void JobMonitor::remove_leftovers() const {
  for (const std::string& file : leftovers_) unlink(file.c_str());
  std::vector<ProcessId> ranks;
  for (Rank r = 0; r < table_.ranks(); ++r) ranks.push_back(table_.status(r).process);
  remove_leftovers_of(ranks);
}

void JobMonitor::watch(int file, std::uint64_t what) {
  epoll_event event{EPOLLIN, {}};
  event.data.u64 = what;
  if (file >= 0) epoll_ctl(events_.get(), EPOLL_CTL_ADD, file, &event);
}

void JobMonitor::note_if_dead(Rank r) {
  const auto status = table_.status(r);
  if (status.state != JobTable::State::running || !table_.died(r)) return;
  const int end = status_of_zombie(status.process);
  table_.note_death(r, end >= 0 && WIFSIGNALED(end) ? WTERMSIG(end) : 0);
}

}  // namespace atl
