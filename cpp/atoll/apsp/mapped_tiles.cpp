// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <atoll/apsp/distance_sides.hpp>
#include <atoll/apsp/mapped_tiles.hpp>
#include <cerrno>
#include <system_error>

namespace atl {

template <class T>
MappedTiles<T>::MappedTiles(World& world, const std::string& path, std::int64_t n, std::int64_t block,
                            Existing existing)
    : world_(&world), order_(n, std::min(n, block), sizeof(T)) {
  check(n >= 1 && block >= 1, "{}: {} rows in blocks of {} are asked for (both are at least 1). Correct them.", path, n,
        block);
  if (form_of(path) != DistanceForm::tiles)
    throw UsageError(
        fmt::format("{}: its ending is not .tiles (a matrix that is worked on in a file is one). Add it.", path));
  check_room(world, path, order_.bytes(), existing,
             fmt::format("the values of {0} x {0} pairs as {1}", n, name_of(kElementOf<T>)));
  folder_ = std::make_unique<OutputFolder>(world, path, existing, "meta.json");
  const int file = folder_->create_shared("tiles.bin", order_.bytes());
  world.together([&] {
    handle_ = FileHandle(dup(file));  // the folder closes its own when it is whole
    file_ = MappedFile(handle_.get(), order_.bytes(), path);
  });
}

template <class T>
MappedTiles<T> MappedTiles<T>::create(World& world, const std::string& path, std::int64_t n, std::int64_t block,
                                      Existing existing) {
  return MappedTiles(world, path, n, block, existing);
}

template <class T>
void MappedTiles<T>::sync() const {
  if (fsync(handle_.get()) != 0)
    throw IoError(fmt::format("{}: cannot be written ({}). Check the disk.", folder_->path(),
                              std::generic_category().message(errno)));
}

template <class T>
void MappedTiles<T>::commit(const DistanceGraph& graph, const DistanceFileOptions& options) {
  world_->together([&] {
    if (world_->rank() != 0) return;
    check_graph(folder_->path(), n(), graph);
    write_sides(*folder_, meta_of(n(), block(), kElementOf<T>, graph, options), graph);
  });
  folder_->commit();
}

template class MappedTiles<float>;
template class MappedTiles<double>;
template class MappedTiles<std::int32_t>;
template class MappedTiles<std::uint16_t>;
template class MappedTiles<std::uint8_t>;

}  // namespace atl
