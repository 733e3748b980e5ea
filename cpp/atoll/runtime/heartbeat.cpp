// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atoll/base/start_thread.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/runtime/heartbeat.hpp>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

namespace atl {
namespace {

// The longest time between two beats; shorter timeouts need a shorter one.
constexpr double kBeat_s = 1, kBeatsInSilence = 8;
constexpr std::size_t kAddresses = 4;  // of a machine with several networks: each gets the datagram

// A name that is equal for processes that reach each other by the loopback device.
std::string host_facts() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char network[64] = {};
  static_cast<void>(!readlink("/proc/self/ns/net", network, sizeof network - 1));
  return boot + network;
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> out;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return out;
  for (const ifaddrs* a = first; a && out.size() < kAddresses; a = a->ifa_next) {
    if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET || (a->ifa_flags & IFF_LOOPBACK) || !(a->ifa_flags & IFF_UP))
      continue;
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(a->ifa_addr)->sin_addr, text, sizeof text);
    out.emplace_back(text);
  }
  freeifaddrs(first);
  return out;
}

// A socket bound to `address`, and its port; port 0 on failure.
std::pair<FileHandle, int> open_socket(in_addr_t address) {
  FileHandle file(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in mine{};
  mine.sin_family = AF_INET;
  mine.sin_addr.s_addr = htonl(address);
  socklen_t bytes = sizeof mine;
  if (!file || bind(file.get(), reinterpret_cast<const sockaddr*>(&mine), sizeof mine) != 0 ||
      getsockname(file.get(), reinterpret_cast<sockaddr*>(&mine), &bytes) != 0)
    return {std::move(file), 0};
  return {std::move(file), ntohs(mine.sin_port)};
}

}  // namespace

// One datagram, in the machine's byte order: a job does not mix byte orders.
struct Heartbeat::Datagram {
  std::uint64_t secret;
  Rank from;
  Rank silent;  // -1: a beat of `from`, and `operation` is what `from` waited for
  double seconds;
  char operation[kTextBytes];
};

Heartbeat::Heartbeat(Bootstrap& job, Options options)
    : options_(std::move(options)),
      rank_(job.rank()),
      size_(job.size()),
      beat_s_(
          std::min(kBeat_s, (options_.timeout_s > 0 ? std::min(options_.timeout_s, options_.warn_s) : options_.warn_s) /
                                kBeatsInSilence)) {
  const std::vector<std::string> machines = job.gather(fmt::format("{:016x}", std::hash<std::string>()(host_facts())));
  const bool one_machine = std::equal(machines.begin() + 1, machines.end(), machines.begin());
  auto [file, port] = open_socket(one_machine ? INADDR_LOOPBACK : INADDR_ANY);
  socket_ = std::move(file);
  char host[kTextBytes] = "";
  gethostname(host, sizeof host - 1);
  std::random_device random;
  std::string mine = fmt::format("{:08x}{:08x} {} {} {}", random(), random(), getpid(), port, host);
  if (!one_machine)
    for (const std::string& address : own_addresses()) mine += " " + address;
  const std::vector<std::string> texts = job.gather(mine);
  for (std::size_t r = 0; r < texts.size(); ++r) {
    std::istringstream words(texts[r]);
    std::uint64_t secret = 0;
    int port_there = 0;
    Peer& peer = peers_.emplace_back();
    words >> std::hex >> secret >> std::dec >> peer.pid >> port_there >> peer.host;
    if (r == 0) secret_ = secret;
    const bool here = machines[r] == machines[rank_];
    for (std::string text = here ? "127.0.0.1" : ""; port_there > 0 && (here || words >> text);) {
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(static_cast<std::uint16_t>(port_there));
      inet_pton(AF_INET, text.c_str(), &to.sin_addr);
      peer.addresses.push_back(to);
      if (here) break;
    }
  }
  stop_ = FileHandle(eventfd(0, EFD_CLOEXEC));
  // Block all signals in the new thread: they are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = start_thread("the thread by which this rank answers others", [this] { run(); });
  } catch (...) {  // the destructor will not run
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Heartbeat::~Heartbeat() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void Heartbeat::note(std::string_view operation) noexcept {
  std::lock_guard hold(lock_);
  operation_[operation.copy(operation_, kTextBytes - 1)] = 0;
}

void Heartbeat::check() const {
  if (!concluded_.load(std::memory_order_acquire)) return;
  std::lock_guard hold(lock_);
  throw SilentRank(*silent_);
}

void Heartbeat::run() {
  Timer timer;
  for (double left_s = 0;;) {
    if (left_s <= 0) {
      beat();
      left_s = beat_s_;
    }
    std::array<pollfd, 2> files{{{stop_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}}};
    poll(files.data(), files.size(), static_cast<int>(std::ceil(left_s * 1e3)));
    if (files[0].revents != 0) return;
    receive();
    const double passed_s = timer.lap();
    left_s -= passed_s;
    silence_s_ += std::min(passed_s, 2 * beat_s_);
    judge();
  }
}

void Heartbeat::beat() {
  Datagram datagram{secret_, rank_, -1, 0, {}};
  std::unique_lock hold(lock_);
  if (detected_here_) {  // repeated at each beat, because a datagram may be lost
    datagram.silent = silent_->rank;
    datagram.seconds = options_.timeout_s;
    std::memcpy(datagram.operation, last_heard_, kTextBytes);
    hold.unlock();
    for (const Peer& peer : peers_) send(peer, datagram);
  } else {
    std::memcpy(datagram.operation, operation_, kTextBytes);
    hold.unlock();
    send(peers_[(rank_ + 1) % size_], datagram);
  }
}

void Heartbeat::receive() {
  Datagram datagram;
  for (ssize_t got; (got = recv(socket_.get(), &datagram, sizeof datagram, 0)) >= 0;) {
    if (got != sizeof datagram || datagram.secret != secret_) continue;
    datagram.operation[kTextBytes - 1] = 0;
    if (datagram.silent >= 0 && datagram.silent < size_)
      conclude(datagram.silent, datagram.seconds, datagram.operation);
    if (datagram.from != (rank_ + size_ - 1) % size_) continue;
    if (warned_ && heard_) options_.alarm(LogLevel::warn, "rank {} answers again", datagram.from);
    heard_ = true;
    warned_ = false;
    silence_s_ = 0;
    if (datagram.silent < 0) std::memcpy(last_heard_, datagram.operation, kTextBytes);
  }
}

void Heartbeat::judge() {
  if (concluded_.load(std::memory_order_relaxed)) return;
  const Rank before = (rank_ + size_ - 1) % size_;
  const double limit_s = options_.timeout_s;
  if (silence_s_ > options_.warn_s && !warned_) {
    warned_ = true;
    if (heard_) {
      options_.alarm(LogLevel::warn, "{}{}", describe(before, options_.warn_s, last_heard_),
                     limit_s > options_.warn_s ? fmt::format("; after {} s the job ends", limit_s) : "");
    } else {
      options_.alarm(LogLevel::warn,
                     "rank {} on {} is not heard from on {} (no UDP between them?); if it stops, nobody will notice",
                     before, peers_[before].host, peers_[rank_].host);
    }
  }
  if (!heard_ || limit_s == 0 || silence_s_ <= limit_s) return;
  conclude(before, limit_s, last_heard_);
  detected_here_ = true;
  beat();
}

void Heartbeat::conclude(Rank rank, double seconds, const char* operation) {
  if (options_.timeout_s == 0 || concluded_.load(std::memory_order_relaxed)) return;
  std::lock_guard hold(lock_);
  silent_.emplace(rank,
                  fmt::format("{} (it has ended, is stopped, or its machine is out of reach). Look there; a longer "
                              "timeout_seconds waits longer, 0 for ever.",
                              describe(rank, seconds, operation)));
  concluded_.store(true, std::memory_order_release);
}

std::string Heartbeat::describe(Rank rank, double seconds, const char* operation) const {
  const Peer& peer = peers_[rank];
  return fmt::format("rank {} (pid {} on {}) has not answered for {} s, {}", rank, peer.pid, peer.host, seconds,
                     *operation ? fmt::format("last in \"{}\"", operation) : "and had not waited for anything before");
}

void Heartbeat::send(const Peer& peer, const Datagram& datagram) const {
  for (const sockaddr_in& to : peer.addresses)
    sendto(socket_.get(), &datagram, sizeof datagram, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

}  // namespace atl
