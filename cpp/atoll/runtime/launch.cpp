// SPDX-License-Identifier: Apache-2.0
#include <sys/signalfd.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/runtime/job_end.hpp>
#include <atoll/runtime/job_watch.hpp>
#include <atoll/runtime/launch.hpp>
#include <atoll/runtime/local_launcher.hpp>
#include <atoll/runtime/pulse.hpp>
#include <atoll/runtime/rank_output.hpp>
#include <atoll/transport/discover.hpp>
#include <atoll/transport/inproc.hpp>
#include <atoll/transport/plugin.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
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
// Ranks that are started here: each is a process or a thread of this machine, and has memory for every other.
constexpr Rank kMostStarted = 2048;

sigset_t job_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, s);
  return set;
}

// How long the ranks of a job may live on after a signal has been passed on to them.
double patience_s(const JobBoard& board, int signal) {
  return signal == SIGTERM && all_joined(board) ? kSaving_s : kGrace_s;
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
      throw UsageError(
          fmt::format("--ranks is {} ({} has started {}). Leave --ranks and ATOLL_RANKS away under a launcher.", ranks,
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
  if (ranks_ > kMostStarted)
    throw UsageError(fmt::format(
        "--ranks is {} (at most {} are started from here). Start them with the launcher of your machines, or "
        "in virtual time by --transport levels.",
        ranks_, kMostStarted));

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
      const MpiLauncher found = find_launcher(mpi);
      if (found.path.empty()) {
        why += fmt::format(" There is no launcher of {} in PATH (Debian, Ubuntu: {}).", mpi,
                           mpi == "openmpi" ? "openmpi-bin" : "mpich");
        continue;
      }
      launcher_ = found;
      part_ = Part::parent;
      how_ = fmt::format("{} ranks by {}", ranks_, launcher_.path);
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
    const Hierarchy hierarchy =
        plan_.domains.empty() ? Hierarchy::flat(ranks_) : read_domains(plan_.domains, 0, options.log);
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
  } catch (const SilentRank& e) {
    silent_ = e.rank;
    throw;
  } catch (...) {
    agreed_ = world->has_agreed_error();
    throw;
  }
}

bool Job::reports_errors() const {
  if (part_ != Part::rank) return true;
  if (silent_ && !board_) return rank_ == (*silent_ == 0 ? 1 : 0);
  return agreed_ ? rank_ == 0 : !board_;
}

int Job::run_children(int result) {
  const sigset_t signals = job_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  struct Restore {
    sigset_t mask;
    ~Restore() { sigprocmask(SIG_SETMASK, &mask, nullptr); }
  } restore{before};
  JobBoard board = JobBoard::make(ranks_);
  const File signal_file(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  int launcher = -1;
  std::optional<TemporaryFolder> folder;
  std::optional<RankOutput> output;
  if (launcher_.mpi.empty()) {
    std::vector<std::string> command = command_;
    if (command.empty()) command.push_back("atoll");
    folder.emplace();
    launcher = start_local_ranks({.ranks = ranks_,
                                  .program = own_program(),
                                  .command = command,
                                  .settings = {"ATOLL_JOB=" + board.path()},
                                  .folder = folder->path(),
                                  .mask = before,
                                  .output = result,
                                  .ended_badly =
                                      [&](Rank rank, int by_signal) {
                                        if (board.seat(rank).state == JobBoard::State::running)
                                          board.note_death(rank, by_signal);
                                      },
                                  .patience_s = [&](int signal) { return patience_s(board, signal) + kKillAfter_s; }});
  } else {
    output.emplace(board, result);
    launcher = start_launcher(launcher_command(launcher_, ranks_, plan_.threads, command_), board.path(), before,
                              output->launchers_end());
  }
  if (launcher < 0)
    throw TransportError(fmt::format("{}: {} (the launcher cannot be started). Free some processes.", launcher_.path,
                                     std::strerror(errno)));

  if (output) output->begin();
  JobWatch job(board, launcher, signal_file.get());
  std::optional<int> status;
  int signal = 0;
  bool ending = false, broken = false, terminated = false;
  double grace = kGrace_s;
  Timer since_ending;
  while (!(status = job.ended())) {
    if (const int s = job.look(); s != 0) {
      signal = s;
      grace = patience_s(board, s);
      // MPI's launchers answer SIGTERM by killing their ranks a second later, which may want to save first.
      if (grace == kSaving_s)
        job.kill_ranks(s);
      else
        kill(launcher, s);
    }
    if ((!ending && signal != 0) || (!broken && job.broken())) {
      ending = true;
      broken = job.broken();
      if (broken) grace = kGrace_s;
      since_ending.lap();
    }
    if (!ending) continue;
    const double seconds = since_ending.seconds();
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
    job.look(JobWatch::Patience::none);
    if (after.seconds() > kKillAfter_s / 2 || job.broken()) job.kill_ranks();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  job.look(JobWatch::Patience::none);
  job.remove_leftovers();

  const int code = end_of_job(board, {*status, signal, launcher_});
  if (output) output->finish();
  return code;
}

int Job::finish(int exit_code, std::string_view message) {
  if (part_ == Part::rank && !board_ && silent_ && !reports_errors())  // the launcher ends all with the first
    std::this_thread::sleep_for(std::chrono::duration<double>(kOthersEnd_s));
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
