// SPDX-License-Identifier: Apache-2.0
#include "table_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "prompt/foreign_verb.hpp"

namespace atl::cli {
namespace {

constexpr std::string_view kVerb = "table";

}  // namespace

bool is_table_path(const std::string& path) {
  return path.ends_with(".parquet") || path.ends_with(".feather") || path.ends_with(".arrow");
}

void check_table_path(World& world, const std::string& path) {
  world.collective_try([&] {
    if (world.rank() != 0) return;
    const auto code = wait_for_foreign_verb(std::string(kVerb), {path, path, "--can"});
    if (!code)
      throw UsageError(
          fmt::format("{}: is written by Python's part of Atoll, and there is no program atoll-{} beside this one or "
                      "on PATH. Install "
                      "the package, or write .tsv or .csv.",
                      path, kVerb));
    if (*code != 0) throw UsageError(fmt::format("{}: cannot be written (see above). Write .tsv or .csv.", path));
  });
}

void write_as_table(World& world, const std::string& path, const std::string& columns,
                    const std::function<void(const std::string&)>& write) {
  const std::string text = path + ".partial.csv";
  write(text);  // leaves nothing where it fails
  world.collective_try([&] {
    if (world.rank() != 0) return;
    const auto code = wait_for_foreign_verb(std::string(kVerb), {text, path, "--columns", columns});
    std::error_code ignored;
    std::filesystem::remove(text, ignored);
    if (code != 0) throw IoError(fmt::format("{}: could not be written (see above). Write .tsv or .csv.", path));
  });
}

}  // namespace atl::cli
