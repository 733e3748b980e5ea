// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/files/file_handle.hpp>
#include <atoll/base/files/mapped_file.hpp>
#include <atoll/runtime/world.hpp>
#include <cstdint>
#include <memory>
#include <string>

/// Files to read: opened with helpful error messages, decompressed while they are read.
///
///     InputFile file(path);                        // throws if missing, a folder, or not permitted
///     TextStream text(file);
///     while (auto n = text.read(buffer, size)) ...
namespace atl {

enum class Packing { none, gzip, zstd };

class InputFile {
 public:
  /// Throws InputError if there is no such file (naming similar ones) or it is not a regular file, IoError if it cannot
  /// be read.
  explicit InputFile(const std::string& path);

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }
  Packing packing() const { return packing_; }
  /// An estimate of the text's bytes: exact for plain files, else from the compressed file's header if plausible. At
  /// most 64 times the file's size.
  std::uint64_t expected_text_bytes() const { return expected_text_; }
  /// An upper bound of the text's bytes: what a header promises must fit.
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

/// The text of a file from its beginning, decompressed if necessary.
class TextStream {
 public:
  explicit TextStream(const InputFile& file);
  ~TextStream();
  /// Up to n bytes; 0 only at the end. Throws InputError if the compressed data is damaged or truncated; the message
  /// lacks its "path:line: ".
  std::size_t read(char* into, std::size_t n);

 private:
  struct Unpacker;
  std::unique_ptr<Unpacker> unpacker_;
};

/// The first `bytes` bytes of the text, read by rank 0, on all ranks: conclusions and errors drawn from it need no
/// agreement.
struct Head {
  std::string text;
  bool whole = false;            ///< the text is complete
  std::uint64_t file_bytes = 0;  ///< of the file on disk
  std::uint64_t most_text_bytes = 0;
  std::uint64_t expected_text_bytes = 0;
};
/// Collective.
Head read_head(World& world, const std::string& path, std::size_t bytes);

/// Where the lines of a text begin: behind a byte order mark. Throws InputError where the text is UTF-16. Collective.
std::uint64_t text_begin(World& world, const std::string& path);

/// Sends rank 0's `text` to all ranks. Collective.
void broadcast_text(World& world, std::string& text);

}  // namespace atl
