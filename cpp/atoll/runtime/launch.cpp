// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atoll/base/error.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/runtime/launch.hpp>
#include <atoll/runtime/local_launcher.hpp>
#include <atoll/transport/discover.hpp>
#include <atoll/transport/inproc.hpp>
#include <atoll/transport/plugin.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <thread>

namespace atl {
namespace {

// How long a job that is over may take to end by itself before it is ended; in all less than the 10 s that
// are promised.
constexpr double kGrace_s = 3, kKillAfter_s = 2;
// Ranks that live on after SIGTERM are saving what they have; batch systems give as long.
constexpr double kSaving_s = 30;
// A rank that sees a peer gone leaves the report to the parent, and speaks only if the parent does not act.
constexpr double kParentActs_s = 8;
constexpr double kOthersEnd_s = 2;

constexpr const char* kJoining = "joining the job";

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
std::string find_launcher(const std::string& mpi) {
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

std::string own_program() {
  std::array<char, 4096> path;
  const ssize_t n = readlink("/proc/self/exe", path.data(), path.size());
  if (n <= 0) throw IoError("/proc/self/exe: it cannot be read (the ranks are started from it). Mount /proc.");
  return std::string(path.data(), static_cast<std::size_t>(n));
}

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

enum class Certainty { seen, by_mpich };

std::string describe_death(Rank rank, const JobBoard::Seat& seat, Certainty certainty = Certainty::seen) {
  std::string text = fmt::format("rank {} (pid {}) died", rank, seat.process.pid);
  if (seat.signal != 0) text += fmt::format(" by signal {} ({})", seat.signal, strsignal(seat.signal));
  if (certainty == Certainty::by_mpich) text += ", or with an exit code that MPICH's launcher has lost,";
  if (seat.exit_code != 0) text += fmt::format(" with exit code {}", seat.exit_code);
  if (!seat.operation.empty()) text += fmt::format(" during \"{}\"", seat.operation);
  return text;
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

class File {
 public:
  explicit File(int fd = -1) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// What run_children looks after: the launcher, and through the board the ranks.
class Watched {
 public:
  Watched(JobBoard& board, int launcher, int signals)
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

  enum class Patience { none, a_moment };
  // Until something happens, or a moment. Returns a signal that has come for the job, or 0.
  int look(Patience patience = Patience::a_moment) {
    bool all_seated = true;
    for (Rank r = 0; r < board_.ranks(); ++r) {
      File& file = ranks_[static_cast<std::size_t>(r)];
      const auto seat = board_.seat(r);
      if (bool& known = segments_known_[static_cast<std::size_t>(r)];
          !known && seat.state == JobBoard::State::running && !seat.operation.empty() && seat.operation != kJoining) {
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

  // The launcher's status once it has ended.
  std::optional<int> ended() {
    int status = 0;
    return waitpid(launcher_, &status, WNOHANG) == launcher_ ? std::optional(status) : std::nullopt;
  }

  // Somebody ended otherwise than with 0, so that the others will wait in vain.
  bool broken() const {
    for (Rank r = 0; r < board_.ranks(); ++r) {
      const auto seat = board_.seat(r);
      if (seat.state == JobBoard::State::died || (seat.state == JobBoard::State::finished && seat.exit_code != 0))
        return true;
    }
    return false;
  }

  bool anyone_left() const {
    for (Rank r = 0; r < board_.ranks(); ++r)
      if (board_.seat(r).process.alive()) return true;
    return false;
  }

  void kill_ranks(int signal = SIGKILL) const {
    for (Rank r = 0; r < board_.ranks(); ++r)
      if (const auto seat = board_.seat(r); seat.process.alive()) kill(seat.process.pid, signal);
  }

  bool all_run() const {
    for (Rank r = 0; r < board_.ranks(); ++r)
      if (const auto seat = board_.seat(r); seat.state != JobBoard::State::running || !seat.process.alive())
        return false;
    return true;
  }

  // A launcher removes its ranks' segments, but not if it was killed itself.
  void remove_leftovers() const {
    for (const std::string& file : leftovers_) unlink(file.c_str());
  }

 private:
  static constexpr std::uint64_t kSignals = UINT64_MAX, kLauncher = UINT64_MAX - 1;

  void watch(int file, std::uint64_t what) {
    epoll_event event{EPOLLIN, {}};
    event.data.u64 = what;
    if (file >= 0) epoll_ctl(events_.get(), EPOLL_CTL_ADD, file, &event);
  }

  void note_if_dead(Rank r) {
    const auto seat = board_.seat(r);
    if (seat.state != JobBoard::State::running || seat.process.alive()) return;
    const int status = status_of_zombie(seat.process);
    // It may have finished between the two looks; note_death changes nothing then.
    board_.note_death(r, status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  }

  JobBoard& board_;
  const int launcher_;
  const int signals_;
  const File events_;
  const File launcher_file_;
  std::vector<File> ranks_;
  std::deque<bool> segments_known_;  // [rank]
  std::vector<std::string> leftovers_;
};

sigset_t job_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, s);
  return set;
}

int start(const std::vector<std::string>& command, const std::string& board, const sigset_t& mask) {
  // All that allocates comes before the fork.
  std::vector<char*> arguments;
  for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  std::vector<std::string> settings{"ATOLL_JOB=" + board};
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
    close(null);
  }
  execve(arguments[0], arguments.data(), environment.data());
  _exit(127);
}

// 0 if there are none; `ranks` as far as they are known, else 0.
Rank ranks_of_domains(const std::string& domains, Rank ranks) {
  return domains.empty() ? 0 : read_domains(domains, ranks).size();
}

}  // namespace

Job::Job(Rank ranks, Plan plan, std::vector<std::string> command)
    : plan_(std::move(plan)), command_(std::move(command)) {
  if (ranks < 0) throw UsageError(fmt::format("--ranks is {} (at least 1). Correct it.", ranks));
  const auto by = launcher();
  const Rank pretended = ranks_of_domains(plan_.domains, by && by->ranks > 1 ? by->ranks : ranks);
  if (by && by->ranks > 1) {
    if (ranks > 0 && ranks != by->ranks)
      throw UsageError(fmt::format("--ranks is {} ({} has started {}). Leave --ranks away under a launcher.", ranks,
                                   by->name, by->ranks));
    if (plan_.transport == "inproc" || is_virtual(plan_))
      throw UsageError(
          fmt::format("--transport {} under {} (its ranks are {} of one process). Start it without a launcher, with "
                      "--ranks {}.",
                      plan_.transport, by->name, plan_.transport == "inproc" ? "threads" : "fibers", by->ranks));
    part_ = Part::rank;
    ranks_ = by->ranks;
    rank_ = by->rank;
    how_ = fmt::format("{} ranks by {}", ranks_, by->name);
  } else {
    ranks_ = ranks > 0 ? ranks : pretended > 0 ? pretended : 1;
  }
  if (pretended > 0 && pretended != ranks_)
    throw UsageError(fmt::format("--domains {} makes {} ranks (there are {}). Correct --domains or --ranks.",
                                 plan_.domains, pretended, ranks_));
  if (part_ == Part::rank) {
    if (auto board = JobBoard::find(); board && board->ranks() == ranks_) {  // else of another job
      board_.emplace(std::move(*board));
      board_->sit(rank_);
    }
    return;
  }
  if (is_virtual(plan_)) {
    part_ = Part::fibers;
    how_ = fmt::format("{} ranks in this process, in virtual time", ranks_);
    return;
  }
  if (ranks_ == 1) {
    how_ = "1 rank";
    return;
  }

  if (plan_.transport == "shm" || plan_.transport == "ofi") {
    part_ = Part::parent;
    how_ = fmt::format("{} ranks as processes of this machine", ranks_);
    return;
  }
  std::string why;
  if (plan_.transport != "inproc") {
    for (const std::string mpi : {"openmpi", "mpich"}) {
      if (plan_.mpi != "auto" && plan_.mpi != mpi) continue;
      if (plugin_path(mpi).empty()) {
        why += fmt::format(" There is no plug-in for {}.", mpi);
        continue;
      }
      launcher_path_ = find_launcher(mpi);
      if (launcher_path_.empty()) {
        why += fmt::format(" There is no launcher of {} in PATH (Debian, Ubuntu: {}).", mpi,
                           mpi == "openmpi" ? "openmpi-bin" : "mpich");
        continue;
      }
      mpi_ = mpi;
      part_ = Part::parent;
      how_ = fmt::format("{} ranks by {}", ranks_, launcher_path_);
      return;
    }
    if (plan_.transport.starts_with("mpi") || plan_.mpi != "auto")
      throw TransportError(
          fmt::format("{} ranks over MPI (it cannot be started here).{} Install one, or use --transport "
                      "inproc.",
                      ranks_, why));
  }
  part_ = Part::threads;
  how_ = fmt::format("{} ranks as threads of this process{}", ranks_, why.empty() ? "" : "." + why);
}

Job::~Job() = default;

void Job::run(const std::function<void(World&)>& f, World::Options options) {
  if (part_ == Part::threads) return run_ranks(ranks_, plan_, f, std::move(options));
  if (part_ == Part::fibers) {
    const Hierarchy hierarchy = plan_.domains.empty() ? Hierarchy::flat(ranks_) : read_domains(plan_.domains);
    virtual_run_ =
        run_virtual(hierarchy, read_platform(plan_.platform, hierarchy.depth()), plan_, f, std::move(options));
    return;
  }
  std::unique_ptr<World> world;
  if (part_ == Part::alone) {
    auto fabrics = make_inproc({.ranks = 1,
                                .slot_bytes = plan_.slot_bytes_for(1),
                                .slots_per_peer = plan_.slots_per_peer,
                                .shuffle_seed = 0,
                                .nodes = {}});
    world = std::make_unique<World>(std::move(fabrics[0]), plan_, Hierarchy::flat(1), std::move(options));
  } else {
    if (board_) {
      options.waiting = [this](const char* operation) { board_->note(operation); };
      options.lost_peer = [this, timer = Timer(), gone = Rank{-1}]() mutable -> std::optional<std::string> {
        for (Rank r = 0; gone < 0 && r < ranks_; ++r) {
          const auto seat = board_->seat(r);
          const bool here = seat.state == JobBoard::State::empty ||
                            (seat.state == JobBoard::State::running && (r == rank_ || seat.process.alive()));
          if (here) continue;
          gone = r;
          timer.lap();
        }
        const bool parent = board_->maker().alive();
        if (!parent) return "the command that started this job is gone";
        if (gone < 0 || timer.seconds() < kParentActs_s) return std::nullopt;
        const auto seat = board_->seat(gone);
        if (seat.state == JobBoard::State::finished)
          return fmt::format("rank {} has ended with exit code {}", gone, seat.exit_code);
        return describe_death(gone, seat);
      };
      board_->note(kJoining);
    }
    joined_ = true;
    world = join_world(plan_, std::move(options));
    if (board_) board_->note("computing");
  }
  try {
    f(*world);
    world->close();
  } catch (...) {
    agreed_ = world->has_agreed_error();
    throw;
  }
}

bool Job::reports_errors() const {
  if (part_ != Part::rank) return true;
  return agreed_ ? rank_ == 0 : !board_;
}

std::vector<std::string> Job::launcher_command() const {
  const int cores = usable_cores();
  const bool one_thread = plan_.threads == 1 || (plan_.threads == 0 && cores / ranks_ <= 1);
  // Binding is the launcher's idea of which cores are ours: only where that is all of the machine.
  const bool bind = one_thread && ranks_ <= cores && cores == sysconf(_SC_NPROCESSORS_ONLN);
  std::vector<std::string> out{launcher_path_, "-n", std::to_string(ranks_)};
  if (mpi_ == "openmpi") {
    out.insert(out.end(), {"--oversubscribe", "--bind-to", bind ? "core" : "none"});
  } else {
    out.insert(out.end(), {"-bind-to", bind ? "core" : "none"});
  }
  out.push_back(own_program());
  out.insert(out.end(), command_.begin() + (command_.empty() ? 0 : 1), command_.end());
  return out;
}

int Job::run_children() {
  JobBoard board = JobBoard::make(ranks_);
  const TemporaryFolder folder;
  const sigset_t signals = job_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  struct Restore {
    sigset_t mask;
    ~Restore() { sigprocmask(SIG_SETMASK, &mask, nullptr); }
  } restore{before};
  const File signal_file(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  int launcher = -1;
  if (mpi_.empty()) {
    std::vector<std::string> command = command_;
    if (command.empty()) command.push_back("atoll");
    launcher = start_local_ranks(ranks_, own_program(), command, {"ATOLL_JOB=" + board.path()}, folder.path(), before,
                                 [&](Rank rank, int by_signal) {
                                   if (board.seat(rank).state == JobBoard::State::running)
                                     board.note_death(rank, by_signal);
                                 });
  } else {
    launcher = start(launcher_command(), board.path(), before);
  }
  if (launcher < 0)
    throw TransportError(fmt::format("{}: {} (the launcher cannot be started). Free some processes.", launcher_path_,
                                     std::strerror(errno)));

  Watched job(board, launcher, signal_file.get());
  std::optional<int> status;
  int signal = 0;
  bool ending = false, broken = false, terminated = false;
  Timer since_ending;
  while (!(status = job.ended())) {
    if (const int s = job.look(); s != 0) {
      signal = s;
      // MPI's launchers answer SIGTERM by killing their ranks a second later, which may want to save first.
      if (s == SIGTERM && job.all_run())
        job.kill_ranks(s);
      else
        kill(launcher, s);
    }
    if ((!ending && signal != 0) || (!broken && job.broken())) {
      ending = true;
      broken = job.broken();
      since_ending.lap();
    }
    if (!ending) continue;
    const double seconds = since_ending.seconds();
    const double grace = signal == SIGTERM && !broken ? kSaving_s : kGrace_s;
    if (seconds > grace && !terminated) {
      terminated = true;
      kill(launcher, SIGTERM);
    }
    if (seconds > grace + kKillAfter_s) {
      kill(-launcher, SIGKILL);
      job.kill_ranks();
    }
  }
  // Whoever still runs has lost its launcher. Those that are about to end get a moment.
  const Timer after;
  while (job.anyone_left() && after.seconds() < kKillAfter_s) {
    job.look(Watched::Patience::none);
    if (after.seconds() > kKillAfter_s / 2 || job.broken()) job.kill_ranks();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  job.look(Watched::Patience::none);
  job.remove_leftovers();

  // The first rank that ended badly tells why the job did; what came after is a consequence.
  std::optional<Rank> first;
  Rank seated = 0, finished = 0;
  for (Rank r = 0; r < ranks_; ++r) {
    const auto seat = board.seat(r);
    seated += seat.state != JobBoard::State::empty;
    finished += seat.state == JobBoard::State::finished;
    if (seat.state != JobBoard::State::died && (seat.state != JobBoard::State::finished || seat.exit_code == 0))
      continue;
    if (!first || seat.order < board.seat(*first).order) first = r;
  }
  if (signal != 0 && finished < ranks_)
    throw TransportError(
        fmt::format("the job was ended by signal {} ({}). Start it again.", signal, strsignal(signal)));
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
    if (seat.signal == 0 && WIFEXITED(*status)) {
      const int code = WEXITSTATUS(*status);
      const bool killed = code == (mpi_ == "mpich" ? SIGKILL : 128 + SIGKILL);
      (killed ? seat.signal : seat.exit_code) = killed ? SIGKILL : code;
      if (killed && mpi_ == "mpich" && ranks_ > 1) certainty = Certainty::by_mpich;
    }
    throw TransportError(describe_death(*first, seat, certainty) +
                         ". The job has been ended; look for its reason in that rank's messages "
                         "or in the system log (memory?).");
  }
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return 0;
  const std::string how = WIFEXITED(*status) ? fmt::format("exit code {}", WEXITSTATUS(*status))
                                             : fmt::format("signal {}", WTERMSIG(*status));
  if (seated == 0)
    throw TransportError(
        fmt::format("{} ended with {} before any rank ran. Look at its messages above.", launcher_path_, how));
  throw TransportError(fmt::format("{} ended with {} ({} of {} ranks had finished). Look at its messages above.",
                                   launcher_path_, how, finished, ranks_));
}

int Job::finish(int exit_code, std::string_view message) {
  if (part_ != Part::rank || !board_) return exit_code;
  board_->finish(exit_code, agreed_ ? std::string_view() : message);
  if (exit_code == 0) return 0;
  // Errors that all ranks have agreed on end the job in order, without the launcher's alarm.
  auto all_finished = [&] {
    for (Rank r = 0; r < ranks_; ++r)
      if (board_->seat(r).state != JobBoard::State::finished) return false;
    return true;
  };
  for (const Timer timer; !all_finished();) {
    if (timer.seconds() > kOthersEnd_s) return exit_code;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (joined_) finish_mpi();
  return 0;
}

}  // namespace atl
