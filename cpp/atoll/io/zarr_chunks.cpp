// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include <atoll/base/array.hpp>
#include <atoll/base/error.hpp>
#include <atoll/io/read_file.hpp>
#include <atoll/io/zarr_chunks.hpp>
#include <filesystem>
#include <system_error>

namespace atl {

std::shared_ptr<const void> ZarrChunks::at(std::int64_t i, std::int64_t j) {
  const Key key(i, j);
  const std::lock_guard hold(lock_);
  if (const auto found = kept_.find(key); found != kept_.end()) {
    asked_.splice(asked_.begin(), asked_, found->second.asked);
    return found->second.bytes;
  }
  std::shared_ptr<const void> bytes = read(key);
  while (!asked_.empty() && asked_.size() >= most_kept_) {
    kept_.erase(asked_.back());
    asked_.pop_back();
  }
  asked_.push_front(key);
  kept_.emplace(key, Kept{bytes, asked_.begin()});
  return bytes;
}

std::shared_ptr<const void> ZarrChunks::read(const Key& key) const {
  const std::string path = fmt::format("{}/{}.{}", folder_, key.first, key.second);
  std::error_code ignored;
  check(std::filesystem::exists(path, ignored),
        "{}: is missing (a chunk of the array: the copy is incomplete). Copy the whole folder again.", path);
  auto file = std::make_shared<MappedFile>(InputFile(path).map());
  if (!packed_) {
    check(file->bytes() == chunk_bytes_,
          "{}: has {} bytes (a chunk has {}). It is cut off or of another array; get it again.", path, file->bytes(),
          chunk_bytes_);
    return {file, file->data()};
  }
  // The metadata's claims are held against the file before memory is taken.
  const auto says = ZSTD_getFrameContentSize(file->data(), file->bytes());
  check(says == chunk_bytes_ || says == ZSTD_CONTENTSIZE_UNKNOWN || says == ZSTD_CONTENTSIZE_ERROR,
        "{}: holds {} bytes (a chunk has {}). It is of another array; get it again.", path, says, chunk_bytes_);
  constexpr std::uint64_t kMostOfBlock = std::uint64_t{128} << 10;  // a block of zstd takes at least four bytes
  check(chunk_bytes_ <= (file->bytes() / 4 + 1) * kMostOfBlock,
        "{}: has {} packed bytes (a chunk of {} does not fit). It is cut off or of another array; get it again.", path,
        file->bytes(), chunk_bytes_);
  auto values = std::make_shared<Array<char>>(chunk_bytes_);
  const std::size_t size = ZSTD_decompress(values->data(), chunk_bytes_, file->data(), file->bytes());
  check(!ZSTD_isError(size), "{}: the zstd data is damaged ({}). Get the file again.", path, ZSTD_getErrorName(size));
  check(size == chunk_bytes_, "{}: holds {} bytes (a chunk has {}). It is of another array; get it again.", path, size,
        chunk_bytes_);
  return {values, values->data()};
}

}  // namespace atl
