// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/file_handle.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>
#include <thread>

// File <round>.<rank> holds the text of that rank in that round. Each file appears atomically: it is written under
// another name, then linked. The link fails if a file of that name exists, which reveals a folder that another job has
// used.
namespace atl {
namespace {

class ByFiles final : public Bootstrap {
 public:
  ByFiles(std::string folder, Rank rank, Rank ranks, double timeout_s)
      : folder_(std::move(folder)), rank_(rank), ranks_(ranks), timeout_s_(timeout_s) {
    if (rank_ == 0) {
      std::random_device random;
      job_ = fmt::format("{:08x}{:08x}", random(), random());
      write("job", job_);
      return;
    }
    const Timer timer;
    job_ = wait_for("job", timer).value_or("");
    if (job_.empty()) refuse({0});
  }

  std::string_view name() const override { return "file"; }
  Rank rank() const override { return rank_; }
  Rank size() const override { return ranks_; }
  std::string job() const override { return job_; }

  std::vector<std::string> gather(const std::string& mine) override {
    check(mine.size() <= kTextBytes, "a text of {} bytes for the other ranks (at most {} fit). Shorten it.",
          mine.size(), kTextBytes);
    const int round = round_++;
    write(fmt::format("{}.{}", round, rank_), mine);
    const Timer timer;
    std::vector<std::string> texts(static_cast<std::size_t>(ranks_));
    std::vector<Rank> missing;
    for (Rank r = 0; r < ranks_; ++r) {
      auto text = wait_for(fmt::format("{}.{}", round, r), timer);
      if (text)
        texts[r] = std::move(*text);
      else
        missing.push_back(r);
    }
    if (!missing.empty()) refuse(missing);
    return texts;
  }

 private:
  std::string path(const std::string& file) const { return folder_ + "/" + file; }

  void write(const std::string& file, const std::string& text) {
    const std::string whole = path(file), part = fmt::format("{}.{}.part", whole, getpid());
    const FileHandle handle(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (const int error = handle ? handle.write(text) : errno)
      throw TransportError(fmt::format("{}: {} (ranks find each other through this folder). Make it writable for each.",
                                       part, std::strerror(error)));
    const int failed = link(part.c_str(), whole.c_str()) == 0 ? 0 : errno;
    unlink(part.c_str());
    if (failed == EEXIST)
      throw TransportError(
          fmt::format("{}: it is there already (another job has used this folder, or rank {} was started twice). Give "
                      "each job an empty folder.",
                      whole, rank_));
    if (failed != 0)
      throw TransportError(fmt::format("{}: {} (ranks find each other through this folder). Use another file system.",
                                       whole, std::strerror(failed)));
  }

  std::optional<std::string> read(const std::string& file) const {
    std::ifstream in(path(file), std::ios::binary);
    if (!in) return std::nullopt;
    std::string text(kTextBytes, '\0');
    text.resize(static_cast<std::size_t>(in.read(text.data(), std::ssize(text)).gcount()));
    return text;
  }

  std::optional<std::string> wait_for(const std::string& file, const Timer& timer) const {
    for (auto nap = std::chrono::microseconds(100);; nap = std::min(2 * nap, std::chrono::microseconds(20000))) {
      if (auto text = read(file)) return text;
      if (timer.seconds() >= timeout_s_) return std::nullopt;
      std::this_thread::sleep_for(nap);
    }
  }

  [[noreturn]] void refuse(const std::vector<Rank>& missing) const {
    constexpr std::size_t kNamed = 8;
    std::string names;
    for (std::size_t i = 0; i < std::min(kNamed, missing.size()); ++i)
      names += fmt::format("{}{}", i > 0 ? ", " : "", missing[i]);
    if (missing.size() > kNamed) names += fmt::format(" and {} more", missing.size() - kNamed);
    throw TransportError(
        fmt::format("rank {} has waited {} s for rank{} {} of {} in {} (not started, ended early, or without this "
                    "folder). Look at the messages of {}.",
                    rank_, timeout_s_, missing.size() > 1 ? "s" : "", names, ranks_, folder_,
                    missing.size() > 1 ? "those" : "that one"));
  }

  const std::string folder_;
  const Rank rank_, ranks_;
  const double timeout_s_;
  std::string job_;
  int round_ = 0;
};

}  // namespace

std::unique_ptr<Bootstrap> bootstrap_by_files(const std::string& folder, Rank rank, Rank ranks, double timeout_s) {
  return std::make_unique<ByFiles>(folder, rank, ranks, timeout_s);
}

}  // namespace atl
