// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/graph/table/numbers.hpp>
#include <vector>

using namespace atl::table;

namespace {

std::string signs(const std::vector<std::string_view>& fields) {
  std::string_view doubt;
  const auto found = signs_of(fields, doubt);
  if (!found) return "doubt about " + std::string(doubt);
  std::string both(1, found->decimal);
  if (found->group) both += found->group;
  return both;
}

}  // namespace

TEST_CASE("a number has zeros in front where its first of several digits is one") {
  for (const char* text : {"00", "007", "0123456789012345678901234567890"}) CHECK(has_leading_zero(text));
  for (const char* text : {"", "0", "7", "70", "0.5", "-07", "0x7", "0,001", "07a"})
    CHECK_FALSE(has_leading_zero(text));
}

TEST_CASE("the signs of numbers are those that all of a column fit") {
  CHECK(signs({"1", "2.5", "-3e5"}) == ".");
  CHECK(signs({"3,5", "1,25", "9,0"}) == ",");
  CHECK(signs({"0,75", "1"}) == ",");
  CHECK(signs({"1.250,75", "3"}) == ",.");
  CHECK(signs({"1,250.75", "1,000"}) == ".,");
  CHECK(signs({"1,250,000", "1,000"}) == ".,");
  CHECK(signs({"1.250.000", "1,5"}) == ",.");
  CHECK(signs({"0.5", "1,000"}) == ".,");
  CHECK(signs({"0,125", "1,250"}) == ",");
  CHECK(signs({"1,250", "2,500"}) == "doubt about 1,250");
  CHECK(signs({"3,5", "1,250.5"}) == "doubt about 1,250.5");
  CHECK(signs({"3,5", "2.5"}) == "doubt about 2.5");
  CHECK(signs({"3,5", "1.250"}) == ",.");
}

TEST_CASE("a number is written plainly, or refused where its signs are others") {
  CHECK(as_plain_number("3,5", {',', 0}) == "3.5");
  CHECK(as_plain_number("-1.250,75", {',', '.'}) == "-1250.75");
  CHECK(as_plain_number("1,250,000", {'.', ','}) == "1250000");
  CHECK_FALSE(as_plain_number("1.5", {',', 0}));
  CHECK_FALSE(as_plain_number("1.5", {',', '.'}));
  CHECK_FALSE(as_plain_number("12,50", {'.', ','}));
  CHECK_FALSE(as_plain_number("3,5", {'.', 0}));
  CHECK(has_commas("1,000"));
  CHECK(has_commas("3,5e-7"));
  CHECK_FALSE(has_commas("a,b"));
  CHECK_FALSE(has_commas("1,2,3"));
  CHECK_FALSE(has_commas("3,"));
}
