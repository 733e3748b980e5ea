// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/utf8.hpp>
#include <atoll/io/dictionary/dictionary.hpp>
#include <atoll/runtime/world.hpp>
#include <string>

/// Dictionaries in files, beside the graph whose vertices they name.
///
///     write_dictionary(world, "web.atoll.names", names);             // collective; whole or not at all
///     const Dictionary names = map_dictionary(world, "web.atoll.names");   // collective; pages come when looked at
///     write_names(world, "names.txt", names);                        // a name a line: line k + 1 is vertex k
///
/// The file: a line that says what it is, then little-endian numbers of 8 bytes: how many names, how many bytes, a
/// checksum of what follows; then where each name begins, where the last ends, and the bytes.
namespace atl {

/// Rank 0 writes. Collective; every rank throws the same IoError.
void write_dictionary(World& world, const std::string& path, const Dictionary& names);
/// Every rank maps the file and reads it once, to check it. Collective; every rank throws the same InputError if it is
/// damaged or another kind of file, IoError if it cannot be read.
Dictionary map_dictionary(World& world, const std::string& path);
/// Rank 0 writes. InputError where a name holds a line end.
void write_names(World& world, const std::string& path, const Dictionary& names);

}  // namespace atl
