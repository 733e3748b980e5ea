// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atoll/io/dictionary/dictionary.hpp>
#include <cli/cli11.hpp>

namespace atl::cli {
namespace {

constexpr std::size_t kWidth = 98, kLeftAtMost = 30;

// `text` in lines that begin at column `indent`, where the first begins too.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > indent && column + 1 + word.size() > kWidth) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

// "--source TEXT": the checks of a value are said in words behind it.
std::string left_of(const CLI::Option& option) {
  std::string text = option.get_name(!option.get_positional(), true);
  std::replace(text.begin(), text.end(), ',', ' ');
  if (option.get_type_size() == 0) return text;  // a flag
  const std::string type = option.get_type_name();
  return text + " " + type.substr(0, type.find_first_of(":{ "));
}

std::string table(const std::vector<const CLI::Option*>& options) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const CLI::Option* option : options) rows.emplace_back("  " + left_of(*option), option->get_description());
  return wrapped_table(rows);
}

}  // namespace

void in_group(CLI::App& app, const char* group, const std::function<void()>& f) {
  const std::string before = app.option_defaults()->get_group();
  app.option_defaults()->group(group);
  f();
  app.option_defaults()->group(before);
}

std::string wrapped_table(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t left = 0;
  for (const auto& [name, about] : rows)
    if (name.size() <= kLeftAtMost) left = std::max(left, name.size());
  std::string out;
  for (const auto& [name, about] : rows) {
    out += name;
    out += name.size() <= left ? std::string(left - name.size() + 2, ' ') : '\n' + std::string(left + 2, ' ');
    out += wrapped(about, left + 2) + '\n';
  }
  return out;
}

std::string help_of(const CLI::App& app) {
  std::string out = wrapped(app.get_description(), 0) + "\n\nusage: " + app.get_name();
  std::vector<std::string> groups = app.get_groups();
  std::vector<const CLI::Option*> positionals =
      app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  for (const CLI::Option* option : positionals) out += " " + option->get_name(true);
  out += " [OPTIONS]\n";
  if (!positionals.empty()) out += "\n" + table(positionals);
  const std::string_view shared[] = {kReadingGroup, kPlacingGroup, kRanksGroup, kOutputGroup};
  const auto place = [&](const std::string& group) { return std::ranges::find(shared, group) - std::begin(shared); };
  std::ranges::stable_sort(groups, [&](const std::string& a, const std::string& b) {
    const bool a_own = place(a) == std::ssize(shared), b_own = place(b) == std::ssize(shared);
    return a_own != b_own ? a_own : !a_own && place(a) < place(b);
  });
  for (const std::string& group : groups) {
    const auto options = app.get_options([&](const CLI::Option* option) {
      return option->get_group() == group && option->nonpositional() && option->get_name() != "--help";
    });
    if (!group.empty() && !options.empty()) out += fmt::format("\n{}\n{}", group, table(options));
  }
  return out;
}

std::string nearest_of(std::string_view given, std::vector<std::string> known) {
  std::ranges::sort(known);
  Array<std::uint64_t> offsets(known.size() + 1);
  std::string all;
  for (std::size_t k = 0; k < known.size(); ++k) {
    offsets[k] = all.size();
    all += known[k];
  }
  offsets[known.size()] = all.size();
  Array<char> bytes(all.size());
  std::ranges::copy(all, bytes.begin());
  return Dictionary(std::move(offsets), std::move(bytes)).nearest_text(given);
}

}  // namespace atl::cli
