// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/runtime/job/leftovers.hpp>
#include <charconv>
#include <filesystem>
#include <string>
#include <vector>

namespace atl {
namespace {

// The process that a name tells; 0: none. Ours end with it, "atoll.1000.5f3c.4711"; libfabric's, "4711:1000:0", begin
// with it.
int maker_of(std::string_view name) {
  int pid = 0;
  if (name.starts_with("atoll.")) {
    const std::string_view last = name.substr(name.rfind('.') + 1);
    return std::from_chars(last.data(), last.data() + last.size(), pid).ptr == last.data() + last.size() ? pid : 0;
  }
  const auto parts = std::ranges::count(name, ':');
  const bool numbers = name.find_first_not_of("0123456789:") == std::string_view::npos;
  if (numbers && parts == 2) std::from_chars(name.data(), name.data() + name.size(), pid);
  return pid;
}

}  // namespace

void remove_leftovers_of(std::span<const ProcessId> ranks) {
  std::vector<int> gone;
  for (const ProcessId& rank : ranks) {
    const std::uint64_t holder = ProcessId::of(rank.pid).start;  // of the number; a rank may be a zombie yet
    if (rank.pid > 0 && !rank.alive() && (holder == 0 || holder == rank.start)) gone.push_back(rank.pid);
  }
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored)) {
    struct stat about {};
    if (std::ranges::find(gone, maker_of(entry.path().filename().string())) != gone.end() &&
        lstat(entry.path().c_str(), &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == getuid())
      unlink(entry.path().c_str());
  }
}

}  // namespace atl
