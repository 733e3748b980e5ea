// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/io/npy.hpp>
#include <charconv>
#include <string_view>

namespace atl {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";

[[noreturn]] void refuse_head(const std::string& path, const char* why) {
  throw InputError(fmt::format("{}: is no .npy file that can be read here ({}). Write it with numpy.save.", path, why));
}

// The text after 'key': in numpy's dictionary, up to a comma outside brackets.
std::string_view value_of(std::string_view words, std::string_view key) {
  auto at = words.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  at = words.find_first_not_of(' ', at + key.size() + 3);
  if (at == std::string_view::npos) return {};
  int depth = 0;
  std::size_t end = at;
  for (; end < words.size(); ++end) {
    if (words[end] == '(' || words[end] == '[') ++depth;
    if (words[end] == ')' || words[end] == ']') --depth;
    if (depth == 0 && (words[end] == ',' || words[end] == '}')) break;
  }
  return words.substr(at, end - at);
}

}  // namespace

std::string npy_head(const char* type, const std::string& shape, std::uint64_t at, std::size_t blanks) {
  constexpr std::size_t kStart = 10, kAlign = 64;  // numpy.lib.format, version 1.0
  std::string words = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  const std::uint64_t end = (at + kStart + words.size() + blanks + 1 + kAlign - 1) / kAlign * kAlign;
  words.resize(end - at - kStart - 1, ' ');
  words += '\n';
  std::string head(kNpyMagic);
  head += {'\x01', '\0', static_cast<char>(words.size() & 0xff), static_cast<char>(words.size() >> 8)};
  return head + words;
}

NpyHead read_npy_head(const std::string& path, const char* data, std::uint64_t size, std::uint64_t at) {
  if (size < 12 || std::string_view(data, kNpyMagic.size()) != kNpyMagic) refuse_head(path, "it does not begin as one");
  const auto byte = [&](std::size_t k) { return static_cast<std::uint64_t>(static_cast<unsigned char>(data[k])); };
  const std::uint64_t start = byte(6) == 1 ? 10 : 12;
  std::uint64_t length = byte(8) | byte(9) << 8;
  if (start == 12) length |= byte(10) << 16 | byte(11) << 24;
  if (length > size - start) refuse_head(path, "it ends within its header");
  const std::string_view words(data + start, length);
  NpyHead head;
  head.begin = at + start + length;
  std::string_view type = value_of(words, "descr"), shape = value_of(words, "shape");
  const std::string_view order = value_of(words, "fortran_order");
  if (type.size() < 3 || type.front() != '\'' || shape.size() < 2 || shape.front() != '(' ||
      (order != "True" && order != "False"))
    refuse_head(path, "its header is not that of an array of numbers");
  head.type = type.substr(1, type.size() - 2);
  head.by_columns = order == "True";
  shape = shape.substr(1, shape.size() - 2);
  while (!shape.empty()) {
    const auto from = shape.find_first_not_of(" ,");
    if (from == std::string_view::npos) break;
    std::int64_t extent = -1;
    const auto [end, error] = std::from_chars(shape.data() + from, shape.data() + shape.size(), extent);
    if (error != std::errc() || extent < 0) refuse_head(path, "its shape is none");
    head.shape.push_back(extent);
    shape = shape.substr(static_cast<std::size_t>(end - shape.data()));
  }
  return head;
}

}  // namespace atl
