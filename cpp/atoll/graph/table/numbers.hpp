// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Numbers as spreadsheets write them: "3,5" and "1.250,75" in most of Europe, "1,250.75" elsewhere.
namespace atl::table {

bool is_number(std::string_view field);  ///< as C writes it, with a point
bool is_whole(std::string_view field);   ///< digits alone
/// Digits alone, the first of several a 0: "0012", rather a name (a zip code) than a number.
bool has_leading_zero(std::string_view field);
/// Digits in groups of three: "1,000" with ','.
bool is_grouped(std::string_view digits, char separator);
/// A number with commas, or with points and commas: none that is_number() knows.
bool has_commas(std::string_view field);
/// Any of these.
bool looks_like_number(std::string_view field);

/// The signs in a column of numbers.
struct NumberSigns {
  char decimal = '.';
  char group = 0;  ///< between groups of three digits; 0: there are none
};

/// The signs that all fields of a column fit; nothing where the fields leave a doubt ("1,250" alone) or contradict each other.
/// `doubt` is then a field that shows it.
std::optional<NumberSigns> signs_of(std::span<const std::string_view> fields, std::string_view& doubt);

/// The field with a decimal point and without groups, as "1250.75"; nothing where its signs are others or a group has not
/// three digits.
std::optional<std::string> as_plain_number(std::string_view field, NumberSigns signs);

}  // namespace atl::table
