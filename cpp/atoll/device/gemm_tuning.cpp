// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/base/random.hpp>
#include <atoll/device/gemm_tuning.hpp>
#include <atoll/tune/store.hpp>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

// Each factor fits a few stages of shared memory whatever the element, since a word has four bytes.
constexpr std::size_t kWordBytes = 4;
constexpr std::int64_t kWarp = 32;

std::size_t shared_bytes(const DeviceTile& t) {
  return kWordBytes * static_cast<std::size_t>((t.rows + t.cols) * t.depth * t.stages);
}

}  // namespace

DeviceTile tile_of(const tune::Point& p) {
  const auto at = [&](const char* name) { return static_cast<int>(p[name]); };
  return {at("blk_m"), at("blk_n"), at("blk_k"), at("thread_m"), at("thread_n"), at("stages")};
}

nlohmann::json tile_to_json(const DeviceTile& t) {
  return {{"blk_m", t.rows},           {"blk_n", t.cols},           {"blk_k", t.depth},
          {"thread_m", t.thread_rows}, {"thread_n", t.thread_cols}, {"stages", t.stages}};
}

tune::Space device_gemm_space(const Device& device, Element element) {
  const auto compiled = DeviceGemm::tiles(device, element);
  check(!compiled.empty(), "{} has no kernels on a device (there is nothing to tune). Choose another --type.",
        name_of(element));
  tune::Space space;
  space.integer("blk_m", {64, 128, 256})
      .integer("blk_n", {64, 128, 256})
      .integer("blk_k", {8, 16, 32})
      .integer("thread_m", {4, 8, 16})
      .integer("thread_n", {4, 8, 16})
      .integer("stages", {2, 3, 4});
  const std::size_t has = device.facts().shared_bytes;
  const std::vector<DeviceTile> known(compiled.begin(), compiled.end());
  space
      .require("1-2: a block has 128 to 1,024 threads",
               [](const tune::Point& p) { return tile_of(p).threads() >= 128 && tile_of(p).threads() <= 1024; })
      .require("3: whole warps", [](const tune::Point& p) { return tile_of(p).threads() % kWarp == 0; })
      .require("4: the stages fit a block's shared memory",
               [has](const tune::Point& p) { return shared_bytes(tile_of(p)) <= has; })
      .require("5-10: threads copy a piece in equal parts of 16 bytes",
               [](const tune::Point& p) {
                 const DeviceTile t = tile_of(p);
                 return t.rows * t.depth % (4 * t.threads()) == 0 && t.cols * t.depth % (4 * t.threads()) == 0;
               })
      .require("accumulators fit the registers",
               [](const tune::Point& p) { return p["thread_m"] * p["thread_n"] <= 128; })
      .require("it is compiled in",
               [known](const tune::Point& p) { return std::ranges::find(known, tile_of(p)) != known.end(); });
  return space;
}

double product_rate(const Stream& stream, const DeviceGemm& gemm, std::int64_t n) {
  Device& device = gemm.device();
  const auto run = [&]<class T>(T) {
    DeviceMatrix<T> factor(device, n, n), c(device, n, n);
    // Values that sums of two of cannot leave any type; what they are does not matter for the time.
    device.fill(factor.view().data, 1, factor.memory_bytes(), stream);
    device.fill(c.view().data, 0x10, c.memory_bytes(), stream);
    DevicePanel left(DevicePanel::Side::left), right(DevicePanel::Side::right);
    left.pack(gemm, stream, DeviceOperand<T>{factor.view(), false});
    right.pack(gemm, stream, DeviceOperand<T>{factor.view(), true});
    Event first(device), last(device);
    first.record(stream);
    gemm.multiply(stream, left, right, c.view(), std::array{Window{0, n, 0, n}});
    last.record(stream);
    stream.wait();
    return 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) /
           device.seconds_between(first, last);
  };
  if (gemm.element() == Element::int32) return run(std::int32_t{});
  if (gemm.element() == Element::uint16) return run(std::uint16_t{});
  return run(float{});
}

std::string device_tile_key(const Device& device, Element element) {
  std::string name = device.facts().name;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.'; }, '_');
  return fmt::format("gemm/{}/min_plus/{}", name, name_of(element));
}

std::optional<DeviceTile> stored_device_tile(const Device& device, Element element, const tune::Store& store) {
  const auto entry = store.read(device_tile_key(device, element));
  if (!entry) return std::nullopt;
  try {
    const nlohmann::json& j = entry->value.at("blocking");
    const auto at = [&](const char* name) { return j.at(name).get<int>(); };
    const DeviceTile tile{at("blk_m"), at("blk_n"), at("blk_k"), at("thread_m"), at("thread_n"), at("stages")};
    const auto compiled = DeviceGemm::tiles(device, element);
    return std::ranges::find(compiled, tile) != compiled.end() ? std::optional(tile) : std::nullopt;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("{}: {} (not a stored tile). Remove the file, or run `atoll tune gemm --device cuda`.",
                                 entry->file.string(), e.what()));
  }
}

}  // namespace atl
