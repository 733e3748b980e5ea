// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

/// Memory of the kernel that reads as zero and exists page by page, where it is touched.
///
///     Mapping mine = Mapping::create("/atoll.0.job.3.812", bytes);    // a segment that other processes can attach
///     Mapping theirs = Mapping::attach("/atoll.0.job.2.811");
///     Mapping::remove("/atoll.0.job.2.811");                          // the name; the memory stays while it is mapped
///
namespace atl {

class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept { swap(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    Mapping(std::move(other)).swap(*this);
    return *this;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  /// Private to this process. Throws std::bad_alloc.
  static Mapping anonymous(std::size_t bytes);
  /// A new shared segment. Throws TransportError where it exists already or there is no room.
  static Mapping create(const std::string& name, std::size_t bytes);
  /// Throws TransportError where there is none.
  static Mapping attach(const std::string& name);
  static void remove(const std::string& name) noexcept;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  void swap(Mapping& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace atl
