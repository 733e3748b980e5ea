// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/table/numbers.hpp>
#include <atoll/io/scan.hpp>
#include <charconv>

namespace atl::table {
namespace {

std::string_view without_sign(std::string_view field) {
  if (!field.empty() && (field[0] == '-' || field[0] == '+')) field.remove_prefix(1);
  return field;
}

bool are_digits(std::string_view text) { return std::ranges::all_of(text, scan::is_digit); }

// "5", "5e-3", "": what may stand behind a decimal sign.
bool is_fraction(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (!are_digits(text.substr(0, exponent))) return false;
  if (exponent == std::string_view::npos) return true;
  const std::string_view power = without_sign(text.substr(exponent + 1));
  return !power.empty() && are_digits(power);
}

}  // namespace

bool is_number(std::string_view field) {
  if (!field.empty() && field[0] == '+') field.remove_prefix(1);
  double value;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error != std::errc::invalid_argument && end == field.data() + field.size();
}

bool is_whole(std::string_view field) { return !field.empty() && are_digits(field); }

bool has_leading_zero(std::string_view field) { return field.size() > 1 && field[0] == '0' && are_digits(field); }

bool is_grouped(std::string_view digits, char separator) {
  std::size_t at = digits.find(separator);
  if (at == std::string_view::npos || at < 1 || at > 3 || !are_digits(digits.substr(0, at))) return false;
  for (; at < digits.size(); at += 4)
    if (digits[at] != separator || digits.size() < at + 4 || !are_digits(digits.substr(at + 1, 3))) return false;
  return true;
}

bool has_commas(std::string_view field) {
  field = without_sign(field);
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos || field.find_first_not_of("0123456789.,eE+-") != std::string_view::npos)
    return false;
  const std::size_t last = field.find_last_of(".,");
  const std::string_view whole = field.substr(0, last), rest = field.substr(last + 1);
  if (is_grouped(field, ',')) return true;
  if (rest.empty() || !is_fraction(rest)) return false;
  const char other = field[last] == ',' ? '.' : ',';
  return are_digits(whole) || is_grouped(whole, other);
}

bool looks_like_number(std::string_view field) { return is_number(field) || has_commas(field); }

std::optional<NumberSigns> signs_of(std::span<const std::string_view> fields, std::string_view& doubt) {
  std::optional<char> decimal;  // what a field without a doubt shows
  std::string_view unclear;
  bool grouped = false, points = false;
  const auto agree = [&](char sign, std::string_view field) {
    if (decimal && *decimal != sign) {
      doubt = field;
      return false;
    }
    decimal = sign;
    return true;
  };
  for (const std::string_view field : fields) {
    const std::string_view plain = without_sign(field);
    const auto commas = std::ranges::count(plain, ','), dots = std::ranges::count(plain, '.');
    if (commas == 0 && dots <= 1) {
      points |= dots == 1;
      continue;
    }
    const std::size_t comma = plain.rfind(','), dot = plain.rfind('.');
    bool fits = true;
    if (commas > 0 && dots > 0) {  // the last one is the decimal sign
      fits = agree(comma > dot ? ',' : '.', field);
      grouped = true;
    } else if (commas > 1) {
      fits = agree('.', field);
      grouped = true;
    } else if (dots > 1) {
      fits = agree(',', field);
      grouped = true;
    } else if (is_grouped(plain, ',') && plain[0] != '0') {
      if (unclear.empty()) unclear = field;  // 1,250: thousands, or a fraction
    } else {
      fits = agree(',', field);
    }
    if (!fits) return {};
  }
  // A point in a column with decimal commas can only stand between groups, which have three digits.
  if (decimal == ',' && points)
    for (const std::string_view field : fields)
      if (field.find(',') == std::string_view::npos && field.find('.') != std::string_view::npos &&
          !is_grouped(without_sign(field), '.')) {
        doubt = field;
        return {};
      }
  if (!unclear.empty() && !decimal && points) decimal = '.';  // 0.5 beside 1,250
  if (!unclear.empty() && !decimal) {
    doubt = unclear;
    return {};
  }
  if (!unclear.empty() && decimal == '.') grouped = true;
  const char sign = decimal.value_or('.');
  grouped |= sign == ',' && points;
  return NumberSigns{sign, grouped ? (sign == ',' ? '.' : ',') : '\0'};
}

std::optional<std::string> as_plain_number(std::string_view field, NumberSigns signs) {
  const std::string_view plain = without_sign(field);
  const std::size_t decimal = plain.rfind(signs.decimal);
  std::string_view whole = plain.substr(0, decimal);
  std::string text(field.substr(0, field.size() - plain.size()));
  const char other = signs.decimal == ',' ? '.' : ',';
  if (whole.find(other) != std::string_view::npos) {
    if (signs.group != other || !is_grouped(whole, other)) return {};
    for (const char c : whole)
      if (c != other) text += c;
  } else {
    text += whole;
  }
  if (decimal != std::string_view::npos) {
    const std::string_view fraction = plain.substr(decimal + 1);
    if (fraction.find(other) != std::string_view::npos) return {};
    text += '.';
    text += fraction;
  }
  return text;
}

}  // namespace atl::table
