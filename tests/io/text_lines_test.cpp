// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/io/read_file.hpp>
#include <atoll/io/text_lines.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "graph/formats/files.hpp"

using namespace atl;

namespace {

// The lines of a text that comes in parts of `part` bytes.
std::vector<std::string> lines_of(const std::string& text, std::size_t part) {
  std::size_t at = 0;
  TextLines lines("a", [&](char* into, std::size_t n) {
    n = std::min({n, part, text.size() - at});
    std::memcpy(into, text.data() + at, n);
    at += n;
    return n;
  });
  std::vector<std::string> out;
  while (lines.next()) {
    out.emplace_back(lines.line());
    CHECK(lines.number() == std::ssize(out));
  }
  CHECK(!lines.next());
  return out;
}

std::string text_of(const std::string& path) {
  const InputFile file(path);
  TextStream stream(file);
  std::string text(100000, '\0');
  std::size_t have = 0;
  while (const std::size_t n = stream.read(text.data() + have, text.size() - have)) have += n;
  text.resize(have);
  return text;
}

}  // namespace

TEST_CASE("lines are the same whatever ends them and however the text comes") {
  for (const std::size_t part : {1u, 2u, 3u, 100u})
    for (const std::string mark : {"", "\xef\xbb\xbf"}) {
      for (const std::string end : {"\n", "\r\n", "\r"}) {
        const std::string text = mark + "a" + end + end + "bc" + end;
        CHECK(lines_of(text, part) == std::vector<std::string>{"a", "", "bc"});
        CHECK(lines_of(text + "d", part) == std::vector<std::string>{"a", "", "bc", "d"});
      }
      CHECK(lines_of(mark, part).empty());
    }
  CHECK(lines_of("a\n\rb\r\r\nc", 1) == std::vector<std::string>{"a", "", "b", "", "c"});
}

TEST_CASE("what is no text of lines is refused, in the memory of one line") {
  std::size_t given = 0;
  TextLines zeros("zeros", [&](char* into, std::size_t n) {
    std::memset(into, ' ', n);
    given += n;
    return n;
  });
  CHECK_THROWS_WITH_AS(zeros.next(),
                       "zeros:1: the line is longer than 1048576 bytes (is this a text of lines?). Check the file.",
                       InputError);
  CHECK(given < 3 * TextLines::kLongestLine);
  TextLines wide("wide", [](char* into, std::size_t) {
    std::memcpy(into,
                "\xff\xfe"
                "a",
                4);
    return std::size_t{4};
  });
  CHECK_THROWS_WITH_AS(wide.next(), doctest::Contains("wide:1: the text is UTF-16"), InputError);
}

TEST_CASE("zeros behind the last gzip member are padding, other bytes are not") {
  files::Folder folder;
  const std::string member = files::gzip_member("0 1\n1 2\n"), zeros(1000, '\0'), many(700000, '\0');
  for (const std::string& padding : {std::string(1, '\0'), zeros, many}) {
    folder.write("a.gz", member + padding);
    CHECK(text_of(folder / "a.gz") == "0 1\n1 2\n");
    folder.write("a.gz", member + padding + files::gzip_member("2 3\n"));
    CHECK(text_of(folder / "a.gz") == "0 1\n1 2\n2 3\n");
    folder.write("a.gz", member + padding + "x");
    CHECK_THROWS_AS(text_of(folder / "a.gz"), InputError);
  }
  folder.write("a.gz", member + "garbage of 20 bytes.");
  CHECK_THROWS_WITH_AS(text_of(folder / "a.gz"), doctest::Contains("the gzip data is damaged before byte"), InputError);
}

TEST_CASE("texts read in blocks begin behind the mark; UTF-16 is refused by name") {
  files::Folder folder;
  folder.write("plain", "0 1\r\n");
  folder.write("mark",
               "\xef\xbb\xbf"
               "0 1\n");
  folder.write("cr", "0 1\r1 2\r");
  folder.write("wide", std::string("0\0 \0", 4));
  run_ranks(2, Plan(), [&](World& world) {
    CHECK(text_begin(world, folder / "plain") == 0);
    CHECK(text_begin(world, folder / "mark") == 3);
    CHECK(text_begin(world, folder / "cr") == 0);
    CHECK_THROWS_WITH_AS(text_begin(world, folder / "wide"), doctest::Contains("UTF-16"), InputError);
  });
}
