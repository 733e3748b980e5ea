// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

/// What was tuned and measured on this machine, kept as data from one run to the next.
///
///     Store store;                                       // the user's cache folder
///     store.write("gemm/float32", {{"kc", 256}});        // with when, where and by which version
///     if (auto entry = store.read("gemm/float32")) use(entry->value);
///
/// One JSON file a key, in a folder a kind of processor and instruction set: who shares a home between machines reads what
/// was measured on the kind that runs. The folder is $ATOLL_CACHE, else $XDG_CACHE_HOME/atoll, else ~/.cache/atoll.
namespace atl::tune {

/// Under which an entry is valid: another processor or instruction set is another folder.
struct Origin {
  std::string processor, isa;
};
/// Of this process: ATOLL_ISA counts.
Origin this_machine();

struct Entry {
  nlohmann::json value;
  nlohmann::json provenance;  ///< processor, isa, date (UTC), version
  std::filesystem::path file;
};

class Store {
 public:
  explicit Store(std::filesystem::path folder = default_folder(), Origin origin = this_machine());

  /// Throws UsageError where neither a variable nor HOME says one.
  static std::filesystem::path default_folder();

  /// Replaces the entry in one step: a reader sees the old one or the new one. `key` is words of letters, digits, '.',
  /// '_' and '-', separated by '/'. Throws InputError for another key, IoError where the file cannot be written.
  /// Returns the file.
  std::filesystem::path write(std::string_view key, const nlohmann::json& value) const;
  /// Nothing where the key was never written here. Throws InputError if the file is no entry.
  std::optional<Entry> read(std::string_view key) const;
  std::filesystem::path file_of(std::string_view key) const;

 private:
  std::filesystem::path folder_;
  Origin origin_;
};

}  // namespace atl::tune
