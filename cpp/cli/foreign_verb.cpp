// SPDX-License-Identifier: Apache-2.0
#include "foreign_verb.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace atl::cli {

void run_foreign_verb(const std::string& verb, const Words& words) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  Words argv{"atoll-" + verb};
  argv.insert(argv.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& a : argv) pointers.push_back(a.data());
  pointers.push_back(nullptr);
  restore_stdout();
  std::signal(SIGPIPE, SIG_DFL);
  for (const fs::path& folder : {own, own / "../.venv/bin"}) execv((folder / argv[0]).c_str(), pointers.data());
  execvp(argv[0].c_str(), pointers.data());
}

}  // namespace atl::cli
