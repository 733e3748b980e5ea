// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <optional>
#include <thread>

#include "folder.hpp"
#include "skip.hpp"

using namespace atl;
using files::content;
using files::Folder;
using Names = std::vector<std::string>;

namespace {

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing";
}

// The exit code of a process that runs f and answers with its result; -1: a signal ended it.
template <class F>
int in_process(F&& f) {
  const int child = fork();
  if (child == 0) _exit(f());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void fill(AtomicFile& file, char letter, std::size_t n) {
  const std::string text(n, letter);
  file.write_at(text.data(), n, 0);
}

}  // namespace

TEST_CASE("the old file stays until the new one is whole, and nothing is left beside it") {
  Folder folder;
  folder.write("a", "old");
  {
    AtomicFile file(folder / "a");
    file.write_at("ew", 2, 1);
    file.write_at("n", 1, 0);
    CHECK(content(folder / "a") == "old");
    file.commit();
  }
  CHECK(content(folder / "a") == "new");
  {
    AtomicFile given_up(folder / "a");
    fill(given_up, 'x', 100);
  }
  CHECK(content(folder / "a") == "new");
  write_file(folder / "b", "");
  CHECK(folder.names() == Names{"a", "b"});
}

TEST_CASE("a process killed midway leaves the old file, and is in nobody's way") {
  Folder folder;
  folder.write("a", "old");
  CHECK(in_process([&] {
          AtomicFile file(folder / "a");
          fill(file, 'x', 100);
          raise(SIGKILL);
          return 0;
        }) == -1);
  CHECK(content(folder / "a") == "old");
  CHECK(folder.names().size() == 2);
  folder.write(temporary_name("a", 0), "of one that had our number");
  write_file(folder / "a", "new");
  CHECK(content(folder / "a") == "new");
  CHECK(content(folder / temporary_name("a", 0)) == "of one that had our number");
}

TEST_CASE("parts written by several handles become one file") {
  Folder folder;
  AtomicFile file(folder / "a");
  AtomicFile other(file.path(), file.temporary());
  file.reserve(6);
  other.write_at("def", 3, 3);
  file.write_at("abc", 3, 0);
  other.sync();
  file.commit();
  CHECK(content(folder / "a") == "abcdef");
  CHECK(refusal([&] { AtomicFile(file.path(), file.temporary()); }) ==
        (folder / "a") +
            ": cannot be written by all ranks (No such file or directory). Check the path and the permissions "
            "of its folder.");
}

TEST_CASE("a limit of size is an error that leaves the old file alone") {
  Folder folder;
  folder.write("a", "old");
  const files::FileSizeLimit limit(1000);
  const std::string said =
      (folder / "a") + ": cannot be written (File too large). Raise the limit (ulimit -f), or write elsewhere.";
  CHECK(refusal([&] { write_file(folder / "a", std::string(1001, 'x')); }) == said);
  CHECK(refusal([&] { AtomicFile(folder / "a").reserve(1001); }) == said);
  CHECK(content(folder / "a") == "old");
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("a full disk is an error that leaves the old file alone") {
  Folder folder;
  const files::SmallDisk disk(folder, "64k");
  if (!disk.mounted()) return skip("a small file system needs the right to mount one");
  folder.write("a", "old");
  const std::string said =
      (folder / "a") + ": cannot be written (No space left on device). Make room, or write elsewhere.";
  CHECK(refusal([&] { write_file(folder / "a", std::string(100'000, 'x')); }) == said);
  CHECK(refusal([&] { AtomicFile(folder / "a").reserve(100'000); }) == said);
  CHECK(content(folder / "a") == "old");
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("a folder that may not be written to is named, and stays as it was") {
  Folder folder;
  folder.write("a", "old");
  std::filesystem::permissions(folder / "", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec |
                                                std::filesystem::perms::others_read |
                                                std::filesystem::perms::others_exec);
  const int code = in_process([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return 2;  // root may write anywhere
    return refusal([&] { write_file(folder / "a", "new"); }) ==
                   (folder / "a") +
                       ": cannot be written (Permission denied). Check the path and the permissions of its folder."
               ? 0
               : 1;
  });
  CHECK(code == 0);
  std::filesystem::permissions(folder / "", std::filesystem::perms::owner_all);
  CHECK(content(folder / "a") == "old");
  CHECK(folder.names() == Names{"a"});
  CHECK(refusal([&] { check_output_path(folder / "none/a"); }) ==
        (folder / "none/a") + ": cannot be written (there is no folder " + (folder / "none") + "). Make it first.");
  CHECK(refusal([&] { write_file(folder / "", "x"); }).find(": is a folder (a file is to be written).") !=
        std::string::npos);
}

TEST_CASE("of several writers of one name the last wins, whole") {
  Folder folder;
  const auto size_of = [](char letter) { return static_cast<std::size_t>(letter - 'a' + 1) * 5000; };
  const auto write_often = [&](char letter) {
    for (int i = 0; i < 30; ++i) write_file(folder / "a", std::string(size_of(letter), letter));
  };
  write_file(folder / "a", std::string(size_of('c'), 'c'));
  std::thread one(write_often, 'a'), other(write_often, 'b');
  int torn = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string text = content(folder / "a");
    torn += text != std::string(size_of(text[0]), text[0]);
  }
  one.join();
  other.join();
  CHECK(torn == 0);
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("what is no regular file is written to and not replaced; a link stays one") {
  Folder folder;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const FileHandle reader(ends[0]), writer(ends[1]);
  write_file("/dev/fd/" + std::to_string(writer.get()), "through");
  char text[8] = "";
  CHECK(read(reader.get(), text, 7) == 7);
  CHECK(std::string(text) == "through");

  FileHandle nameless(open((folder / "gone").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  std::filesystem::remove(folder / "gone");
  write_file("/dev/fd/" + std::to_string(nameless.get()), "kept");
  CHECK(nameless.read_at(text, 4, 0) == 0);
  CHECK(std::string(text) == "keptugh");
  CHECK(nameless.read_at(text, 5, 0) == ENODATA);
  CHECK(folder.names().empty());

  CHECK(refusal([&] { write_file("/dev/full", "x"); }) ==
        "/dev/full: cannot be written (No space left on device). Make room, or write elsewhere.");
  check_output_path("/dev/full");
  CHECK(refusal([&] { AtomicFile file("/dev/full"); }).find("is no regular file") != std::string::npos);

  folder.write("file", "old");
  std::filesystem::create_symlink("file", folder / "link");
  write_file(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(content(folder / "file") == "new");
  CHECK(folder.names() == Names{"file", "link"});
}
