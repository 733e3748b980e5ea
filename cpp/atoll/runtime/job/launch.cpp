// SPDX-License-Identifier: Apache-2.0
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/runtime/heartbeat.hpp>
#include <atoll/runtime/job/job_end.hpp>
#include <atoll/runtime/job/job_monitor.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/job/local_launcher.hpp>
#include <atoll/runtime/job/rank_order.hpp>
#include <atoll/runtime/job/rank_output.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/transport/plugin.hpp>
#include <atoll/transport/shared_memory/inproc.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <mutex>
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
// Without a parent each rank waits for its turn to speak of a silent one: this much longer than the rank before it.
constexpr double kTurn_s = 0.5, kLastTurn_s = 6;
// Ranks that are started here: each is a process or a thread of this machine, and has memory for every other.
constexpr Rank kMostStarted = 2048;

sigset_t job_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, s);
  return set;
}

// How long the ranks of a job may live on after a signal has been passed on to them.
double patience_s(const JobTable& table, int signal) {
  return signal == SIGTERM && all_joined(table) ? kSaving_s : kGrace_s;
}

bool is_stopped(const ProcessId& process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process.pid));
  std::string line;
  std::getline(file, line);
  const auto state = line.rfind(") ");  // after a name that may hold anything
  return state != std::string::npos && line.size() > state + 2 && line[state + 2] == 'T' && process.alive();
}

// Whether the start-up needs to be watched: ranks of this machine have taken their ranks_, and none knows its peers yet.
// One that does has met all the others, wherever they run; from then on the ranks look after each other. Where all
// ranks run on other machines nothing is known of them here.
bool is_starting(const JobTable& table) {
  bool registered = false;
  for (Rank r = 0; r < table.ranks(); ++r) {
    const auto status = table.status(r);
    if (status.state == JobTable::State::empty) continue;
    const bool joining =
        status.state == JobTable::State::running && (status.operation.empty() || status.operation == kJoining);
    if (!joining) return false;
    registered = true;
  }
  return registered;
}

// Why the ranks of a job do not meet: one that is seen to be stopped, else one that has not come.
std::string who_is_missing(const JobTable& table) {
  std::optional<Rank> absent;
  for (Rank r = 0; r < table.ranks(); ++r) {
    const auto status = table.status(r);
    if (status.state == JobTable::State::empty) {
      if (!absent) absent = r;
    } else if (is_stopped(status.process)) {
      return fmt::format("rank {} (pid {}) is stopped", r, status.process.pid);
    }
  }
  return absent ? fmt::format("rank {} has not come, is stopped, or its machine hangs", *absent)
                : "all run, but MPI or the network does not bring them together";
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
  const Rank declared = ranks_of_domains(plan_.domains, by && by->ranks > 1 ? by->ranks : ranks);
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
    order_ = rank_order(plan_, ranks_);
    rank_ = rank_of_process(order_, by->rank);
    how_ = fmt::format("{} ranks by {}", ranks_, by->name);
  } else {
    ranks_ = ranks > 0 ? ranks : declared > 0 ? declared : 1;
  }
  if (declared > 0 && declared != ranks_)
    throw UsageError(fmt::format("--domains {} makes {} ranks (there are {}). Correct --domains or --ranks.",
                                 plan_.domains, declared, ranks_));
  if (part_ == Part::rank) {
    if (auto table = JobTable::find(); table && table->ranks() == ranks_) {  // else of another job
      table_.emplace(std::move(*table));
      table_->register_rank(rank_);
    }
    return;
  }
  if (is_virtual(plan_)) {
    part_ = Part::fibers;
    how_ = fmt::format("{} ranks in this process, in virtual time", ranks_);
    return;
  }
  order_ = rank_order(plan_, ranks_);
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
        run_virtual(hierarchy, read_machine(plan_.platform, hierarchy.depth()), plan_, f, std::move(options));
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
    if (table_) {
      options.waiting = [this](const char* operation) { table_->note(operation); };
      struct Gone {
        SpinLock lock;
        Rank rank = -1;
        Timer since;
      };
      // Any thread of the rank asks; while one looks, the others need not.
      options.lost_peer = [this, gone = std::make_shared<Gone>()]() -> std::optional<std::string> {
        const std::unique_lock hold(gone->lock, std::try_to_lock);
        if (!hold) return std::nullopt;
        for (Rank r = 0; gone->rank < 0 && r < ranks_; ++r) {
          if (table_->status(r).state != JobTable::State::finished && !table_->died(r)) continue;
          gone->rank = r;
          gone->since.lap();
        }
        const bool parent = table_->maker().alive();
        if (!parent) return "the command that started this job is gone";
        if (gone->rank < 0 || gone->since.seconds() < kParentActs_s) return std::nullopt;
        const auto status = table_->status(gone->rank);
        if (status.state == JobTable::State::finished)
          return fmt::format("rank {} has ended with exit code {}", gone->rank, status.exit_code);
        return describe_death(gone->rank, status);
      };
      table_->note(kJoining);
    }
    joined_ = true;
    world = join_world(plan_, std::move(options));
    if (table_) table_->note("computing");
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
  if (silent_ && !table_) {
    // The launcher ends all ranks with the first that ends. Which one that is nobody knows: the lowest may compute on
    // and not have noticed anything. So each waits for its turn, and speaks if it still lives then.
    if (const Rank before = rank_ - (*silent_ < rank_); before > 0)
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::min(kOthersEnd_s + kTurn_s * (before - 1), kLastTurn_s)));
    return true;
  }
  return agreed_ ? rank_ == 0 : !table_;
}

int Job::run_children(int result) {
  const sigset_t signals = job_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  struct Restore {
    sigset_t mask;
    ~Restore() { sigprocmask(SIG_SETMASK, &mask, nullptr); }
  } restore{before};
  JobTable table = JobTable::make(ranks_);
  const FileHandle signal_file(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  int launcher = -1;
  std::optional<TemporaryFolder> folder;
  std::optional<RankOutput> output;
  if (launcher_.mpi.empty()) {
    std::vector<std::string> command = command_;
    if (command.empty()) command.push_back("atoll");
    folder.emplace();
    launcher = start_local_ranks(
        {.ranks = ranks_,
         .program = own_program(),
         .command = command,
         .settings = {"ATOLL_JOB=" + table.path()},
         .folder = folder->path(),
         .mask = before,
         .output = result,
         .ended_badly = [&](Rank process,
                            int by_signal) { table.note_death(rank_of_process(order_, process), by_signal); },
         .patience_s = [&](int signal) { return patience_s(table, signal) + kKillAfter_s; }});
  } else {
    output.emplace(table, result);
    launcher = start_launcher(launcher_command(launcher_, ranks_, plan_.threads, command_), table.path(), before,
                              output->launchers_end());
  }
  if (launcher < 0)
    throw TransportError(fmt::format("{}: {} (it cannot be started). Free some processes.",
                                     launcher_.path.empty() ? "the ranks' launcher" : launcher_.path,
                                     std::strerror(errno)));

  if (output) output->begin();
  JobMonitor job(table, launcher, signal_file.get());
  std::optional<int> status;
  int signal = 0;
  bool ending = false, broken = false, terminated = false;
  double grace = kGrace_s;
  Timer since_ending;
  // A rank that stops before it knows its peers is missed by none of them: MPI waits for ever.
  bool starting = true;
  double starting_s = 0;
  const double longest_start_s = kBootstrapSeconds + plan_.timeout_seconds;
  std::optional<std::string> not_met;
  Timer since_look;
  while (!(status = job.ended())) {
    if (const int s = job.look(); s != 0) {
      signal = s;
      grace = patience_s(table, s);
      // MPI's launchers answer SIGTERM by killing their ranks a second later, which may want to save first.
      if (grace == kSaving_s)
        job.kill_ranks(s);
      else
        kill(launcher, s);
    }
    if ((!ending && signal != 0) || (!broken && job.broken())) {
      ending = true;
      broken = job.broken();
      if (broken && !not_met) grace = kGrace_s;
      since_ending.lap();
    }
    // A moment in which this process was stopped itself counts as no longer than a second.
    starting_s += std::min(since_look.lap(), 1.0);
    if (starting_s > longest_start_s && starting && !ending && plan_.timeout_seconds > 0) {
      starting = is_starting(table);
      if (starting) {
        not_met = fmt::format(
            "the ranks have not met within {:g} s ({}). Look there; a longer timeout_seconds waits "
            "longer, 0 for ever.",
            longest_start_s, who_is_missing(table));
        ending = true;
        grace = 0;
        since_ending.lap();
      }
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
    job.look(JobMonitor::Patience::none);
    if (after.seconds() > kKillAfter_s / 2 || job.broken()) job.kill_ranks();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  job.look(JobMonitor::Patience::none);
  job.remove_leftovers();

  if (not_met && signal == 0) throw TransportError(*not_met);
  const int code = end_of_job(table, {*status, signal, launcher_});
  if (output) {
    // Nothing is left to be ended but this process, which may wait for long for who reads its output: from here on
    // signals end it as they end any other, and leave no file behind.
    unlink(table.path().c_str());
    sigprocmask(SIG_SETMASK, &before, nullptr);
    output->finish();
  }
  return code;
}

int Job::finish(int exit_code, std::string_view message) {
  if (part_ != Part::rank || !table_) return exit_code;
  if (exit_code != 0 && !agreed_) table_->await_noted_death();
  table_->finish(exit_code, agreed_ ? std::string_view() : message);
  if (exit_code == 0) return 0;
  // Errors that all ranks have agreed on end the job in order, without the launcher's alarm.
  auto all_finished = [&] {
    for (Rank r = 0; r < ranks_; ++r)
      if (table_->status(r).state != JobTable::State::finished) return false;
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
