// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <atoll/base/usable_memory.hpp>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace atl {
namespace {

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream in(path);
  std::uint64_t value = 0;
  if (in >> value) return value;
  return {};  // not there, or "max"
}

std::uint64_t available() {
  std::ifstream in("/proc/meminfo");
  for (std::string name, rest; in >> name; std::getline(in, rest))
    if (std::uint64_t kib = 0; name == "MemAvailable:" && in >> kib) return kib << 10;
  return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Returns the value of `name` in a memory.stat.
std::uint64_t stat_of(const std::string& folder, const std::string& wanted) {
  std::ifstream in(folder + "/memory.stat");
  std::string name;
  for (std::uint64_t value = 0; in >> name >> value;)
    if (name == wanted) return value;
  return 0;
}

// Returns the bytes that the groups from this process's own up to the root leave.
std::uint64_t left_by_groups() {
  std::uint64_t least = UINT64_MAX;
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // number:controllers:path
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && controllers != "memory") continue;
    const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    const char* const limit_name = unified ? "/memory.max" : "/memory.limit_in_bytes";
    const char* const usage_name = unified ? "/memory.current" : "/memory.usage_in_bytes";
    const char* const files_name = unified ? "file" : "total_cache";
    for (std::string path = line.substr(second + 1); path.size() > 1; path.resize(path.find_last_of('/'))) {
      const std::string folder = root + path;
      const auto limit = number_in(folder + limit_name), usage = number_in(folder + usage_name);
      if (!limit || !usage) continue;
      const std::uint64_t taken = *usage - std::min(*usage, stat_of(folder, files_name));
      least = std::min(least, *limit - std::min(*limit, taken));
    }
  }
  return least;
}

}  // namespace

std::size_t usable_memory() { return static_cast<std::size_t>(std::min(available(), left_by_groups())); }

}  // namespace atl
