// SPDX-License-Identifier: Apache-2.0
#include "foreign_verb.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <ranges>
#include <set>

namespace atl::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "atoll-";

// Summaries of the verbs of the Python package; of others the name is all that is known.
constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
    {"kg", "knowledge graphs: from tables to named paths: kg import DIR --edges FILE"},
    {"report", "a page of figures from results: report run.json"},
    {"serve", "a web page and an interface of HTTP over a knowledge graph: serve DIR"},
    {"table", "files of Parquet, Arrow, GraphML and others, to and from text: table edges.parquet edges.tsv"},
};

// Beside this program, and in the environment that the build makes.
std::vector<fs::path> own_folders() {
  std::error_code ignored;
  const fs::path own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  return {own, own / "../.venv/bin"};
}

}  // namespace

void run_foreign_verb(const std::string& verb, const Words& words) {
  Words argv{std::string(kPrefix) + verb};
  argv.insert(argv.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& a : argv) pointers.push_back(a.data());
  pointers.push_back(nullptr);
  restore_stdout();
  std::signal(SIGPIPE, SIG_DFL);
  for (const fs::path& folder : own_folders()) execv((folder / argv[0]).c_str(), pointers.data());
  execvp(argv[0].c_str(), pointers.data());
}

std::optional<int> wait_for_foreign_verb(const std::string& verb, const Words& words) {
  Words argv{std::string(kPrefix) + verb};
  argv.insert(argv.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& a : argv) pointers.push_back(a.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  bool is_there = false;
  for (const fs::path& folder : own_folders())
    if (is_there = posix_spawn(&child, (folder / argv[0]).c_str(), nullptr, nullptr, pointers.data(), environ) == 0;
        is_there)
      break;
  if (!is_there && posix_spawnp(&child, argv[0].c_str(), nullptr, nullptr, pointers.data(), environ) != 0) return {};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::vector<std::pair<std::string, std::string>> foreign_verbs() {
  std::vector<fs::path> folders = own_folders();
  const char* path = std::getenv("PATH");
  for (const auto part : std::views::split(std::string_view(path ? path : ""), ':'))
    folders.emplace_back(std::string_view(part.begin(), part.end()));
  std::set<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
      const std::string name = it->path().filename().string();
      if (name.size() > kPrefix.size() && name.starts_with(kPrefix) && access(it->path().c_str(), X_OK) == 0)
        names.insert(name.substr(kPrefix.size()));
    }
  }
  std::vector<std::pair<std::string, std::string>> verbs;
  for (const std::string& name : names) {
    const auto known = std::ranges::find(kKnown, name, [](const auto& row) { return row.first; });
    verbs.emplace_back(
        name, known == std::end(kKnown) ? std::string("a program: atoll-") + name : std::string(known->second));
  }
  return verbs;
}

}  // namespace atl::cli
