// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/files/mapped_file.hpp>
#include <atoll/base/types.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The names of vertices: vertex k, from 0 on, has the k-th of the distinct names in ascending order of their bytes. So
/// the numbering follows from the set of names, not from ranks, threads or the order of lines.
///
///     const Dictionary names = dictionary_of(team, {"TP53", "BRCA1", "TP53"});
///     names.find("TP53");     // 1
///     names.name(0);          // "BRCA1"
///     names.find("TP35");     // kNoVertex; names.nearest("TP35", 3): {"TP53"}
///
/// A name is any bytes, none too; two that differ in one byte (capitals, blanks, a Unicode form) are two. It takes its
/// bytes and 8 more. Reading is for any thread.
namespace atl {

class Dictionary {
 public:
  Dictionary() = default;
  /// Name k is [offsets[k], offsets[k + 1]) of the bytes; the names ascend.
  Dictionary(Array<std::uint64_t> offsets, Array<char> bytes);
  /// The same in a mapped file, where `count` + 1 offsets begin at byte `offsets_at` and bytes lie behind them.
  Dictionary(MappedFile file, std::uint64_t count, std::uint64_t offsets_at);

  Vertex size() const { return count_; }
  std::string_view name(Vertex id) const {
    const std::uint64_t* at = offsets_ + id;
    return {bytes_ + at[0], static_cast<std::size_t>(at[1] - at[0])};
  }
  /// kNoVertex if there is no such name.
  Vertex find(std::string_view name) const;
  /// At most `most` names that are the fewest edits away, capitals aside; none where all are far. Looks at every name.
  std::vector<std::string> nearest(std::string_view name, std::size_t most) const;
  /// "; the nearest are 'a', 'b'", or nothing: for the error about a name that is not there.
  std::string nearest_text(std::string_view name) const;

  const std::uint64_t* offsets() const { return offsets_; }  ///< [0, size()]; null for the empty one
  const char* bytes() const { return bytes_; }
  std::uint64_t byte_count() const { return offsets_ ? offsets_[count_] : 0; }
  std::size_t memory_bytes() const;

 private:
  Vertex count_ = 0;
  const std::uint64_t* offsets_ = nullptr;
  const char* bytes_ = nullptr;
  Array<std::uint64_t> own_offsets_;
  Array<char> own_bytes_;
  MappedFile file_;
};

}  // namespace atl
