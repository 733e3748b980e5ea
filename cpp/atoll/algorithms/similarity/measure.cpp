// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atoll/algorithms/similarity/measure.hpp>
#include <atoll/base/error.hpp>

namespace atl {
namespace {

constexpr std::array<std::string_view, 7> kNames{
    "common_neighbors",       "jaccard", "overlap", "cosine", "adamic_adar", "resource_allocation",
    "preferential_attachment"};

}  // namespace

std::span<const std::string_view> similarity_names() { return kNames; }

Similarity similarity_named(std::string_view name) {
  const auto at = std::ranges::find(kNames, name);
  if (at == kNames.end())
    throw UsageError(fmt::format("measure '{}' is unknown (there are {}). Choose one.", name, fmt::join(kNames, ", ")));
  return static_cast<Similarity>(at - kNames.begin());
}

}  // namespace atl
