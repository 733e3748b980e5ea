// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

/// Results of tuning and measuring on this machine, stored from one run to the next.
///
///     Store store;                                       // the user's cache folder
///     store.write("gemm/float32", {{"kc", 256}});        // with when, where and by which version
///     if (auto entry = store.read("gemm/float32")) use(entry->value);
///
/// One JSON file per key, in a folder per processor and instruction set: machines that share a home folder read what
/// was measured on their own kind. The folder is $ATOLL_CACHE, else $XDG_CACHE_HOME/atoll, else ~/.cache/atoll.
namespace atl::tune {

/// Where an entry is valid: each processor and instruction set has its own folder.
struct Provenance {
  std::string processor, isa;
};
/// That of this process, including ATOLL_ISA.
Provenance this_machine();

/// Where and when a result was found: processor, isa, date (UTC), version.
nlohmann::json provenance(const Provenance& machine = this_machine());

struct Entry {
  nlohmann::json value;
  nlohmann::json provenance;  ///< as tune::provenance() makes it
  std::filesystem::path file;
};

class Store {
 public:
  explicit Store(std::filesystem::path folder = default_folder(), Provenance machine = this_machine());

  /// Throws UsageError if neither a variable nor HOME gives a folder.
  static std::filesystem::path default_folder();

  /// Replaces the entry atomically: a reader sees the old or the new one. `key` consists of words of letters, digits,
  /// '.', '_' and '-', separated by '/'. Throws InputError for another key, IoError if the file cannot be written.
  /// Returns the file.
  std::filesystem::path write(std::string_view key, const nlohmann::json& value) const;
  /// None if the key was never written here. Throws InputError if the file is not an entry.
  std::optional<Entry> read(std::string_view key) const;
  std::filesystem::path file_of(std::string_view key) const;

 private:
  std::filesystem::path folder_;
  Provenance machine_;
};

}  // namespace atl::tune
