// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/transport/shared_memory/node_fabric.hpp>
#include <atoll/transport/shared_memory/shared_segment.hpp>
#include <atoll/transport/shared_memory/shm.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace atl {
namespace {

constexpr const char* kFolder = "/dev/shm";
// A recent segment whose creator looks dead may belong to another container on the same /dev/shm.
constexpr double kStaleAfter_s = 60;

// A key that is equal for processes that can attach each other's segments: same boot of the same kernel, same /dev/shm.
std::string node_key() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat folder {};
  stat(kFolder, &folder);
  char host[65] = {};
  gethostname(host, sizeof host - 1);
  return fmt::format("{} {} {} {}", host, boot, folder.st_dev, folder.st_ino);
}

std::string prefix() { return fmt::format("atoll.{}.", getuid()); }

// Runs `mine` on every rank and gathers what it returns; if it throws anywhere, every rank throws the error of the
// lowest such rank.
template <class F>
std::vector<std::string> gather_or_throw(Bootstrap& job, F&& mine) {
  constexpr char kFailed = '!';
  std::string text;
  try {
    text = fmt::format("={}", mine());
  } catch (const Error& e) {
    text = fmt::format("{}{}", kFailed, std::string_view(e.what()).substr(0, Bootstrap::kTextBytes - 1));
  }
  std::vector<std::string> all = job.gather(text);
  for (std::string& t : all) {
    if (t.starts_with(kFailed)) throw TransportError(t.substr(1));
    t.erase(0, 1);
  }
  return all;
}

// The name of this rank's segment, for as long as the others need it.
struct Name {
  std::string text;
  bool mine = false;
  ~Name() {
    if (mine) SharedSegment::remove(text);
  }
};

void check_room(std::size_t bytes) {
  struct statvfs status {};
  if (statvfs(kFolder, &status) != 0) return;  // creating the segment will report the error
  const std::size_t free = status.f_bavail * status.f_frsize;
  if (bytes > free)
    throw TransportError(fmt::format(
        "{}: {} MiB are free (the ranks of this node may need {} MiB there). Enlarge it, lower slot_bytes or "
        "ring_bytes in the plan, or use --node-transport none.",
        kFolder, free >> 20, (bytes >> 20) + 1));
}

}  // namespace

ShmStatus shm_status() {
  struct statvfs status {};
  if (statvfs(kFolder, &status) != 0 || access(kFolder, W_OK) != 0)
    return {false, fmt::format("{} is not there or not writable. Mount a tmpfs there (docker: --shm-size).", kFolder)};
  const double free = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize) / 1e9;
  return {true, fmt::format("ranks as processes of this machine; {:.1f} GB free in {}", free, kFolder)};
}

int remove_stale_segments() {
  int removed = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix())) continue;
    const int pid = std::atoi(name.c_str() + name.rfind('.') + 1);
    struct stat status {};
    if (pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH || stat(entry.path().c_str(), &status) != 0) continue;
    if (std::difftime(std::time(nullptr), status.st_mtime) < kStaleAfter_s) continue;
    SharedSegment::remove("/" + name);
    ++removed;
  }
  return removed;
}

std::unique_ptr<Fabric> join_shm(Bootstrap& job, const ShmOptions& options) {
  NodeFabricOptions node;
  node.name = "shm";
  node.rank = job.rank();
  node.size = job.size();
  node.shuffle_seed = options.shuffle_seed;
  node.abort = [](int code) { _exit(code); };

  const std::vector<std::string> keys = job.gather(node_key());
  const auto me = static_cast<std::size_t>(job.rank());
  std::vector<std::string> seen;
  for (std::size_t r = 0; r < keys.size(); ++r) {
    auto at = std::find(seen.begin(), seen.end(), keys[r]);
    if (at == seen.end()) at = seen.insert(seen.end(), keys[r]);
    node.nodes.push_back(static_cast<int>(at - seen.begin()));
    // Every rank has the same keys, so every rank throws.
    if (!options.may_be_apart && keys[r] != keys[0])
      throw TransportError(
          fmt::format("transport shm: rank {} shares no memory with rank 0 (it runs on another host or "
                      "in another container). Use --transport mpi or ofi.",
                      r));
    const bool same_domain = options.domains.empty() || options.domains[r] == options.domains[me];
    if (keys[r] == keys[me] && (same_domain || !options.may_be_apart)) node.members.push_back(static_cast<Rank>(r));
  }

  InboxGeometry geometry{.sources = static_cast<std::uint32_t>(node.members.size()),
                         .slots = static_cast<std::uint32_t>(options.slots_per_peer),
                         .slot_bytes = options.slot_bytes,
                         .message_ring = options.ring_bytes,
                         .control_ring = options.control_ring_bytes};
  auto mappings = std::make_shared<std::vector<SharedSegment>>();
  Name name{fmt::format("/{}{}.{}.{}", prefix(), job.job(), job.rank(), getpid())};
  SharedSegment mine;
  const std::vector<std::string> names = gather_or_throw(job, [&] {
    geometry.validate();
    remove_stale_segments();
    check_room(geometry.bytes() * node.members.size());
    mine = SharedSegment::create(name.text, geometry.bytes());
    name.mine = true;
    Inbox::format(mine.data(), geometry);
    return name.text;
  });
  gather_or_throw(job, [&] {
    for (const Rank r : node.members) {
      mappings->push_back(r == job.rank() ? std::move(mine) : SharedSegment::attach(names[r]));
      node.inboxes.push_back(mappings->back().data());
    }
    return std::string();
  });
  node.memory = std::move(mappings);
  return make_node_fabric(std::move(node));
}

}  // namespace atl
