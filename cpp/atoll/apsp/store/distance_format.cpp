// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/store/distance_format.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/base/json.hpp>
#include <atoll/io/npy.hpp>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

constexpr std::string_view kFormat = "atoll distances";
constexpr int kDistanceFormatVersion = 1;

std::uint64_t from_hex(const std::string& path, const std::string& text) {
  std::uint64_t sum = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sum, 16);
  check(error == std::errc() && end == text.data() + text.size() && text.size() == 16,
        "{}: its metadata is damaged ('{}' is no checksum of 16 hex digits). Get it again.", path, text);
  return sum;
}

nlohmann::json sums_json(const DistanceMeta& meta) {
  if (meta.checked_columns == 0) return {};
  nlohmann::json out{{"columns", meta.checked_columns}};
  for (const auto& [name, sum] : meta.checksums) out[name] = hex(sum);
  return out;
}

std::uint64_t metadata_sum(const nlohmann::json& meta) {
  const std::string words = dump_json(meta);
  return checksum(words.data(), words.size());
}

}  // namespace

std::string sealed(nlohmann::json meta, int indent) {
  meta.erase("checksum");
  meta["checksum"] = hex(metadata_sum(meta));
  return dump_json(meta, indent);
}

StorageFormat storage_format_of(const std::string& path) {
  std::string name = path;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (name.ends_with(".npy")) return StorageFormat::npy;
  if (name.ends_with(".tiles")) return StorageFormat::tiles;
  if (name.ends_with(".zarr")) return StorageFormat::zarr;
  if (name.ends_with(".h5") || name.ends_with(".hdf5")) return StorageFormat::hdf5;
  throw UsageError(
      fmt::format("{}: unknown ending (distances are stored as .npy, .tiles, .zarr or .h5). Use one of them.", path));
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
          {"version", kDistanceFormatVersion},
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
          {"about", parse_json(about)},
          {"checksums", sums_json(*this)}};
}

DistanceMeta DistanceMeta::from_json(const std::string& path, const std::string& text) {
  DistanceMeta meta;
  try {
    nlohmann::json all = parse_json(text);
    check(all.is_object() && all.value("format", "") == kFormat,
          "{}: its metadata is not that of distances (format is not '{}'). Name a file of distances.", path, kFormat);
    check(all.at("version") == kDistanceFormatVersion,
          "{}: is of version {} (this program reads version {}). Write it again with this program.", path,
          dump_json(all.at("version")), kDistanceFormatVersion);
    const nlohmann::json sums = all.value("checksums", nlohmann::json());
    if (!sums.is_null() || all.contains("checksum")) {
      const std::uint64_t sum = from_hex(path, all.at("checksum").get<std::string>());
      all.erase("checksum");
      check(sum == metadata_sum(all), "{}: its metadata is damaged (its checksum is another). Get it again.", path);
      sums.at("columns").get_to(meta.checked_columns);
      for (const auto& [name, value] : sums.items())
        if (name != "columns") meta.checksums[name] = from_hex(path, value.get<std::string>());
    }
    all.at("n").get_to(meta.n);
    all.at("block").get_to(meta.block);
    meta.element = element_named(all.at("type").get<std::string>());
    meta.semiring = semiring_named(all.at("semiring").get<std::string>());
    all.at("scale").get_to(meta.scale);
    all.at("directed").get_to(meta.directed);
    all.at("ids").get_to(meta.has_ids);
    if (!all.at("arcs").is_null()) all.at("arcs").get_to(meta.arcs);
    if (!all.at("weights").is_null()) all.at("weights").get_to(meta.weights);
    meta.about = dump_json(all.at("about"));
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("{}: its metadata is damaged ({}). Get it again.", path, e.what()));
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 30;  // n * n * 8 fits 63 bits
  check(meta.n >= 1 && meta.n <= kMost && meta.block >= 1 && meta.block <= meta.n && meta.arcs >= -1 &&
            meta.arcs <= kMost * 1024 && std::isfinite(meta.scale) && meta.checked_columns >= 0 &&
            meta.checked_columns <= meta.n,
        "{}: its metadata contradicts itself (n = {}, blocks of {}, {} arcs). Get it again.", path, meta.n, meta.block,
        meta.arcs);
  return meta;
}

std::string distance_npy_head(Element element, std::int64_t n) {
  return npy_head(numpy_type(element), fmt::format("({0}, {0})", n), 0, 64);
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

}  // namespace atl
