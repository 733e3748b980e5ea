// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/io/named_arrays.hpp>
#include <atoll/io/read_file.hpp>
#include <cstring>
#include <filesystem>

namespace atl {
namespace {

// The file: kMark, number of arrays; then the text and each array as length of its name, name, length, checksum, bytes.
constexpr std::string_view kMark = "atoll: named arrays, version 1\n";

void put(std::string& out, std::uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof bytes);
}

void put(std::string& out, std::string_view name, const void* data, std::size_t size) {
  put(out, name.size());
  out += name;
  put(out, size);
  put(out, checksum(data, size));
  out.append(static_cast<const char*>(data), size);
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& path) : left_(bytes), path_(path) {}

  std::string_view take(std::uint64_t n, const char* what) {
    check(n <= left_.size(), "{}: ends in {} (it is cut off or damaged). Remove it and start again.", path_, what);
    const std::string_view out = left_.substr(0, n);
    left_.remove_prefix(n);
    return out;
  }
  std::uint64_t number(const char* what) {
    std::uint64_t out;
    std::memcpy(&out, take(sizeof out, what).data(), sizeof out);
    return out;
  }
  std::pair<std::string, std::string_view> item() {
    std::string name(take(number("a length"), "a name"));
    const std::uint64_t size = number("a length"), sum = number("a checksum");
    const std::string_view bytes = take(size, "an array");
    check(checksum(bytes.data(), bytes.size()) == sum,
          "{}: its {} is damaged (the checksum is wrong). Remove it and start again.", path_, name);
    return {std::move(name), bytes};
  }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
  const std::string& path_;
};

}  // namespace

void NamedArrays::copy_to(std::string_view name, std::span<std::byte> to, const std::string& path) const {
  const auto found = std::ranges::find(items, name, &Item::name);
  check(found != items.end(), "{}: has no array '{}' (it is of another program). Name another file.", path, name);
  check(found->bytes.size() == to.size(),
        "{}: its {} has {} bytes ({} are needed: it is of another run). Name another.", path, name, found->bytes.size(),
        to.size());
  std::ranges::copy(found->bytes, to.begin());
}

void write_named_arrays(World& world, const std::string& path, const NamedArrays& arrays) {
  world.collective_try([&] {
    if (world.rank() != 0) return;
    std::string out(kMark);
    put(out, arrays.items.size());
    put(out, "text", arrays.text.data(), arrays.text.size());
    for (const auto& [name, bytes] : arrays.items) put(out, name, bytes.data(), bytes.size());
    AtomicFile file(path);
    file.reserve(out.size());
    file.write_at(out.data(), out.size(), 0);
    file.commit();
  });
}

std::optional<NamedArrays> read_named_arrays(World& world, const std::string& path) {
  std::string bytes;
  world.collective_try([&] {
    if (world.rank() != 0 || !std::filesystem::exists(path)) return;
    const InputFile file(path);
    bytes.resize(file.bytes());
    file.read_at(bytes.data(), bytes.size(), 0);
  });
  broadcast_text(world, bytes);
  if (bytes.empty()) return {};
  Reader reader(bytes, path);  // all ranks have the same bytes, hence the same error
  check(bytes.starts_with(kMark.substr(0, std::min(kMark.size(), bytes.size()))),
        "{}: is no checkpoint of this program (it begins with other bytes). Name another.", path);
  reader.take(kMark.size(), "its first line");
  NamedArrays out;
  const std::uint64_t count = reader.number("a number");
  const auto [first, text] = reader.item();
  check(first == "text", "{}: begins with {} (its text comes first: it is damaged). Remove it and start again.", path,
        first);
  out.text = text;
  for (std::uint64_t k = 0; k < count; ++k) {
    auto [name, item] = reader.item();
    out.add(std::move(name), std::as_bytes(std::span(item.data(), item.size())));
  }
  check(reader.at_end(), "{}: goes on behind its last array (it is damaged). Remove it and start again.", path);
  return out;
}

}  // namespace atl
