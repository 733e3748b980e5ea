// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <cerrno>
#include <cstring>
#include <string_view>

// PMI-1 in the dialect of MPICH's Hydra and Slurm's pmi2 plug-in: lines of key=value over an inherited socket. Each
// rank puts its text, all wait at the launcher's barrier, and each gets the others' texts.
namespace atl {
namespace {

constexpr double kFarewell_s = 2;

class ByPmi final : public Bootstrap {
 public:
  ByPmi(int file, Rank rank, Rank ranks, double timeout_s)
      : file_(file), rank_(rank), ranks_(ranks), timeout_s_(timeout_s) {
    ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
    const std::string maxes = ask("cmd=get_maxes", "maxes");
    longest_ = std::strtoul(value(maxes, "vallen_max").c_str(), nullptr, 10);
    space_ = value(ask("cmd=get_my_kvsname", "my_kvsname"), "kvsname");
  }

  // The launcher treats a process that ends without finalizing PMI as crashed.
  ~ByPmi() override {
    try {
      timeout_s_ = kFarewell_s;
      ask("cmd=finalize", "finalize_ack");
    } catch (const TransportError&) {  // the launcher itself has ended
    }
  }

  std::string_view name() const override { return "pmi"; }
  Rank rank() const override { return rank_; }
  Rank size() const override { return ranks_; }
  std::string job() const override { return space_; }

  std::vector<std::string> gather(const std::string& mine) override {
    check(mine.size() <= kTextBytes, "a text of {} bytes for the other ranks (at most {} fit). Shorten it.",
          mine.size(), kTextBytes);
    const int round = round_++;
    // PMI values must contain no blanks and must not be empty.
    std::string written = "x";
    for (const char c : mine) written += fmt::format("{:02x}", static_cast<unsigned char>(c));
    if (longest_ > 0 && written.size() >= longest_)
      throw TransportError(
          fmt::format("PMI: a value of {} bytes (the launcher takes {}). Use another launcher, or ATOLL_HOSTS.",
                      written.size(), longest_));
    ask(fmt::format("cmd=put kvsname={} key=atoll-{}-{} value={}", space_, round, rank_, written), "put_result");
    ask("cmd=barrier_in", "barrier_out");
    std::vector<std::string> texts;
    for (Rank r = 0; r < ranks_; ++r) {
      const std::string got =
          value(ask(fmt::format("cmd=get kvsname={} key=atoll-{}-{}", space_, round, r), "get_result"), "value");
      std::string& text = texts.emplace_back();
      for (std::size_t at = 1; at + 1 < got.size(); at += 2)
        text += static_cast<char>(std::stoi(got.substr(at, 2), nullptr, 16));
    }
    return texts;
  }

 private:
  static std::string value(std::string_view line, std::string_view key) {
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      const std::string_view word = line.substr(at, end - at);
      if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
        return std::string(word.substr(key.size() + 1));
      at = end + 1;
    }
    return {};
  }

  std::string ask(const std::string& request, std::string_view answer) {
    const std::string line = request + "\n";
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t n = write(file_, line.data() + sent, line.size() - sent);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) refuse(request, std::strerror(errno));
      sent += static_cast<std::size_t>(n);
    }
    const std::string got = read_line(request);
    const std::string code = value(got, "rc");
    if (value(got, "cmd") != answer || (!code.empty() && code != "0")) refuse(request, "it answers '" + got + "'");
    return got;
  }

  std::string read_line(const std::string& request) {
    const Timer timer;
    for (;;) {
      if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
        const std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      pollfd file{file_, POLLIN, 0};
      const double left_s = timeout_s_ - timer.seconds();
      if (left_s <= 0)
        throw TransportError(fmt::format(
            "rank {} has waited {} s for its launcher's answer to '{}' (with barrier_in: for a rank that has "
            "not come). Look at the other ranks' messages.",
            rank_, timeout_s_, request));
      if (poll(&file, 1, static_cast<int>(left_s * 1e3) + 1) <= 0) continue;
      char part[1024];
      const ssize_t n = read(file_, part, sizeof part);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) refuse(request, n == 0 ? "it has gone" : std::strerror(errno));
      buffer_.append(part, static_cast<std::size_t>(n));
    }
  }

  [[noreturn]] void refuse(const std::string& request, const std::string& why) const {
    throw TransportError(fmt::format(
        "PMI '{}': {} (PMI-1 of the launcher is needed). Use another launcher, or ATOLL_HOSTS.", request, why));
  }

  const int file_;
  const Rank rank_, ranks_;
  double timeout_s_;
  std::size_t longest_ = 0;
  std::string space_;
  std::string buffer_;
  int round_ = 0;
};

}  // namespace

std::unique_ptr<Bootstrap> bootstrap_by_pmi(int file, Rank rank, Rank ranks, double timeout_s) {
  return std::make_unique<ByPmi>(file, rank, ranks, timeout_s);
}

}  // namespace atl
