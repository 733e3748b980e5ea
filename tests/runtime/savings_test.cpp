// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/runtime/plan.hpp>
#include <atoll/runtime/routes/savings.hpp>
#include <nlohmann/json.hpp>

using namespace atl;

TEST_CASE("what routes leave out is named, separated by commas; the published routes leave out all") {
  CHECK(Savings::without("") == Savings{});
  CHECK(Savings::without("merging") == Savings{.merging = false});
  CHECK(Savings::without("closing,claims") == Savings{.claims = false, .closing = false});
  const Savings none{.merging = false, .claims = false, .closing = false};
  CHECK(Savings::without("merging,claims,closing") == none);
  for (const char* route : {"aml", "mst"}) CHECK(Savings::of(route, "") == none);
  for (const char* route : {"direct", "aml-levels", "mst-levels", "domain", "auto"}) {
    CHECK(Savings::of(route, "") == Savings{});
    CHECK(Savings::of(route, "claims") == Savings{.claims = false});
  }
}

TEST_CASE("a name that is no saving is refused, wherever it is given") {
  for (const char* text : {"votes", "merging,", ",claims", "merging claims", "claims,,closing"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Savings::without(text), InputError);
    CHECK_THROWS_AS(Plan::from_json({{"without", text}}), InputError);
  }
  CHECK(Plan::from_json({{"without", "claims"}}).without == "claims");
}
