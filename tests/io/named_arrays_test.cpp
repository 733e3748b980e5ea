// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/io/named_arrays.hpp>
#include <filesystem>
#include <iterator>

#include "folder.hpp"

using namespace atl;

namespace {

NamedArrays example() {
  NamedArrays out{.text = "{\"epoch\": 3}"};
  const std::vector<double> values{1.5, -2.0, 0.25};
  out.add("values", std::as_bytes(std::span(values)));
  out.add("nothing", {});
  return out;
}

}  // namespace

TEST_CASE("arrays come back on every rank, and only with their name and length") {
  const files::Folder folder;
  const std::string path = folder / "state";
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, {}, [&](World& world) {
      CHECK(!read_named_arrays(world, path + ".none"));
      write_named_arrays(world, path, example());
      const auto back = read_named_arrays(world, path);
      REQUIRE(back.has_value());
      CHECK(back->text == "{\"epoch\": 3}");
      std::vector<double> values(3), longer(4);
      back->copy_to("values", std::as_writable_bytes(std::span(values)), path);
      CHECK(values == std::vector<double>{1.5, -2.0, 0.25});
      back->copy_to("nothing", {}, path);
      CHECK_THROWS_AS(back->copy_to("values", std::as_writable_bytes(std::span(longer)), path), InputError);
      CHECK_THROWS_AS(back->copy_to("value", std::as_writable_bytes(std::span(values)), path), InputError);
      CHECK_THROWS_AS(write_named_arrays(world, folder / "no/such/state", example()), IoError);
    });
}

TEST_CASE("every changed byte and every cut of the file is an error that names it") {
  const files::Folder folder;
  const std::string path = folder / "state";
  run_ranks(2, {}, [&](World& world) { write_named_arrays(world, path, example()); });
  const std::string good = files::content(path);
  const auto refused = [&] {
    int thrown = 0;
    run_ranks(2, {}, [&](World& world) {
      std::string text;
      try {
        const auto back = read_named_arrays(world, path);
        std::vector<double> values(3);
        if (back) {  // a name may have changed: then the array is missing
          back->copy_to("values", std::as_writable_bytes(std::span(values)), path);
          back->copy_to("nothing", {}, path);
        }
      } catch (const InputError& e) {
        text = e.what();
      }
      const bool ok = text.starts_with(path + ": ");
      CHECK(world.all(ok) == world.any(ok));
      if (world.rank() == 0) thrown = ok;
    });
    return thrown == 1;
  };
  int unseen = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    files::write(path, bad);
    unseen += !refused();
  }
  CHECK(unseen == 0);
  for (std::size_t size = 1; size < good.size(); ++size) {
    files::write(path, good.substr(0, size));
    CHECK(refused());
  }
  files::write(path, good + "x");
  CHECK(refused());
}
