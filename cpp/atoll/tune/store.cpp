// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/base/isa/isa.hpp>
#include <atoll/base/json.hpp>
#include <atoll/base/version.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/tune/store.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace atl::tune {
namespace {

namespace fs = std::filesystem;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// A processor's name as the name of a folder.
std::string folder_name(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (is_word(c)) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "unknown" : out;
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

void check_key(std::string_view key) {
  bool ok = !key.empty();
  for (std::size_t begin = 0; ok && begin <= key.size();) {
    const std::size_t end = std::min(key.find('/', begin), key.size());
    const std::string_view word = key.substr(begin, end - begin);
    ok = !word.empty() && word.front() != '.' && std::all_of(word.begin(), word.end(), is_word);
    begin = end + 1;
  }
  check(ok, "key '{}' of a stored result (words of letters, digits, '.', '_' and '-' between '/'). Choose another.",
        key);
}

}  // namespace

Provenance this_machine() { return {host_facts().processor, std::string(name_of(chosen_isa()))}; }

nlohmann::json provenance(const Provenance& machine) {
  return {
      {"processor", machine.processor}, {"isa", machine.isa}, {"date", now_utc()}, {"version", std::string(kVersion)}};
}

fs::path Store::default_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (const std::string own = variable("ATOLL_CACHE"); !own.empty()) return own;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "atoll";
  const std::string home = variable("HOME");
  if (home.empty())
    throw UsageError(
        "there is no folder for what is tuned (ATOLL_CACHE, XDG_CACHE_HOME and HOME are unset). Set ATOLL_CACHE.");
  return fs::path(home) / ".cache" / "atoll";
}

Store::Store(fs::path folder, Provenance machine) : folder_(std::move(folder)), machine_(std::move(machine)) {}

fs::path Store::file_of(std::string_view key) const {
  check_key(key);
  return folder_ / (folder_name(machine_.processor) + "-" + folder_name(machine_.isa)) / (std::string(key) + ".json");
}

fs::path Store::write(std::string_view key, const nlohmann::json& value) const {
  const fs::path file = file_of(key);
  const nlohmann::json object{{"schema", 1}, {"key", key}, {"value", value}, {"provenance", provenance(machine_)}};
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    throw IoError(
        fmt::format("{}: cannot be made ({}). Correct the permissions, or name another folder by ATOLL_CACHE.",
                    file.parent_path().string(), error.message()));
  try {
    write_file(file.string(), dump_json(object, 2) + "\n");
  } catch (const IoError& e) {
    throw IoError(fmt::format("{} Another folder is named by ATOLL_CACHE.", e.what()));
  }
  return file;
}

std::optional<Entry> Store::read(std::string_view key) const {
  const fs::path file = file_of(key);
  const std::optional<std::string> text = read_text_file(file.string());
  if (!text) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return std::nullopt;
    throw IoError(fmt::format("{}: cannot be opened ({}). Correct its permissions or remove it.", file.string(),
                              std::strerror(errno)));
  }
  const nlohmann::json object = try_parse_json(*text);
  check(
      object.is_object() && object.contains("value") && object.contains("provenance") && object.value("schema", 0) == 1,
      "{}: is not a stored result of this version. Remove it, and tune or measure again.", file.string());
  return Entry{object.at("value"), object.at("provenance"), file};
}

}  // namespace atl::tune
