// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Arrays that all ranks have alike, by name, and a text beside them, in one file: a checkpoint of what is replicated.
///
///     NamedArrays state{.text = epoch_as_json};
///     state.add("weights", std::as_bytes(std::span(weights)));
///     write_named_arrays(world, "run/gcn.checkpoint", state);               // collective; whole or not at all
///     if (const auto saved = read_named_arrays(world, "run/gcn.checkpoint"))   // collective; none: no such file
///       saved->copy_to("weights", std::as_writable_bytes(std::span(weights)), "run/gcn.checkpoint");
///
/// The file has checksums of each array and of the text; its numbers are little-endian.
namespace atl {

struct NamedArrays {
  struct Item {
    std::string name;
    std::vector<std::byte> bytes;
  };
  std::string text = {};
  std::vector<Item> items = {};

  void add(std::string name, std::span<const std::byte> bytes) {
    items.push_back({std::move(name), {bytes.begin(), bytes.end()}});
  }
  /// Throws InputError, with the path that they were read from, if there is no such array of just that length.
  void copy_to(std::string_view name, std::span<std::byte> to, const std::string& path) const;
};

/// Rank 0 writes. Until the new file is complete one of that name stays. Collective; every rank throws the same IoError.
void write_named_arrays(World& world, const std::string& path, const NamedArrays& arrays);

/// None where there is no file of that name. Rank 0 reads. Collective; every rank throws the same InputError if the file
/// is damaged or another kind of file, IoError if it cannot be read.
std::optional<NamedArrays> read_named_arrays(World& world, const std::string& path);

}  // namespace atl
