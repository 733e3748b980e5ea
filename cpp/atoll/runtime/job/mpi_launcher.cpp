// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <atoll/base/error.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/runtime/job/mpi_launcher.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace atl {
namespace {

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::string_view folders = path ? path : "/usr/bin:/bin";
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::string file = std::string(folders.substr(at, end - at)) + "/" + name;
    if (end > at && access(file.c_str(), X_OK) == 0) return file;
    at = end + 1;
  }
  return {};
}

std::string output_of(const std::string& program, const std::string& argument) {
  std::string text;
  if (FILE* pipe = popen(fmt::format("'{}' {} 2>&1", program, argument).c_str(), "re")) {
    std::array<char, 512> part;
    while (std::fgets(part.data(), static_cast<int>(part.size()), pipe)) text += part.data();
    pclose(pipe);
  }
  return text;
}

// Debian names the launchers of both MPIs apart; elsewhere mpiexec is of whichever MPI is first in PATH.
std::string path_of_launcher(const std::string& mpi) {
  for (const char* name : {"mpirun.", "mpiexec."})
    if (const std::string path = find_program(name + mpi); !path.empty()) return path;
  for (const char* name : {"mpiexec", "mpirun"}) {
    const std::string path = find_program(name);
    if (path.empty()) continue;
    const std::string version = output_of(path, "--version");
    const bool open = version.find("Open MPI") != std::string::npos || version.find("OpenRTE") != std::string::npos ||
                      version.find("PRTE") != std::string::npos;
    if (mpi == "openmpi" ? open : version.find("HYDRA") != std::string::npos) return path;
  }
  return {};
}

}  // namespace

MpiLauncher find_launcher(const std::string& mpi) { return {mpi, path_of_launcher(mpi)}; }

std::string own_program() {
  std::array<char, 4096> path;
  const ssize_t n = readlink("/proc/self/exe", path.data(), path.size());
  if (n <= 0) throw IoError("/proc/self/exe: it cannot be read (the ranks are started from it). Mount /proc.");
  return std::string(path.data(), static_cast<std::size_t>(n));
}

std::vector<std::string> launcher_command(const MpiLauncher& launcher, Rank ranks, int threads,
                                          const std::vector<std::string>& command) {
  const int cores = usable_cores();
  const bool one_thread = threads == 1 || (threads == 0 && cores / ranks <= 1);
  // Binding is the launcher's idea of which cores are ours: only where that is all of the machine.
  const bool bind = one_thread && ranks <= cores && cores == sysconf(_SC_NPROCESSORS_ONLN);
  std::vector<std::string> out{launcher.path, "-n", std::to_string(ranks)};
  if (launcher.mpi == "openmpi") {
    out.insert(out.end(), {"--oversubscribe", "--bind-to", bind ? "core" : "none"});
  } else {
    out.insert(out.end(), {"-bind-to", bind ? "core" : "none"});
  }
  out.push_back(own_program());
  out.insert(out.end(), command.begin() + (command.empty() ? 0 : 1), command.end());
  return out;
}

int start_launcher(const std::vector<std::string>& command, const std::string& table, const sigset_t& mask,
                   int output) {
  // All that allocates comes before the fork.
  std::vector<char*> arguments;
  for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  std::vector<std::string> settings{"ATOLL_JOB=" + table};
  if (geteuid() == 0) {
    settings.emplace_back("OMPI_ALLOW_RUN_AS_ROOT=1");
    settings.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
  }
  std::vector<char*> environment;
  for (char** e = environ; *e; ++e)
    if (std::strncmp(*e, "ATOLL_JOB=", 10) != 0) environment.push_back(*e);
  for (std::string& s : settings) environment.push_back(s.data());
  environment.push_back(nullptr);

  const int parent = getpid();
  const int child = fork();
  if (child != 0) return child;
  // The terminal's signals come to the parent alone, which passes them on; and nobody outlives it.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (const int null = open("/dev/null", O_RDONLY); null >= 0) {
    dup2(null, STDIN_FILENO);
    if (null != STDIN_FILENO) close(null);  // it was free
  }
  dup2(output, STDOUT_FILENO);
  execve(arguments[0], arguments.data(), environment.data());
  _exit(127);
}

}  // namespace atl
