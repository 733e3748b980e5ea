// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace atl {

/// A cache of the chunks of a two-dimensional Zarr array, each a file: mapped or unpacked, the most recently used ones
/// are kept. Any thread.
class ZarrChunks {
 public:
  /// Unpacked chunks are kept up to so many bytes.
  ZarrChunks(std::string folder, std::uint64_t chunk_bytes, bool packed, std::size_t kept_bytes)
      : folder_(std::move(folder)),
        chunk_bytes_(chunk_bytes),
        packed_(packed),
        most_kept_(packed ? kept_bytes / chunk_bytes : kMostMapped) {}

  /// The bytes of chunk (i, j). InputError where its file is missing, cut off or damaged.
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
  std::list<Key> asked_;  // the latest in front
};

}  // namespace atl
