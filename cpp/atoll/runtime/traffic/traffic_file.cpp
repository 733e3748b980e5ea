// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/base/files/file_handle.hpp>
#include <atoll/base/json.hpp>
#include <atoll/runtime/traffic/traffic_file.hpp>
#include <atoll/runtime/traffic/varint.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace atl {
namespace {

constexpr int kTrafficVersion = 1;

[[noreturn]] void refuse_traffic(const std::string& path, const std::string& why) {
  throw InputError(fmt::format(
      "{}: {} (it is no file that --keep-traffic wrote, or it is damaged). Keep the traffic anew.", path, why));
}

// Takes the numbers of one rank's part.
class Numbers {
 public:
  Numbers(std::span<const std::byte> part, const std::string& path) : rest_(part), path_(path) {}
  bool empty() const { return rest_.empty(); }
  std::uint64_t take() {
    const std::optional<std::uint64_t> number = take_varint(rest_);
    if (!number) refuse("ends in the middle of a step");
    return *number;
  }
  Rank take_rank(Rank ranks) {
    const std::uint64_t rank = take();
    if (rank >= static_cast<std::uint64_t>(ranks)) refuse(fmt::format("names rank {} of {}", rank, ranks));
    return static_cast<Rank>(rank);
  }
  std::byte take_byte() {
    const std::byte first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  [[noreturn]] void refuse(const std::string& why) const { refuse_traffic(path_, why); }

 private:
  std::span<const std::byte> rest_;
  const std::string& path_;
};

// The records of a drain, run by run.
void take_records(Numbers& numbers, Rank ranks, bool has_keys, TrafficStep& step) {
  const std::uint64_t records = step.numbers[2];
  while (step.to.size() < records) {
    const Rank to = numbers.take_rank(ranks);
    const std::uint64_t length = numbers.take();
    if (length == 0 || length > kLongestKeptRun || length > records - step.to.size())
      numbers.refuse(fmt::format("has a run of {} records", length));
    step.to.insert(step.to.end(), static_cast<std::size_t>(length), to);
    if (has_keys)
      for (std::uint64_t k = 0; k < length; ++k) step.keys.push_back(numbers.take());
  }
}

void take_list(Numbers& numbers, Rank ranks, TrafficStep& step) {
  const auto p = static_cast<std::size_t>(ranks);
  switch (step.kind) {
    case StepKind::open_alltoallv:
      for (std::size_t k = 0; k < 2 * p; ++k) step.list.push_back(numbers.take());
      break;
    case StepKind::exchange_bytes:
      for (std::size_t k = 0; k < p; ++k) step.list.push_back(numbers.take());
      break;
    case StepKind::alltoallv:
      for (std::uint64_t k = 0; k < step.numbers[1]; ++k) {
        step.list.push_back(static_cast<std::uint64_t>(numbers.take_rank(ranks)));
        step.list.push_back(numbers.take());
      }
      break;
    case StepKind::send:
    case StepKind::receive:
    case StepKind::broadcast: {
      const std::uint64_t rank = step.kind == StepKind::broadcast ? step.numbers[1] : step.numbers[0];
      if (rank >= static_cast<std::uint64_t>(ranks)) numbers.refuse(fmt::format("names rank {} of {}", rank, ranks));
      break;
    }
    default:
      break;
  }
}

}  // namespace

void write_traffic(const std::string& path, const TrafficFile& file) {
  std::string all;
  std::vector<std::uint64_t> lengths;
  for (const auto& part : file.parts) {
    lengths.push_back(part.size());
    all.append(reinterpret_cast<const char*>(part.data()), part.size());
  }
  const std::string head = dump_json(nlohmann::json{{"atoll_traffic", kTrafficVersion},
                                                    {"route", file.route},
                                                    {"about", file.about},
                                                    {"trials", file.trials},
                                                    {"bytes", lengths},
                                                    {"checksum", hex(checksum(all.data(), all.size()))}}) +
                           "\n";
  AtomicFile out(path);
  out.reserve(head.size() + all.size());
  out.write_at(head.data(), head.size(), 0);
  if (!all.empty()) out.write_at(all.data(), all.size(), head.size());
  out.commit();
}

TrafficFile read_traffic(const std::string& path) {
  const FileHandle handle(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!handle)
    throw IoError(fmt::format("{}: {} (it is the traffic to resend). Correct the path.", path, strerror(errno)));
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed) throw IoError(fmt::format("{}: {} (it is no regular file). Give a file.", path, failed.message()));
  std::string text(static_cast<std::size_t>(size), '\0');
  if (const int error = size > 0 ? handle.read_at(text.data(), text.size(), 0) : 0; error != 0)
    throw IoError(fmt::format("{}: {} (it cannot be read). Look at the disk.", path, strerror(error)));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) refuse_traffic(path, "has no first line");
  const nlohmann::json head = try_parse_json(std::string_view(text).substr(0, end));
  if (!head.is_object() || !head.contains("atoll_traffic")) refuse_traffic(path, "has another first line");
  check(head["atoll_traffic"] == kTrafficVersion,
        "{}: has version {} of the format of traffic (this Atoll reads {}). Keep the traffic by this Atoll.", path,
        dump_json_replacing(head["atoll_traffic"]), kTrafficVersion);
  TrafficFile file;
  std::string sum;
  std::vector<std::uint64_t> lengths;
  try {
    head.at("route").get_to(file.route);
    head.at("about").get_to(file.about);
    head.at("trials").get_to(file.trials);
    head.at("bytes").get_to(lengths);
    head.at("checksum").get_to(sum);
  } catch (const nlohmann::json::exception& e) {
    refuse_traffic(path, fmt::format("has a first line that is not right: {}", e.what()));
  }
  const std::string_view all = std::string_view(text).substr(end + 1);
  std::size_t at = 0;
  for (const std::uint64_t length : lengths) {
    if (length > all.size() - at) refuse_traffic(path, fmt::format("ends after {} bytes", text.size()));
    const auto* first = reinterpret_cast<const std::byte*>(all.data() + at);
    file.parts.emplace_back(first, first + length);
    at += static_cast<std::size_t>(length);
  }
  if (at != all.size() || hex(checksum(all.data(), all.size())) != sum)
    refuse_traffic(path, "has another checksum than its first line says");
  return file;
}

std::vector<TrafficStep> read_steps(std::span<const std::byte> part, Rank ranks, const std::string& path) {
  Numbers numbers(part, path);
  std::vector<TrafficStep> steps;
  std::map<std::uint64_t, KeptMailbox> mailboxes;  // by number
  while (!numbers.empty()) {
    TrafficStep& step = steps.emplace_back();
    const auto kind = static_cast<std::size_t>(numbers.take_byte());
    if (kind >= kStepKinds) numbers.refuse(fmt::format("has a step of kind {}", kind));
    step.kind = static_cast<StepKind>(kind);
    step.seconds = static_cast<double>(numbers.take()) * 1e-9;
    for (std::size_t k = 0; k < numbers_of(step.kind); ++k) step.numbers[k] = numbers.take();
    if (step.kind == StepKind::open_mailbox) {
      if (step.numbers[2] > static_cast<std::uint64_t>(KeptMailbox::Joins::asking) || step.numbers[1] == 0)
        numbers.refuse("has a mailbox that no run makes");
      mailboxes[step.numbers[0]] = mailbox_of(step);
    } else if (step.kind == StepKind::drain) {
      const auto mailbox = mailboxes.find(step.numbers[0]);
      if (mailbox == mailboxes.end()) numbers.refuse(fmt::format("drains mailbox {} before it opens", step.numbers[0]));
      take_records(numbers, ranks, mailbox->second.has_keys(), step);
    } else {
      take_list(numbers, ranks, step);
    }
  }
  return steps;
}

KeptMailbox mailbox_of(const TrafficStep& step) {
  return {.record_bytes = static_cast<std::size_t>(step.numbers[1]),
          .joins = static_cast<KeptMailbox::Joins>(step.numbers[2]),
          .handler_sends = (step.numbers[3] & 1) != 0,
          .handler_is_slow = (step.numbers[3] & 2) != 0};
}

}  // namespace atl
