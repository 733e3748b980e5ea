// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/distance_format.hpp>
#include <atoll/base/error.hpp>
#include <charconv>
#include <cmath>

namespace atl {
namespace {

constexpr std::string_view kFormat = "atoll distances";
constexpr int kVersion = 1;
constexpr std::string_view kNpyMagic = "\x93NUMPY";

[[noreturn]] void refuse_head(const std::string& path, const char* why) {
  throw InputError(fmt::format("{}: is no .npy file that can be read here ({}). Write it with numpy.save.", path, why));
}

// The text behind 'key': in numpy's dictionary, up to a comma outside brackets.
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

DistanceForm form_of(const std::string& path) {
  std::string name = path;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (name.ends_with(".npy")) return DistanceForm::npy;
  if (name.ends_with(".tiles")) return DistanceForm::tiles;
  if (name.ends_with(".zarr")) return DistanceForm::zarr;
  throw UsageError(
      fmt::format("{}: its ending is none that distances have (.npy .tiles .zarr). Use one of them.", path));
}

nlohmann::json no_path_json(Element element, Semiring semiring) {
  return with_value_type(element, [&](auto type) -> nlohmann::json {
    const auto zero = zero_of<decltype(type)>(semiring);
    if constexpr (std::is_floating_point_v<decltype(type)>) {
      if (std::isinf(zero)) return zero > 0 ? "Infinity" : "-Infinity";
    }
    return zero;
  });
}

nlohmann::json DistanceMeta::to_json() const {
  return {{"format", kFormat},
          {"version", kVersion},
          {"n", n},
          {"block", block},
          {"type", name_of(element)},
          {"semiring", name_of(semiring)},
          {"no_path", no_path_json(element, semiring)},
          {"scale", scale},
          {"directed", directed},
          {"ids", has_ids},
          {"arcs", arcs < 0 ? nlohmann::json() : nlohmann::json(arcs)},
          {"weights", weights.empty() ? nlohmann::json() : nlohmann::json(weights)},
          {"about", about}};
}

DistanceMeta DistanceMeta::from_json(const std::string& path, const std::string& text) {
  DistanceMeta meta;
  try {
    const nlohmann::json all = nlohmann::json::parse(text);
    check(all.is_object() && all.value("format", "") == kFormat,
          "{}: its metadata is not that of distances (format is not '{}'). Name a file of distances.", path, kFormat);
    check(all.at("version") == kVersion,
          "{}: is of version {} (this program reads version {}). Write it again with this program.", path,
          all.at("version").dump(), kVersion);
    all.at("n").get_to(meta.n);
    all.at("block").get_to(meta.block);
    meta.element = element_named(all.at("type").get<std::string>());
    meta.semiring = semiring_named(all.at("semiring").get<std::string>());
    all.at("scale").get_to(meta.scale);
    all.at("directed").get_to(meta.directed);
    all.at("ids").get_to(meta.has_ids);
    if (!all.at("arcs").is_null()) all.at("arcs").get_to(meta.arcs);
    if (!all.at("weights").is_null()) all.at("weights").get_to(meta.weights);
    meta.about = all.at("about");
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("{}: its metadata is damaged ({}). Get it again.", path, e.what()));
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 30;  // n * n * 8 fits 63 bits
  check(meta.n >= 1 && meta.n <= kMost && meta.block >= 1 && meta.block <= meta.n && meta.arcs >= -1 &&
            meta.arcs <= kMost * 1024 && std::isfinite(meta.scale),
        "{}: its metadata contradicts itself (n = {}, blocks of {}, {} arcs). Get it again.", path, meta.n, meta.block,
        meta.arcs);
  return meta;
}

const char* numpy_type(Element element) {
  switch (element) {
    case Element::float64:
      return "<f8";
    case Element::int32:
      return "<i4";
    case Element::uint16:
      return "<u2";
    case Element::uint8:
      return "|u1";
    default:
      return "<f4";
  }
}

std::string npy_head(const char* type, const std::string& shape, std::uint64_t at) {
  constexpr std::size_t kStart = 10, kAlign = 64;  // numpy.lib.format, version 1.0
  std::string words = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  const std::uint64_t end = (at + kStart + words.size() + 1 + kAlign - 1) / kAlign * kAlign;
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

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value >= 1e12) return fmt::format("{:.1f} TB", value / 1e12);
  if (value >= 1e9) return fmt::format("{:.1f} GB", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.1f} MB", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.1f} kB", value / 1e3);
  return fmt::format("{} bytes", bytes);
}

}  // namespace atl
