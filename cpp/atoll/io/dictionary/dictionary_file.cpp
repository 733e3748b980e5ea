// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/io/dictionary/dictionary_file.hpp>
#include <atoll/io/read_file.hpp>
#include <atoll/io/scan.hpp>
#include <cstring>

namespace atl {
namespace {

constexpr std::string_view kMark = "atoll: names of vertices, ver. 1\n";
// The mark, and zeros up to a multiple of 8.
constexpr std::size_t kMarkBytes = 40;

struct Header {
  char mark[kMarkBytes] = {};
  std::uint64_t count = 0, bytes = 0, offsets_sum = 0, bytes_sum = 0;
};
static_assert(sizeof(Header) == kMarkBytes + 32);

}  // namespace

void write_dictionary(World& world, const std::string& path, const Dictionary& names) {
  world.collective_try([&] {
    if (world.rank() != 0) return;
    const std::uint64_t zero = 0;
    const auto* offsets = names.offsets() ? names.offsets() : &zero;
    const std::size_t offset_bytes = (static_cast<std::size_t>(names.size()) + 1) * sizeof(std::uint64_t);
    Header header;
    std::memcpy(header.mark, kMark.data(), kMark.size());
    header.count = static_cast<std::uint64_t>(names.size());
    header.bytes = names.byte_count();
    header.offsets_sum = checksum(offsets, offset_bytes);
    header.bytes_sum = checksum(names.bytes(), names.byte_count());
    AtomicFile file(path);
    file.reserve(sizeof header + offset_bytes + header.bytes);
    file.write_at(&header, sizeof header, 0);
    file.write_at(offsets, offset_bytes, sizeof header);
    if (header.bytes > 0) file.write_at(names.bytes(), header.bytes, sizeof header + offset_bytes);
    file.commit();
  });
}

Dictionary map_dictionary(World& world, const std::string& path) {
  return world.collective_try([&] {
    const InputFile file(path);
    Header header;
    file.read_at(&header, std::min<std::uint64_t>(sizeof header, file.bytes()), 0);
    check(std::string_view(header.mark, kMark.size()) == kMark,
          "{}: is no file of names (it begins with other bytes). `atoll convert --names` writes one.", path);
    check(file.bytes() >= sizeof header, "{}: has {} bytes (a file of names has {} at least). Is it cut off?", path,
          file.bytes(), sizeof header);
    const std::uint64_t left = file.bytes() - sizeof header;
    check(header.count < left / sizeof(std::uint64_t) &&
              header.bytes == left - (header.count + 1) * sizeof(std::uint64_t),
          "{}: has {} bytes (its {} names take another number). It is cut off or damaged: write it again.", path,
          file.bytes(), header.count);
    Dictionary names(file.map(), header.count, sizeof header);
    const std::uint64_t* offsets = names.offsets();
    const bool whole =
        checksum(offsets, (static_cast<std::size_t>(header.count) + 1) * sizeof(std::uint64_t)) == header.offsets_sum &&
        checksum(names.bytes(), header.bytes) == header.bytes_sum;
    check(whole, "{}: is damaged (a checksum is wrong). Write it again.", path);
    bool sound = offsets[0] == 0 && offsets[header.count] == header.bytes;
    for (std::uint64_t k = 0; k < header.count; ++k) sound &= offsets[k] <= offsets[k + 1];
    for (Vertex k = 0; sound && k < names.size(); ++k)
      sound = (k == 0 || names.name(k - 1) < names.name(k)) && is_utf8(names.name(k));
    check(sound, "{}: its names do not ascend, or are no UTF-8 (it was not written by Atoll). Write it again.", path);
    return names;
  });
}

void write_names(World& world, const std::string& path, const Dictionary& names) {
  world.collective_try([&] {
    if (world.rank() != 0) return;
    std::string text;
    for (Vertex k = 0; k < names.size(); ++k) {
      const std::string_view name = names.name(k);
      check(name.find('\n') == std::string_view::npos,
            "{}: the name {} holds a line end (a name is a line). Save the names in a file .names.", path,
            in_quotes(name));
      text += name;
      text += '\n';
    }
    write_file(path, text);
  });
}

}  // namespace atl
