// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <atoll/base/files/file_handle.hpp>
#include <atoll/transport/mpi/session.hpp>
#include <cstddef>
#include <optional>

namespace atl::mpi {

/// Bytes of an MPI window. MPICH 4.0.2's MPI_Win_allocate places the windows of a node's ranks in one segment and
/// rounds their sizes up to 16 bytes for the owner but not for the others: after a rank whose size is not a multiple of
/// 16, puts land 8 bytes too low (tests/transport/window_defect.cpp). Whole pages work everywhere.
inline std::size_t window_bytes_for(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  return (bytes + kPage - 1) / kPage * kPage;
}

/// MPI memory that the ranks of `comm` can put into. Construction and free() are collective there.
class Window {
 public:
  Window(MPI_Comm comm, std::size_t bytes) : bytes_(window_bytes_for(bytes)) {
    call(MPI_Win_allocate(static_cast<MPI_Aint>(bytes_), 1, MPI_INFO_NULL, comm, static_cast<void*>(&data_), &window_),
         "MPI_Win_allocate");
  }
  Window(Window&& other) noexcept { *this = std::move(other); }
  Window& operator=(Window&& other) noexcept {
    std::swap(window_, other.window_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  // No destructor: freeing is collective.
  void free() { call(MPI_Win_free(&window_), "MPI_Win_free"); }

  std::byte* data() { return data_; }
  std::size_t bytes() const { return bytes_; }

  // Generalised active target synchronisation: the exposing rank names the origins, the accessing rank the target.
  void post(MPI_Group origins) { call(MPI_Win_post(origins, 0, window_), "MPI_Win_post"); }
  /// Whether the origins have completed; then the exposure is over.
  bool test() {
    int over = 0;
    call(MPI_Win_test(window_, &over), "MPI_Win_test");
    return over != 0;
  }
  void start(MPI_Group targets) { call(MPI_Win_start(targets, 0, window_), "MPI_Win_start"); }
  void put(const void* from, std::size_t bytes, Rank to, std::size_t at) {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 30;  // MPI counts in int
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t n = std::min(kPieceBytes, bytes - done);
      call(MPI_Put(static_cast<const std::byte*>(from) + done, count_of(n), MPI_BYTE, to,
                   static_cast<MPI_Aint>(at + done), count_of(n), MPI_BYTE, window_),
           "MPI_Put");
      done += n;
    }
  }
  void complete() { call(MPI_Win_complete(window_), "MPI_Win_complete"); }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Held by one rank of each pair that creates a window, so that a node creates one window at a time. Open MPI 4.1 names
/// a window's shared memory after the communicator's number; two pairs without a common rank may have the same number
/// and would then open each other's memory (seen with 5 ranks).
class NodeLock {
 public:
  NodeLock() : folder_(open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_) flock(folder_.get(), LOCK_EX);  // until it closes
  }

 private:
  const FileHandle folder_;
};

inline MPI_Group group_of(MPI_Comm comm, std::span<const Rank> ranks) {
  MPI_Group all, some;
  call(MPI_Comm_group(comm, &all), "MPI_Comm_group");
  call(MPI_Group_incl(all, count_of(ranks.size()), ranks.data(), &some), "MPI_Group_incl");
  call(MPI_Group_free(&all), "MPI_Group_free");
  return some;
}

}  // namespace atl::mpi
