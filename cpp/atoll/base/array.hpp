// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

/// Large arrays of plain values.
///
///     Array<Local> targets(m);                       // not initialised; huge pages from 2 MiB on
///     Array<std::uint32_t> dense = std::move(ids).narrow<std::uint32_t>(n);   // same memory, front kept
///
/// Elements are not initialised: fresh pages of the kernel read as zero, recycled ones do not. 64-byte aligned.
namespace atl {

/// Bytes from the kernel (mmap, transparent huge pages where they fit); throws std::bad_alloc.
void* map_pages(std::size_t bytes);
void unmap_pages(void* address, std::size_t bytes) noexcept;
/// Gives the pages wholly after `keep` bytes back to the kernel; the mapping then has `keep` rounded up.
std::size_t trim_pages(void* address, std::size_t bytes, std::size_t keep) noexcept;

template <class T>
  requires std::is_trivially_copyable_v<T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) : size_(size), bytes_(size * sizeof(T)) {
    if (size > PTRDIFF_MAX / sizeof(T)) throw std::bad_array_new_length();
    if (bytes_ > 0) data_ = static_cast<T*>(map_pages(bytes_));
  }
  Array(std::size_t size, T value) : Array(size) {
    for (std::size_t i = 0; i < size; ++i) data_[i] = value;
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array(std::move(other)).swap(*this);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (data_) unmap_pages(data_, bytes_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  /// Forgets the elements from `size` on and returns their pages.
  void truncate(std::size_t size) {
    if (size >= size_) return;
    size_ = size;
    if (data_) bytes_ = trim_pages(data_, bytes_, size * sizeof(T));
    if (bytes_ == 0) data_ = nullptr;
  }

  /// The same memory seen as `size` values of U; size * sizeof(U) must fit. The caller has put them there.
  template <class U>
  Array<U> narrow(std::size_t size) && {
    Array<U> out;
    out.data_ = reinterpret_cast<U*>(data_);
    out.bytes_ = bytes_;
    out.size_ = bytes_ / sizeof(U);
    data_ = nullptr;
    size_ = bytes_ = 0;
    out.truncate(size);
    return out;
  }

  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
  }

 private:
  template <class U>
    requires std::is_trivially_copyable_v<U>
  friend class Array;

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;  // of the mapping, as asked for
};

}  // namespace atl
