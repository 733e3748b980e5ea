// SPDX-License-Identifier: Apache-2.0
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/file_handle.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

// Rank 0 listens at the address in its line. The others connect, send their rank, and stay connected. In each round
// every rank sends its text to rank 0, which returns all texts.
namespace atl {
namespace {

constexpr int kPort = 7117;
constexpr std::uint64_t kMagic = 0x61746f6c6c303031;  // "atoll001"

struct Address {
  std::string host;
  int port = kPort;
};

std::vector<Address> read_hosts(const std::string& path) {
  const std::optional<std::string> file = read_text_file(path);
  if (!file)
    throw UsageError(fmt::format("{}: {} (ATOLL_HOSTS names it). Give a file of lines host[:port], one for each rank.",
                                 path, std::strerror(errno)));
  std::vector<Address> out;
  std::string_view rest = *file, next;
  for (int number = 1; take_line(rest, next); ++number) {
    next = next.substr(0, next.find('#'));
    const std::size_t begin = next.find_first_not_of(" \t"), end = next.find_last_not_of(" \t");
    if (begin == std::string_view::npos) continue;
    const std::string line(next.substr(begin, end - begin + 1));
    if (line.find_first_of(" \t") != std::string::npos)
      throw UsageError(
          fmt::format("{}:{}: '{}' (a line is host[:port]; slots, as launchers have them, are lines of their "
                      "own here). Write a line for each rank.",
                      path, number, line));
    Address a{line, kPort};
    if (const std::size_t colon = line.find(':'); colon != std::string::npos && colon == line.rfind(':')) {
      char* digits_end = nullptr;
      const long port = std::strtol(line.c_str() + colon + 1, &digits_end, 10);
      if (*digits_end != 0 || port < 1024 || port > 65535)
        throw UsageError(
            fmt::format("{}:{}: port '{}' (a number from 1024 to 65535 follows the colon; it is no number of "
                        "slots). Correct it, and write a line for each rank.",
                        path, number, line.substr(colon + 1)));
      a = {line.substr(0, colon), static_cast<int>(port)};
    }
    out.push_back(std::move(a));
  }
  if (out.empty()) throw UsageError(fmt::format("{}: no host (one line for each rank is needed). Fill it.", path));
  return out;
}

// False if the time is up or the other end has closed.
bool move_all(int fd, std::byte* data, std::size_t bytes, short events, const Timer& timer, double timeout_s) {
  for (std::size_t at = 0; at < bytes;) {
    const double left_s = timeout_s - timer.seconds();
    pollfd file{fd, events, 0};
    if (left_s <= 0) return false;
    const int ready = poll(&file, 1, static_cast<int>(left_s * 1e3) + 1);
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    const ssize_t n =
        events == POLLIN ? recv(fd, data + at, bytes - at, 0) : send(fd, data + at, bytes - at, MSG_NOSIGNAL);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) return false;
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  return true;
}

// Sends a text with its length, in the machine's byte order: a job does not mix byte orders.
bool put_text(int fd, const std::string& text, const Timer& timer, double timeout_s) {
  auto bytes = static_cast<std::uint32_t>(text.size());
  std::string all(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  all += text;
  return move_all(fd, reinterpret_cast<std::byte*>(all.data()), all.size(), POLLOUT, timer, timeout_s);
}
bool get_text(int fd, std::string& text, const Timer& timer, double timeout_s) {
  std::uint32_t bytes = 0;
  if (!move_all(fd, reinterpret_cast<std::byte*>(&bytes), sizeof bytes, POLLIN, timer, timeout_s)) return false;
  if (bytes > Bootstrap::kTextBytes) return false;
  text.resize(bytes);
  return move_all(fd, reinterpret_cast<std::byte*>(text.data()), bytes, POLLIN, timer, timeout_s);
}

struct Hello {
  std::uint64_t magic = kMagic;
  Rank rank = -1, ranks = 0;
};

class ByHosts final : public Bootstrap {
 public:
  ByHosts(std::vector<Address> hosts, Rank rank, double timeout_s)
      : hosts_(std::move(hosts)), rank_(rank), timeout_s_(timeout_s) {
    const Timer timer;
    if (rank_ == 0) {
      std::random_device random;
      job_ = fmt::format("{:08x}{:08x}", random(), random());
      welcome(timer);
      for (Rank r = 1; r < size(); ++r)
        if (!put_text(peers_[r].get(), job_, timer, timeout_s_)) refuse({r});
    } else {
      connect_to_root(timer);
      if (!get_text(root_.get(), job_, timer, timeout_s_)) refuse({0});
    }
  }

  std::string_view name() const override { return "hosts"; }
  Rank rank() const override { return rank_; }
  Rank size() const override { return static_cast<Rank>(hosts_.size()); }
  std::string job() const override { return job_; }

  std::vector<std::string> gather(const std::string& mine) override {
    check(mine.size() <= kTextBytes, "a text of {} bytes for the other ranks (at most {} fit). Shorten it.",
          mine.size(), kTextBytes);
    const Timer timer;
    std::vector<std::string> texts(hosts_.size());
    if (rank_ != 0) {
      if (!put_text(root_.get(), mine, timer, timeout_s_)) refuse({0});
      for (std::string& text : texts)
        if (!get_text(root_.get(), text, timer, timeout_s_)) refuse({0});
      return texts;
    }
    texts[0] = mine;
    std::vector<Rank> missing;
    for (Rank r = 1; r < size(); ++r)
      if (!get_text(peers_[r].get(), texts[r], timer, timeout_s_)) missing.push_back(r);
    if (!missing.empty()) refuse(missing);
    for (Rank r = 1; r < size(); ++r)
      for (const std::string& text : texts)
        if (!put_text(peers_[r].get(), text, timer, timeout_s_)) refuse({r});
    return texts;
  }

 private:
  // On rank 0: accepts connections until all ranks have connected.
  void welcome(const Timer& timer) {
    peers_.resize(hosts_.size());
    if (size() == 1) return;
    const int port = hosts_[0].port;
    FileHandle listener(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1, no = 0;
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_addr = in6addr_any;
    any.sin6_port = htons(static_cast<std::uint16_t>(port));
    sockaddr_in any4{};
    any4.sin_family = AF_INET;
    any4.sin_port = any.sin6_port;
    const bool six = static_cast<bool>(listener);
    if (!six) listener = FileHandle(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (six) setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);  // IPv4 as well
    const int bound = six ? bind(listener.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any)
                          : bind(listener.get(), reinterpret_cast<const sockaddr*>(&any4), sizeof any4);
    if (bound != 0 || listen(listener.get(), static_cast<int>(hosts_.size())) != 0)
      throw TransportError(
          fmt::format("port {}: {} (rank 0 listens there for the others). Give rank 0's line in "
                      "ATOLL_HOSTS another port, host:port.",
                      port, std::strerror(errno)));
    for (Rank here = 1; here < size();) {
      const double left_s = timeout_s_ - timer.seconds();
      if (left_s <= 0) {
        std::vector<Rank> missing;
        for (Rank r = 1; r < size(); ++r)
          if (!peers_[r]) missing.push_back(r);
        refuse(missing);
      }
      pollfd file{listener.get(), POLLIN, 0};
      if (poll(&file, 1, static_cast<int>(left_s * 1e3) + 1) <= 0) continue;
      FileHandle peer(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!peer) continue;
      prepare(peer.get());
      // A foreign process that connects and sends nothing must not delay the others for long.
      constexpr double kStranger_s = 2;
      Hello hello;
      if (!move_all(peer.get(), reinterpret_cast<std::byte*>(&hello), sizeof hello, POLLIN, Timer(),
                    std::min(kStranger_s, timeout_s_)) ||
          hello.magic != kMagic)
        continue;
      if (hello.ranks != size() || hello.rank < 1 || hello.rank >= size() || peers_[hello.rank])
        throw TransportError(
            fmt::format("a process came as rank {} of {} (of {} ranks each comes once). Give all the same ATOLL_HOSTS "
                        "and each its own ATOLL_RANK.",
                        hello.rank, hello.ranks, size()));
      peers_[hello.rank] = std::move(peer);
      ++here;
    }
  }

  void connect_to_root(const Timer& timer) {
    const Address& root = hosts_[0];
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    const int code = getaddrinfo(root.host.c_str(), std::to_string(root.port).c_str(), &hints, &found);
    if (code != 0)
      throw TransportError(fmt::format("host '{}': {} (rank 0 runs there). Correct the first line of ATOLL_HOSTS.",
                                       root.host, gai_strerror(code)));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
    for (auto nap = std::chrono::milliseconds(1);; nap = std::min(2 * nap, std::chrono::milliseconds(100))) {
      for (const addrinfo* a = found; a && !root_; a = a->ai_next) {
        FileHandle s(socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol));
        if (s && connect(s.get(), a->ai_addr, a->ai_addrlen) == 0) root_ = std::move(s);
      }
      if (root_) break;
      if (timer.seconds() >= timeout_s_) refuse({0});
      std::this_thread::sleep_for(nap);
    }
    prepare(root_.get());
    Hello hello{.rank = rank_, .ranks = size()};
    if (!move_all(root_.get(), reinterpret_cast<std::byte*>(&hello), sizeof hello, POLLOUT, timer, timeout_s_))
      refuse({0});
  }

  static void prepare(int fd) {
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }

  [[noreturn]] void refuse(const std::vector<Rank>& missing) const {
    constexpr std::size_t kNamed = 8;
    std::string names;
    for (std::size_t i = 0; i < std::min(kNamed, missing.size()); ++i) {
      const Address& a = hosts_[missing[i]];
      names += fmt::format("{}{} ({})", i > 0 ? ", " : "", missing[i],
                           missing[i] == 0 ? fmt::format("{}:{}", a.host, a.port) : a.host);
    }
    if (missing.size() > kNamed) names += fmt::format(" and {} more", missing.size() - kNamed);
    throw TransportError(fmt::format(
        "rank {} has waited up to {} s for rank{} {} of {} (not started, ended early, or not reached). Look "
        "at the messages there.",
        rank_, timeout_s_, missing.size() > 1 ? "s" : "", names, size()));
  }

  const std::vector<Address> hosts_;
  const Rank rank_;
  const double timeout_s_;
  std::string job_;
  std::vector<FileHandle> peers_;  // on rank 0
  FileHandle root_;                // on the other ranks
};

}  // namespace

std::unique_ptr<Bootstrap> bootstrap_by_hosts(const std::string& file, Rank rank, double timeout_s) {
  std::vector<Address> hosts = read_hosts(file);
  if (rank < 0 || rank >= static_cast<Rank>(hosts.size()))
    throw UsageError(fmt::format("ATOLL_RANK is {} ({} has {} hosts, one for each rank from 0). Correct one of them.",
                                 rank, file, hosts.size()));
  return std::make_unique<ByHosts>(std::move(hosts), rank, timeout_s);
}

Rank ranks_of_hosts(const std::string& file) { return static_cast<Rank>(read_hosts(file).size()); }

}  // namespace atl
