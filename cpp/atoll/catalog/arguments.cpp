// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atoll/base/error.hpp>

namespace atl::catalog {
namespace {

bool fits(Kind kind, const Value& value) {
  switch (kind) {
    case Kind::whole:
    case Kind::vertex:
      return std::holds_alternative<std::int64_t>(value);
    case Kind::real:
      return std::holds_alternative<double>(value);
    case Kind::word:
      return std::holds_alternative<std::string>(value);
    case Kind::flag:
      return std::holds_alternative<bool>(value);
    case Kind::vertices:
      return std::holds_alternative<std::span<const Vertex>>(value);
    case Kind::reals:
      return std::holds_alternative<std::span<const double>>(value);
  }
  return false;
}

// Why an option does not take this value; empty if it does.
std::string refusal(const Option& option, const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value); whole && option.kind == Kind::whole) {
    if (option.range == Range::not_negative && *whole < 0) return fmt::format("{} (it is 0 or more)", *whole);
    if (option.range == Range::positive && *whole < 1) return fmt::format("{} (it is above 0)", *whole);
    if (*whole > option.most || *whole < -option.most - 1)
      return fmt::format("{} (it is at most {})", *whole, option.most);
  }
  if (const auto* real = std::get_if<double>(&value); real && option.range == Range::positive && !(*real > 0))
    return fmt::format("{} (it is above 0)", *real);
  if (const auto* word = std::get_if<std::string>(&value)) {
    if (option.refuse) return option.refuse(*word);
    if (std::find(option.choices.begin(), option.choices.end(), *word) == option.choices.end())
      return fmt::format("'{}' (there are {})", *word, fmt::join(option.choices, ", "));
  }
  return {};
}

}  // namespace

Arguments::Arguments(const std::vector<Option>& options) : options_(&options) {
  for (const Option& option : options) values_.push_back(option.default_value);
}

void Arguments::set(std::string_view name, Value value) {
  for (std::size_t i = 0; i < options_->size(); ++i) {
    const Option& option = (*options_)[i];
    if (option.name != name) continue;
    if (std::holds_alternative<std::monostate>(value)) {
      values_[i] = option.default_value;
      return;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&value); whole && option.kind == Kind::real)
      value = static_cast<double>(*whole);
    if (!fits(option.kind, value))
      throw UsageError(fmt::format("{} has a value of another kind (see `atoll run --list`). Correct it.", name));
    if (const std::string why = refusal(option, value); !why.empty())
      throw InputError(fmt::format("{} is {}. Change it.", name, why));
    values_[i] = std::move(value);
    return;
  }
  throw UsageError(
      fmt::format("option {} is unknown (the algorithm has no such one; see `atoll run --list`). Leave it "
                  "out.",
                  name));
}

const Value& Arguments::value(std::string_view name) const {
  for (std::size_t i = 0; i < options_->size(); ++i)
    if ((*options_)[i].name == name) return values_[i];
  throw UsageError(fmt::format("option {} is unknown (the algorithm has no such one). Correct its row.", name));
}

template <class T>
const T& Arguments::get(std::string_view name) const {
  const T* found = std::get_if<T>(&value(name));
  if (!found) throw UsageError(fmt::format("{} is not given (it has no default). Give it.", name));
  return *found;
}
template const std::int64_t& Arguments::get(std::string_view) const;
template const double& Arguments::get(std::string_view) const;
template const std::string& Arguments::get(std::string_view) const;
template const bool& Arguments::get(std::string_view) const;

bool Arguments::has(std::string_view name) const { return !std::holds_alternative<std::monostate>(value(name)); }

std::optional<double> Arguments::real_if_given(std::string_view name) const {
  return has(name) ? std::optional(real(name)) : std::nullopt;
}

std::span<const Vertex> Arguments::vertices(std::string_view name) const {
  return has(name) ? get<std::span<const Vertex>>(name) : std::span<const Vertex>();
}

std::span<const double> Arguments::reals(std::string_view name) const {
  return has(name) ? get<std::span<const double>>(name) : std::span<const double>();
}

std::string Arguments::prepare_text() const {
  std::string text;
  for (std::size_t i = 0; i < options_->size(); ++i) {
    const Option& option = (*options_)[i];
    if (option.stage != Stage::prepare) continue;
    text += option.name;
    std::visit(
        [&]<class T>(const T& v) {
          if constexpr (std::is_same_v<T, double>) {
            text += fmt::format("={:a};", v);
          } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
            text += fmt::format("={};", v);
          } else {
            text += ';';  // prepared forms take no lists
          }
        },
        values_[i]);
  }
  return text;
}

}  // namespace atl::catalog
