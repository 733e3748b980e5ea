// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

/// Zeroed memory from the kernel, allocated page by page at the first touch.
///
///     SharedSegment mine = SharedSegment::create("/atoll.0.job.3.812", bytes);    // other processes can attach it
///     SharedSegment theirs = SharedSegment::attach("/atoll.0.job.2.811");
///     SharedSegment::remove("/atoll.0.job.2.811");              // removes the name; mapped memory stays
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
  /// A new shared segment. Throws TransportError if it exists already or there is no space.
  static SharedSegment create(const std::string& name, std::size_t bytes);
  /// Throws TransportError if there is none.
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
