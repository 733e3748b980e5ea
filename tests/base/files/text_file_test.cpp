// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/files/text_file.hpp>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace atl;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::string_view rest = text, line;
  while (take_line(rest, line)) lines.emplace_back(line);
  return lines;
}

std::string utf16(const std::string& text, bool little, bool mark) {
  std::string out;
  if (mark) out = little ? "\xff\xfe" : "\xfe\xff";
  for (const char c : text) {
    if (!little) out += '\0';
    out += c;
    if (little) out += '\0';
  }
  return out;
}

}  // namespace

TEST_CASE("a text has the same lines whatever ends them, with and without a byte order mark") {
  const files::Folder folder;
  const std::string path = folder / "a.txt";
  for (const std::string mark : {"", "\xef\xbb\xbf"})
    for (const std::string end : {"\n", "\r\n", "\r"}) {
      CAPTURE(end);
      std::string text = mark;
      for (const char* line : {"one", "", "two words"}) text += line + end;
      write_file(path, text + "last");
      CHECK(lines_of(read_text_file(path).value()) == std::vector<std::string>{"one", "", "two words", "last"});
      write_file(path, text);
      CHECK(lines_of(read_text_file(path).value()) == std::vector<std::string>{"one", "", "two words"});
    }
  write_file(path, "");
  CHECK(read_text_file(path) == "");
  CHECK(!read_text_file(folder / "none"));
}

TEST_CASE("UTF-16 and UTF-32 are refused by name, with and without a mark") {
  const files::Folder folder;
  const std::string path = folder / "a.txt";
  for (const bool little : {true, false})
    for (const bool mark : {true, false}) {
      write_file(path, utf16("0 1 5\n", little, mark));
      CHECK_THROWS_WITH_AS(read_text_file(path),
                           (path + ":1: the text is UTF-16 or UTF-32 (by its first bytes). Convert it to UTF-8, as by "
                                   "iconv -f UTF-16 -t UTF-8.")
                               .c_str(),
                           InputError);
    }
  CHECK_THROWS_AS(mark_bytes(std::string("\xff\xfe\0\0", 4), path), InputError);
  CHECK(mark_bytes("a", path) == 0);
  CHECK(mark_bytes("\xc3\xa9", path) == 0);  // a letter of UTF-8
}

TEST_CASE("a file that is longer than any of its kind is refused before it is in memory") {
  const files::Folder folder;
  const std::string path = folder / "a.txt";
  write_file(path, std::string(300000, ' '));
  CHECK_THROWS_WITH_AS(read_text_file(path, 100000),
                       (path + ": more than 100000 bytes (no such file is so long). Correct the path.").c_str(),
                       InputError);
}
