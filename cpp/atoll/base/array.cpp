// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <atoll/base/array.hpp>
#include <atoll/base/unpoison_pages.hpp>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace atl {
namespace {

// Below this a mapping of its own costs more than it saves; the allocator serves it.
constexpr std::size_t kMapFrom = std::size_t{256} << 10;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kAlign = 64;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

void* map_pages(std::size_t bytes) {
  if (bytes < kMapFrom) {
    void* p = std::aligned_alloc(kAlign, round_up(bytes, kAlign));
    if (!p) throw std::bad_alloc();
    return p;
  }
  const std::size_t page = page_bytes();
  const std::size_t want = round_up(bytes, page);
  if (want < kHugePage) {
    void* p = mmap(nullptr, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    unpoison_pages(p, want);
    return p;
  }
  // Reserve one huge page more, then cut the mapping so that it starts on a huge page.
  void* p = mmap(nullptr, want + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  const std::size_t head = round_up(at, kHugePage) - at;
  if (head > 0) munmap(p, head);
  auto* start = static_cast<std::byte*>(p) + head;
  if (const std::size_t tail = kHugePage - head; tail > 0) munmap(start + want, tail);
  madvise(start, want, MADV_HUGEPAGE);
  unpoison_pages(start, want);
  return start;
}

void unmap_pages(void* address, std::size_t bytes) noexcept {
  if (bytes < kMapFrom) {
    std::free(address);
  } else {
    munmap(address, round_up(bytes, page_bytes()));
  }
}

std::size_t trim_pages(void* address, std::size_t bytes, std::size_t keep) noexcept {
  if (bytes < kMapFrom) {
    if (keep > 0) return bytes;
    std::free(address);
    return 0;
  }
  // A mapping that shrinks under kMapFrom stays a mapping, so that unmap_pages knows what it is.
  const std::size_t page = page_bytes();
  const std::size_t left = keep > kMapFrom ? keep : kMapFrom;
  const std::size_t from = round_up(left, page), to = round_up(bytes, page);
  if (from < to) munmap(static_cast<std::byte*>(address) + from, to - from);
  return left < bytes ? left : bytes;
}

}  // namespace atl
