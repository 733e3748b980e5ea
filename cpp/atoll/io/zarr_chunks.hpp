// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace atl {

/// An LRU cache of the chunks of a two-dimensional Zarr array, each in a file: mapped, or decompressed. Thread-safe.
class ZarrChunks {
 public:
  /// Decompressed chunks are kept up to this many bytes.
  ZarrChunks(std::string folder, std::uint64_t chunk_bytes, bool packed, std::size_t kept_bytes)
      : folder_(std::move(folder)),
        chunk_bytes_(chunk_bytes),
        packed_(packed),
        most_kept_(packed ? kept_bytes / chunk_bytes : kMostMapped) {}

  /// The bytes of chunk (i, j). Throws InputError if its file is missing, truncated or damaged.
  std::shared_ptr<const void> at(std::int64_t i, std::int64_t j);

 private:
  // The kernel decides which mapped pages stay in memory; Linux allows 65530 mappings in a process.
  static constexpr std::size_t kMostMapped = 16384;
  using Key = std::pair<std::int64_t, std::int64_t>;
  struct Kept {
    std::shared_ptr<const void> bytes;
    std::list<Key>::iterator asked;
  };
  std::shared_ptr<const void> read(const Key& key) const;

  const std::string folder_;
  const std::uint64_t chunk_bytes_;
  const bool packed_;
  const std::size_t most_kept_;
  std::mutex lock_;
  std::map<Key, Kept> kept_;
  std::list<Key> asked_;  // the most recent in front
};

}  // namespace atl
