// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/apsp/store/tile_file.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/base/json.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

namespace atl {
namespace {

constexpr int kTileFileVersion = 3;  // 1 named runs by a checksum of our own, 2 kept no checksums of tiles
constexpr const char* kNote = "run.json";

}  // namespace

template <class T>
TileFile<T>::TileFile(World& world, const std::string& path, std::int64_t n, std::int64_t block, std::uint64_t run,
                      Existing existing)
    : world_(world), order_(n, std::min(n, block), sizeof(T)), run_(run) {
  check(n >= 1 && block >= 1, "{}: {} rows in blocks of {} are asked for (both are at least 1). Correct them.", path, n,
        block);
  if (storage_format_of(path) != StorageFormat::tiles)
    throw UsageError(
        fmt::format("{}: its ending is not .tiles (a matrix that is worked on in a file is one). Add it.", path));
  folder_ = std::make_unique<OutputFolder>(world, path, existing, "meta.json", OutputFolder::Earlier::go_on);
  if (const auto note = read_note()) {
    next_step_ = note->at("next_step");
    order_ = TileOrder(n, note->at("block"), sizeof(T));
  } else {
    folder_->clear();
    check_room(world, path, order_.bytes(), existing,
               fmt::format("the values of {0} x {0} pairs as {1}", n, name_of(kElementOf<T>)));
  }
  file_ = &folder_->create_shared("tiles.bin", order_.bytes());
  checksums_ = std::make_unique<ChecksumFile>(world, *folder_, n, order_.side.block);
}

template <class T>
std::optional<nlohmann::json> TileFile<T>::read_note() const {
  const std::string path = folder_->temporary() + "/" + kNote;
  std::ifstream in(path, std::ios::binary);
  if (!in) return {};
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  nlohmann::json note;
  try {
    note = parse_json(text);
    static_cast<void>(note.at("next_step").get<std::int64_t>());
    static_cast<void>(note.at("block").get<std::int64_t>());
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("{}: is damaged ({}). Remove {} and start again.", path, e.what(), folder_->temporary()));
  }
  const bool same = note.value("version", 0) == kTileFileVersion && note.value("n", std::int64_t{0}) == n() &&
                    note.value("type", "") == name_of(kElementOf<T>) && note.value("run", std::uint64_t{0}) == run_;
  if (!same) {
    folder_->keep();
    throw InputError(fmt::format("{}: is of another run ({}). Remove it, or name another output.", folder_->temporary(),
                                 dump_json(note)));
  }
  return note;
}

template <class T>
void TileFile<T>::read(std::int64_t i, std::int64_t j, T* to) const {
  const auto bytes = static_cast<std::size_t>(length(i) * length(j)) * sizeof(T);
  if (const int error = file_->read_at(to, bytes, order_.begin_of(i, j)))
    throw IoError(fmt::format("{}: cannot be read ({}). Check the disk.", folder_->path(),
                              std::generic_category().message(error)));
  // A copy in the page cache would only displace other tiles: this one will come back changed.
  posix_fadvise(file_->get(), static_cast<off_t>(order_.begin_of(i, j)), static_cast<off_t>(order_.bytes_of(i, j)),
                POSIX_FADV_DONTNEED);
}

template <class T>
void TileFile<T>::write(std::int64_t i, std::int64_t j, const T* from) const {
  const std::uint64_t at = order_.begin_of(i, j);
  const auto bytes = static_cast<std::size_t>(length(i) * length(j)) * sizeof(T);
  folder_->write_at(*file_, from, bytes, at);
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(length(i)));
  for (std::int64_t r = 0; r < length(i); ++r)
    sums[r] = checksum(from + r * length(j), static_cast<std::size_t>(length(j)) * sizeof(T));
  checksums_->write(i, j, sums.data());
  sync_file_range(file_->get(), static_cast<off_t>(at), static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE);
}

template <class T>
void TileFile<T>::note(std::int64_t next_step) {
  if (fdatasync(file_->get()) != 0 || fdatasync(checksums_->handle().get()) != 0) fail_output(folder_->path(), errno);
  const nlohmann::json note{{"version", kTileFileVersion},    {"n", n()},    {"block", block()},
                            {"type", name_of(kElementOf<T>)}, {"run", run_}, {"next_step", next_step}};
  write_file(folder_->temporary() + "/" + kNote, dump_json(note) + "\n");
  next_step_ = next_step;
}

template <class T>
void TileFile<T>::commit(const DistanceGraph& graph, const DistanceFileOptions& options) {
  check_graph(folder_->path(), n(), graph);
  std::error_code ignored;
  std::filesystem::remove(folder_->temporary() + "/" + kNote, ignored);
  write_sides(*folder_, meta_of(n(), block(), kElementOf<T>, graph, options), graph);
  folder_->commit();
}

template class TileFile<float>;
template class TileFile<double>;
template class TileFile<std::int32_t>;
template class TileFile<std::uint16_t>;
template class TileFile<std::uint8_t>;

}  // namespace atl
