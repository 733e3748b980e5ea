// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/file_handle.hpp>
#include <atoll/base/mapped_file.hpp>
#include <atoll/runtime/world.hpp>
#include <cstdint>
#include <memory>
#include <string>

/// Files to read: opened with messages that help, unpacked as they are read.
///
///     InputFile file(path);                        // throws for what is missing, a folder, not permitted
///     TextStream text(file);
///     while (auto n = text.read(buffer, size)) ...
namespace atl {

enum class Packing { none, gzip, zstd };

class InputFile {
 public:
  /// Throws InputError where there is no such file (naming similar ones) or it is none, IoError where it
  /// cannot be read.
  explicit InputFile(const std::string& path);

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }
  Packing packing() const { return packing_; }
  /// About as many bytes as the text has: exact for plain files, else from the packed file's own words where
  /// they are plausible. Never more than 64 times the file.
  std::uint64_t expected_text_bytes() const { return expected_text_; }
  /// The least text that could be longer than this file's: what a header promises must fit under it.
  std::uint64_t most_text_bytes() const;
  /// Reads exactly [at, at + n); throws IoError if the file does not have them any more.
  void read_at(void* into, std::size_t n, std::uint64_t at) const;
  /// All its bytes as memory, read-only; what packs them stays.
  MappedFile map() const { return {handle_, bytes_, MappedFile::Access::read, path_}; }

 private:
  std::string path_;
  FileHandle handle_;
  std::uint64_t bytes_ = 0, expected_text_ = 0;
  Packing packing_ = Packing::none;
};

/// The text of a file from its beginning, whatever packs it.
class TextStream {
 public:
  explicit TextStream(const InputFile& file);
  ~TextStream();
  /// Up to n bytes; 0 only at the end. Throws InputError when the packed data is damaged or cut off; the
  /// message lacks its "path:line: ".
  std::size_t read(char* into, std::size_t n);

 private:
  struct Unpacker;
  std::unique_ptr<Unpacker> unpacker_;
};

/// The first `bytes` bytes of the text, read by rank 0, for all ranks to draw the same conclusions from: what
/// they then throw needs no agreement.
struct Head {
  std::string text;
  bool whole = false;            ///< that is all of it
  std::uint64_t file_bytes = 0;  ///< of the file on disk
  std::uint64_t most_text_bytes = 0;
  std::uint64_t expected_text_bytes = 0;
};
/// Collective.
Head read_head(World& world, const std::string& path, std::size_t bytes);

/// `text` of rank 0 on all ranks. Collective.
void broadcast_text(World& world, std::string& text);

}  // namespace atl
