// SPDX-License-Identifier: Apache-2.0
// What is opened of a .h5: its user block, and the arrays at the places that it names. tests/python/test_hdf5.py has
// files that HDF5 has laid out.
#include <doctest/doctest.h>

#include <atoll/apsp/store/distance_file.hpp>
#include <atoll/base/error.hpp>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "distance_samples.hpp"
#include "graph/formats/files.hpp"

using namespace atl;

namespace {

constexpr std::size_t kBlock = 512;

template <class T>
std::string bytes_of_all(std::initializer_list<T> values) {
  std::string out;
  for (const T value : values) {
    const auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    out.append(raw.data(), raw.size());
  }
  return out;
}

nlohmann::json block() {
  return {{"format", "atoll distances"},
          {"version", 1},
          {"n", 2},
          {"block", 1},
          {"type", "float32"},
          {"semiring", "min_plus"},
          {"no_path", "Infinity"},
          {"scale", 1.0},
          {"directed", true},
          {"ids", true},
          {"arcs", 1},
          {"weights", nullptr},
          {"about", nlohmann::json::object()},
          {"at", {{"distances", kBlock}, {"ids", kBlock + 16}, {"offsets", kBlock + 32}, {"targets", kBlock + 56}}}};
}

std::string file_of(const nlohmann::json& head) {
  std::string text = head.dump();
  text.resize(kBlock, '\0');
  return text + bytes_of_all<float>({0, 3, INFINITY, 0}) + bytes_of_all<std::int64_t>({7, 42, 0, 1, 1}) +
         bytes_of_all<std::int32_t>({1});
}

std::string refusal_of(const files::Folder& folder, const std::string& content) {
  folder.write("d.h5", content);
  try {
    DistanceFile file(folder / "d.h5");
  } catch (const InputError& e) {
    return std::string(e.what()).substr((folder / "d.h5").size());
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a .h5 is mapped where its user block says") {
  const files::Folder folder;
  folder.write("d.h5", file_of(block()));
  const DistanceFile file(folder / "d.h5");
  CHECK(file.format() == StorageFormat::hdf5);
  CHECK(file.distance(7, 42) == 3);
  CHECK(std::isinf(file.distance(42, 7)));
  CHECK(static_cast<const float*>(file.row_view(0))[1] == 3);
  CHECK(file.graph().targets[0] == 1);
}

TEST_CASE("a .h5 that does not say where its arrays are, or ends before them, is refused") {
  const files::Folder folder;
  const std::string not_ours =
      ": was not written by Atoll (its first bytes do not say where the matrix is). Read it by h5py, and write the "
      "matrix by atoll.apsp.save.";
  CHECK(refusal_of(folder, "\x89HDF\r\n\x1a\n and more") == not_ours);
  CHECK(refusal_of(folder, "") == ": is empty (0 bytes). Check how it was written.");
  CHECK(refusal_of(folder, block().dump()) ==
        fmt::format(": ends at byte {} (in its metadata). It is cut off; get it again.", block().dump().size()));
  const std::string whole = file_of(block());
  CHECK(refusal_of(folder, whole) == "nothing");
  CHECK(refusal_of(folder, whole.substr(0, whole.size() - 1)) ==
        ": has 571 bytes (1 values of targets begin at byte 568). It is cut off; get it again.");
  nlohmann::json head = block();
  head["at"].erase("ids");
  CHECK(refusal_of(folder, file_of(head)) == ": its metadata has no place for ids. Write it again.");
  for (const nlohmann::json& place : {nlohmann::json(-4), nlohmann::json("512"), nlohmann::json(513)}) {
    head = block();
    head["at"]["distances"] = place;
    CHECK(refusal_of(folder, file_of(head)) == ": its metadata has no place for distances. Write it again.");
  }
  head = block();
  head["at"]["distances"] = std::uint64_t{1} << 63;
  CHECK(refusal_of(folder, file_of(head)).find("begin at byte 9223372036854775808") != std::string::npos);
  head = block();
  head.erase("at");
  CHECK(refusal_of(folder, file_of(head)) == ": its metadata has no place for distances. Write it again.");
}
