// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

/// Memory of the kernel that reads as zero and exists page by page, where it is touched.
///
///     SharedSegment mine = SharedSegment::create("/atoll.0.job.3.812", bytes);    // a segment that other processes can attach
///     SharedSegment theirs = SharedSegment::attach("/atoll.0.job.2.811");
///     SharedSegment::remove("/atoll.0.job.2.811");                          // the name; the memory stays while it is mapped
///
namespace atl {

class SharedSegment {
 public:
  SharedSegment() = default;
  SharedSegment(SharedSegment&& other) noexcept { swap(other); }
  SharedSegment& operator=(SharedSegment&& other) noexcept {
    SharedSegment(std::move(other)).swap(*this);
    return *this;
  }
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;
  ~SharedSegment();

  /// Private to this process. Throws std::bad_alloc.
  static SharedSegment anonymous(std::size_t bytes);
  /// A new shared segment. Throws TransportError where it exists already or there is no room.
  static SharedSegment create(const std::string& name, std::size_t bytes);
  /// Throws TransportError where there is none.
  static SharedSegment attach(const std::string& name);
  static void remove(const std::string& name) noexcept;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  void swap(SharedSegment& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace atl
