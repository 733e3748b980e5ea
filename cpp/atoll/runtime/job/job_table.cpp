// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/runtime/job/job_table.hpp>
#include <atoll/runtime/job/leftovers.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <thread>

namespace atl {
namespace {

constexpr std::uint64_t kMagic = 0x61746f6c6c6a6f62;  // "atolljob"
constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kWords = 8;           // of 8 bytes: the text of an operation, cut there
constexpr std::size_t kMessageBytes = 512;  // cut there

using Word = std::atomic<std::uint64_t>;
using Count = std::atomic<std::uint32_t>;
static_assert(Word::is_always_lock_free && Count::is_always_lock_free);

struct alignas(128) SharedStatus {
  Word end;  // the state, and above it the order: a rank that is killed in between would leave one without the other
  std::atomic<std::int32_t> pid, exit_code, signal;
  Word start;
  Word operation[kWords];
  char message[kMessageBytes];  // written before the state is finished
};

constexpr std::uint64_t end_of(JobTable::State state, std::uint32_t order) {
  return std::uint64_t{order} << 32 | static_cast<std::uint32_t>(state);
}
JobTable::State state_of(std::uint64_t end) { return static_cast<JobTable::State>(end & UINT32_MAX); }

// Fields of /proc/<pid>/stat from the third on; the second is a name that may hold anything but a last ')'.
std::string stat_fields(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto end = line.rfind(')');
  return end == std::string::npos ? std::string() : line.substr(std::min(line.size(), end + 2));
}

std::uint64_t start_of(const std::string& fields) {
  std::size_t at = 0;
  for (int field = 3; field < 22 && at != std::string::npos; ++field) at = fields.find(' ', at + 1);
  return at == std::string::npos || fields.empty() ? 0 : std::strtoull(fields.c_str() + at, nullptr, 10);
}

// For the handler of the signals that end a process: it can reach nothing but a global.
std::atomic<SharedStatus*> status_of_process{nullptr};
std::atomic<Count*> order_of_process{nullptr};

void note_end(SharedStatus& status, Count& order, JobTable::State state) noexcept {
  std::uint64_t running = end_of(JobTable::State::running, 0);
  status.end.compare_exchange_strong(running, end_of(state, order.fetch_add(1) + 1));
}

extern "C" void on_fatal_signal(int signal) {
  if (SharedStatus* status = status_of_process.load()) {
    status->signal.store(signal);
    note_end(*status, *order_of_process.load(), JobTable::State::died);
  }
  raise(signal);  // SA_RESETHAND: now it ends the process
}

std::uint64_t process_space() {
  struct stat about {};
  return stat("/proc/self/ns/pid", &about) == 0 ? about.st_ino : 0;
}

std::string prefix() { return "atoll-job-" + std::to_string(getuid()) + "-"; }

std::string folder() {
  if (access("/dev/shm", W_OK) == 0) return "/dev/shm";
  const char* temporary = std::getenv("TMPDIR");
  return temporary && *temporary ? temporary : "/tmp";
}

}  // namespace

struct JobTable::Page {
  std::uint64_t magic;
  std::uint32_t version;
  std::int32_t ranks;
  std::int32_t maker;
  std::uint64_t maker_start;
  std::uint64_t process_space;  // in which the numbers of processes mean something
  Count order;
  SharedStatus statuses[];
};

ProcessId ProcessId::of(int pid) { return {pid, start_of(stat_fields(pid))}; }
ProcessId ProcessId::self() { return of(getpid()); }

bool ProcessId::alive() const {
  const std::string fields = stat_fields(pid);
  return !fields.empty() && fields[0] != 'Z' && fields[0] != 'X' && start_of(fields) == start;
}

JobTable::JobTable(std::string path, MappedFile memory, bool mine)
    : path_(std::move(path)), memory_(std::move(memory)), page_(reinterpret_cast<Page*>(memory_.data())), mine_(mine) {}

JobTable::JobTable(JobTable&& other) noexcept
    : path_(std::move(other.path_)),
      memory_(std::move(other.memory_)),
      page_(std::exchange(other.page_, nullptr)),
      mine_(other.mine_),
      rank_(other.rank_) {}

JobTable::~JobTable() {
  if (!page_) return;
  if (mine_) unlink(path_.c_str());
  // A rank's page stays mapped: its signal handler may still write there.
  if (rank_ >= 0) memory_.release();
}

JobTable JobTable::make(Rank ranks) {
  const std::string where = folder();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(where, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(prefix(), 0) != 0) continue;
    const int maker = std::atoi(name.c_str() + prefix().size());
    if (maker <= 0 || kill(maker, 0) == 0 || errno != ESRCH) continue;
    if (const auto orphan = open(entry.path())) {
      if (orphan->page_->process_space != process_space()) continue;  // its maker may live there
      std::vector<ProcessId> left;
      for (Rank r = 0; r < orphan->ranks(); ++r) left.push_back(orphan->status(r).process);
      if (std::ranges::any_of(left, &ProcessId::alive)) continue;
      remove_leftovers_of(left);
    }
    std::filesystem::remove(entry.path(), ignored);
  }

  std::string path = where + "/" + prefix() + std::to_string(getpid()) + "-XXXXXX";
  const FileHandle file(mkostemp(path.data(), O_CLOEXEC));
  if (!file)
    throw IoError(fmt::format("{}: {} (the job's table cannot be made). Make room there, or set TMPDIR.", where,
                              std::strerror(errno)));
  // Written, not reserved: then it has its room on every file system, and no access is a signal.
  const std::vector<char> zeros(sizeof(Page) + static_cast<std::size_t>(ranks) * sizeof(SharedStatus));
  MappedFile memory;
  try {
    if (const int error = file.write_at(zeros.data(), zeros.size(), 0))
      throw IoError(fmt::format("{}: no room for {} bytes (the job's table: {}). Make room there, or set TMPDIR.",
                                where, zeros.size(), std::strerror(error)));
    memory = MappedFile(file, zeros.size(), MappedFile::Access::read_write, path);
  } catch (const IoError&) {
    unlink(path.c_str());
    throw;
  }
  Page* page = reinterpret_cast<Page*>(memory.data());
  page->version = kVersion;
  page->ranks = ranks;
  const ProcessId self = ProcessId::self();
  page->version = kVersion;
  page->ranks = ranks;
  page->maker = self.pid;
  page->maker_start = self.start;
  page->process_space = process_space();
  page->magic = kMagic;
  return JobTable(path, std::move(memory), true);
}

std::optional<JobTable> JobTable::find() {
  const char* path = std::getenv("ATOLL_JOB");
  if (!path || !*path) return std::nullopt;
  auto table = open(path);  // none: of another host, or its maker has ended
  if (table && !table->maker().alive()) table.reset();
  return table;
}

std::optional<JobTable> JobTable::open(const std::string& path) {
  const FileHandle file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat about {};
  if (!file || fstat(file.get(), &about) != 0 || about.st_uid != getuid() ||
      static_cast<std::size_t>(about.st_size) < sizeof(Page))
    return std::nullopt;
  const auto bytes = static_cast<std::size_t>(about.st_size);
  MappedFile memory;
  try {
    memory = MappedFile(file, bytes, MappedFile::Access::read_write, path);
  } catch (const IoError&) {
    return std::nullopt;
  }
  JobTable table(path, std::move(memory), false);
  const Page& page = *table.page_;
  if (page.magic != kMagic || page.version != kVersion || page.ranks < 1 ||
      bytes < sizeof(Page) + static_cast<std::size_t>(page.ranks) * sizeof(SharedStatus))
    return std::nullopt;
  return table;
}

Rank JobTable::ranks() const { return page_->ranks; }
ProcessId JobTable::maker() const { return {page_->maker, page_->maker_start}; }

JobTable::RankStatus JobTable::status(Rank rank) const {
  const SharedStatus& s = page_->statuses[rank];
  RankStatus out;
  const std::uint64_t end = s.end.load();  // first: what comes with a state is written before it
  out.state = state_of(end);
  out.order = static_cast<std::uint32_t>(end >> 32);
  out.process = {s.pid.load(), s.start.load()};
  out.exit_code = s.exit_code.load();
  out.signal = s.signal.load();
  char text[kWords * 8 + 1] = "";
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint64_t word = s.operation[i].load(std::memory_order_relaxed);
    std::memcpy(text + 8 * i, &word, 8);
  }
  out.operation = text;
  if (out.state == State::finished) out.message.assign(s.message, strnlen(s.message, kMessageBytes));
  return out;
}

bool JobTable::died(Rank rank) const {
  const SharedStatus& s = page_->statuses[rank];
  auto state = [&] { return state_of(s.end.load()); };
  if (state() != State::running) return state() == State::died;
  const ProcessId process{s.pid.load(), s.start.load()};
  // A rank notes that it has finished before it is gone: only a look after that one tells whether it has.
  return !process.alive() && state() != State::finished;
}

void JobTable::register_rank(Rank rank) {
  check(rank >= 0 && rank < ranks(), "rank {} (the job has {}). Start the job again.", rank, ranks());
  rank_ = rank;
  SharedStatus& status = page_->statuses[rank];
  const ProcessId self = ProcessId::self();
  status.pid.store(self.pid);
  status.start.store(self.start);
  status.end.store(end_of(State::running, 0));
  order_of_process.store(&page_->order);
  status_of_process.store(&status);
  struct sigaction action {};
  action.sa_handler = on_fatal_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup
  }
}

void JobTable::note(const char* operation) noexcept {
  if (rank_ < 0) return;
  char text[kWords * 8] = "";
  std::string_view(operation).copy(text, sizeof text);
  SharedStatus& status = page_->statuses[rank_];
  for (std::size_t i = 0; i < kWords; ++i) {
    std::uint64_t word;
    std::memcpy(&word, text + 8 * i, 8);
    status.operation[i].store(word, std::memory_order_relaxed);
  }
}

void JobTable::finish(int exit_code, std::string_view message) noexcept {
  if (rank_ < 0) return;
  message.copy(page_->statuses[rank_].message, kMessageBytes - 1);
  page_->statuses[rank_].exit_code.store(exit_code);
  note_end(page_->statuses[rank_], page_->order, State::finished);
}

void JobTable::await_noted_death() const noexcept {
  if (rank_ < 0) return;
  // A process that is being killed loses its memory, so that a transport fails, before the system shows it as dead.
  constexpr double kSeen_s = 0.2, kNoted_s = 2;
  const Timer timer;
  bool seen = false;
  try {
    while (timer.seconds() < (seen ? kNoted_s : kSeen_s)) {
      for (Rank r = 0; r < ranks(); ++r) {
        if (r == rank_) continue;
        if (state_of(page_->statuses[r].end.load()) == State::died) return;
        seen = seen || died(r);
      }
      if (seen && !maker().alive()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  } catch (const std::bad_alloc&) {  // no memory to look at a process: that may be the error, so no death is waited for
  }
}

void JobTable::note_death(Rank rank, int signal) noexcept {
  if (signal != 0) page_->statuses[rank].signal.store(signal);
  note_end(page_->statuses[rank], page_->order, State::died);
}

}  // namespace atl
