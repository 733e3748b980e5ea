// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/runtime/job/local_launcher.hpp>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>

namespace atl {

TemporaryFolder::TemporaryFolder() {
  std::error_code ignored;
  path_ = (std::filesystem::temp_directory_path(ignored) / "atoll.XXXXXX").string();
  if (!mkdtemp(path_.data()))
    throw IoError(
        fmt::format("{}: {} (the ranks find each other through a folder there). Set TMPDIR to a folder that "
                    "can be written.",
                    path_, std::strerror(errno)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

namespace {

// Arguments of execve; all that allocates comes before the forks.
struct Program {
  std::vector<std::string> words, variables;
  std::vector<char*> arguments, environment;
};

Program program_of(Rank rank, const LocalRanks& job) {
  Program p;
  p.words = job.command;
  p.variables = job.settings;
  p.variables.push_back(fmt::format("ATOLL_BOOTSTRAP=file:{}", job.folder));
  p.variables.push_back(fmt::format("ATOLL_BOOTSTRAP_RANKS={}", job.ranks));
  p.variables.push_back(fmt::format("ATOLL_RANK={}", rank));
  for (std::string& w : p.words) p.arguments.push_back(w.data());
  p.arguments.push_back(nullptr);
  auto is_set = [&](const char* entry) {
    const std::size_t name = std::strcspn(entry, "=") + 1;
    for (const std::string& v : p.variables)
      if (v.compare(0, name, entry, name) == 0) return true;
    return false;
  };
  for (char** e = environ; *e; ++e)
    if (!is_set(*e)) p.environment.push_back(*e);
  for (std::string& v : p.variables) p.environment.push_back(v.data());
  p.environment.push_back(nullptr);
  return p;
}

int run_rank(const Program& p, const LocalRanks& job, int launcher) {
  const int child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(127);
  sigprocmask(SIG_SETMASK, &job.mask, nullptr);
  if (const int null = open("/dev/null", O_RDONLY); null >= 0) {
    dup2(null, STDIN_FILENO);
    if (null != STDIN_FILENO) close(null);  // it was free
  }
  if (job.output < 0)
    close(STDOUT_FILENO);
  else if (job.output != STDOUT_FILENO)
    dup2(job.output, STDOUT_FILENO);
  execve(job.program.c_str(), p.arguments.data(), p.environment.data());
  _exit(127);
}

// The launcher's life; returns its exit code.
int look_after(const std::vector<Program>& programs, const LocalRanks& job) {
  sigset_t heard;
  sigemptyset(&heard);
  for (const int s : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&heard, s);
  sigprocmask(SIG_BLOCK, &heard, nullptr);
  std::vector<int> ranks(programs.size(), -1);
  auto signal_all = [&](int signal) {
    for (const int pid : ranks)
      if (pid > 0) kill(pid, signal);
  };
  const int self = getpid();
  int code = 0;
  std::size_t left = 0;
  for (std::size_t r = 0; r < programs.size(); ++r, ++left)
    if ((ranks[r] = run_rank(programs[r], job, self)) < 0) {
      code = 127;
      signal_all(SIGKILL);
      break;
    }
  double patience_s = std::numeric_limits<double>::infinity();
  Timer since_signal;
  while (left > 0) {
    constexpr timespec kMoment{0, 100'000'000};
    siginfo_t info;
    const int signal = std::isinf(patience_s) ? sigwaitinfo(&heard, &info) : sigtimedwait(&heard, &info, &kMoment);
    if (signal > 0 && signal != SIGCHLD) {
      patience_s = job.patience_s(signal);
      since_signal.lap();
      signal_all(signal);
    }
    if (since_signal.seconds() > patience_s) signal_all(SIGKILL);
    int status = 0;
    for (int pid; left > 0 && (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      --left;
      const auto rank = std::find(ranks.begin(), ranks.end(), pid);
      if (rank != ranks.end()) *rank = -1;
      const int ended = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      if (ended == 0 || code != 0) continue;
      code = ended;
      // Before the others die of it: later nobody can tell who was first.
      job.ended_badly(static_cast<Rank>(rank - ranks.begin()), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
      signal_all(SIGKILL);
    }
  }
  return code;
}

}  // namespace

int start_local_ranks(const LocalRanks& job) {
  std::vector<Program> programs;
  for (Rank r = 0; r < job.ranks; ++r) programs.push_back(program_of(r, job));
  const int parent = getpid();
  const int launcher = fork();
  if (launcher != 0) return launcher;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  const int code = look_after(programs, job);
  std::error_code ignored;
  if (getppid() != parent) std::filesystem::remove_all(job.folder, ignored);  // nobody else is left to do it
  _exit(code);
}

}  // namespace atl
