// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <string>
#include <vector>

using namespace atl;

TEST_CASE("check throws an input error with the values in it, and only if it fails") {
  CHECK_NOTHROW(check(true, "never seen"));
  CHECK_THROWS_WITH_AS(check(false, "scale is {} (at most {}). Use less.", 50, 40),
                       "scale is 50 (at most 40). Use less.", InputError);
}

TEST_CASE("a log forwards its level and more severe ones, and is silent without a sink") {
  std::vector<std::string> lines;
  const Log log(
      [&](LogLevel level, std::string_view text) { lines.push_back(name_of(level) + (": " + std::string(text))); },
      LogLevel::info);
  log(LogLevel::error, "{} lost", 3);
  log(LogLevel::info, "on");
  log(LogLevel::debug, "not this");
  CHECK(lines == std::vector<std::string>{"error: 3 lost", "info: on"});
  Log{}(LogLevel::error, "nobody hears");
}
