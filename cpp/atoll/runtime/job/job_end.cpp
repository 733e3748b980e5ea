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

std::string describe_death(Rank rank, const JobBoard::Seat& seat, Certainty certainty) {
  std::string text = fmt::format("rank {} (pid {}) ", rank, seat.process.pid);
  text += seat.signal != 0 ? "was ended by " + name_of_signal(seat.signal) : "died";
  if (certainty == Certainty::by_mpich) text += ", or with an exit code that MPICH's launcher has lost,";
  if (seat.exit_code != 0) text += fmt::format(" with exit code {}", seat.exit_code);
  if (!seat.operation.empty()) text += fmt::format(" in '{}'", seat.operation);
  return text;
}

int end_of_job(const JobBoard& board, const JobEnd& end) {
  const Rank ranks = board.ranks();
  // The first rank that ended badly tells why the job did; what came after is a consequence.
  std::optional<Rank> first;
  Rank seated = 0, finished = 0;
  for (Rank r = 0; r < ranks; ++r) {
    const auto seat = board.seat(r);
    seated += seat.state != JobBoard::State::empty;
    finished += seat.state == JobBoard::State::finished;
    if (seat.state != JobBoard::State::died && (seat.state != JobBoard::State::finished || seat.exit_code == 0))
      continue;
    if (!first || seat.order < board.seat(*first).order) first = r;
  }
  if (end.signal != 0 && finished < ranks)
    throw TransportError(fmt::format("the job was ended by {}. Start it again.", name_of_signal(end.signal)));
  if (first) {
    auto seat = board.seat(*first);
    if (seat.state == JobBoard::State::finished) {
      if (seat.message.empty()) return seat.exit_code;
      const std::string text = fmt::format("rank {}: {}", *first, seat.message);
      if (seat.exit_code == 2) throw UsageError(text);
      if (seat.exit_code == 3) throw InputError(text);
      throw TransportError(text);
    }
    // A rank cannot note that it was killed, or left by _exit; its launcher has seen it. Ours and Open MPI's give
    // 128 + signal, MPICH's the bare signal - now and then that of another rank, which it has killed for this one.
    auto certainty = Certainty::seen;
    if (seat.signal == 0 && WIFEXITED(end.status)) {
      const int code = WEXITSTATUS(end.status);
      const bool killed = code == (end.launcher.mpi == "mpich" ? SIGKILL : 128 + SIGKILL);
      (killed ? seat.signal : seat.exit_code) = killed ? SIGKILL : code;
      if (killed && end.launcher.mpi == "mpich" && ranks > 1) certainty = Certainty::by_mpich;
    }
    throw TransportError(describe_death(*first, seat, certainty) +
                         ". The job has been ended; look for its reason in that rank's messages "
                         "or in the system log (memory?).");
  }
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0) return 0;
  const std::string how = WIFEXITED(end.status) ? fmt::format("exit code {}", WEXITSTATUS(end.status))
                                                : name_of_signal(WTERMSIG(end.status));
  const std::string who = end.launcher.path.empty() ? "the ranks' launcher" : end.launcher.path;
  if (seated == 0)
    throw TransportError(fmt::format("{} ended with {} before any rank ran. Look at its messages above.", who, how));
  throw TransportError(fmt::format("{} ended with {} ({} of {} ranks had finished). Look at its messages above.", who,
                                   how, finished, ranks));
}

}  // namespace atl
