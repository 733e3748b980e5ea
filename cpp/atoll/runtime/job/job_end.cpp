// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <atoll/base/error.hpp>
#include <atoll/runtime/job/job_end.hpp>
#include <csignal>
#include <cstring>
#include <optional>

namespace atl {
namespace {

std::string name_of_signal(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

}  // namespace

std::string describe_death(Rank rank, const JobTable::RankStatus& status, Certainty certainty) {
  std::string text = fmt::format("rank {} (pid {}) ", rank, status.process.pid);
  text += status.signal != 0 ? "was ended by " + name_of_signal(status.signal) : "died";
  if (status.exit_code != 0) text += fmt::format(" with exit code {}", status.exit_code);
  if (certainty == Certainty::by_mpich)
    text += fmt::format(", or with {} that MPICH's launcher has lost,", status.exit_code ? "another" : "an exit code");
  if (!status.operation.empty()) text += fmt::format(" in '{}'", status.operation);
  return text;
}

int end_of_job(const JobTable& table, const JobEnd& end) {
  const Rank ranks = table.ranks();
  // The first rank that ended badly tells why the job did; what came after is a consequence.
  std::optional<Rank> first;
  Rank registered = 0, finished = 0;
  for (Rank r = 0; r < ranks; ++r) {
    const auto status = table.status(r);
    registered += status.state != JobTable::State::empty;
    finished += status.state == JobTable::State::finished;
    if (status.state != JobTable::State::died && (status.state != JobTable::State::finished || status.exit_code == 0))
      continue;
    if (!first || status.order < table.status(*first).order) first = r;
  }
  if (end.signal != 0 && finished < ranks)
    throw TransportError(fmt::format("the job was ended by {}. Start it again.", name_of_signal(end.signal)));
  if (first) {
    auto status = table.status(*first);
    if (status.state == JobTable::State::finished) {
      if (status.message.empty()) return status.exit_code;
      const std::string text = fmt::format("rank {}: {}", *first, status.message);
      if (status.exit_code == 2) throw UsageError(text);
      if (status.exit_code == 3) throw InputError(text);
      throw TransportError(text);
    }
    // A rank cannot note that it was killed, or left by _exit; its launcher has seen it. Ours and Open MPI's give
    // 128 + signal, MPICH's the bare signal - sometimes that of another rank, which it has killed for this one, or
    // its own 1.
    auto certainty = Certainty::seen;
    if (status.signal == 0 && WIFEXITED(end.status)) {
      const int code = WEXITSTATUS(end.status);
      const bool mpich = end.launcher.mpi == "mpich";
      const bool killed = code == (mpich ? SIGKILL : 128 + SIGKILL);
      (killed ? status.signal : status.exit_code) = killed ? SIGKILL : code;
      if (mpich && ((killed && ranks > 1) || code == 1)) certainty = Certainty::by_mpich;
    }
    throw TransportError(describe_death(*first, status, certainty) +
                         ". The job has been ended; look for its reason in that rank's messages "
                         "or in the system log (memory?).");
  }
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0) return 0;
  const std::string how = WIFEXITED(end.status) ? fmt::format("exit code {}", WEXITSTATUS(end.status))
                                                : name_of_signal(WTERMSIG(end.status));
  const std::string who = end.launcher.path.empty() ? "the ranks' launcher" : end.launcher.path;
  if (registered == 0)
    throw TransportError(fmt::format("{} ended with {} before any rank ran. Look at its messages above.", who, how));
  throw TransportError(fmt::format("{} ended with {} ({} of {} ranks had finished). Look at its messages above.", who,
                                   how, finished, ranks));
}

}  // namespace atl
