// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/runtime/plan.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

using namespace atl;
using nlohmann::json;

namespace {

// An environment variable for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("a plan is the same after JSON, field by field") {
  CHECK(Plan::from_json(Plan{}.to_json()).to_json() == Plan{}.to_json());
  Plan plan;
  plan.transport = "inproc";
  plan.mpi = "mpich";
  plan.domains = "2x4";
  plan.threads = 3;
  plan.slot_bytes = 4096;
  plan.slots_per_peer = 2;
  plan.budget_bytes = std::size_t{1} << 40;
  plan.replicated_bytes = 12345;
  plan.stall_seconds = 0.25;
  plan.timeout_seconds = 7;
  plan.compute_scale = 1.5;
  plan.shuffle_seed = UINT64_MAX;
  const json j = plan.to_json();
  const Plan back = Plan::from_json(json::parse(j.dump()));
  CHECK(back.to_json() == j);
  CHECK(back.shuffle_seed == UINT64_MAX);
  CHECK(back.budget_bytes == std::size_t{1} << 40);
  CHECK(back.stall_seconds == 0.25);
  for (const auto& [field, value] : j.items()) CHECK(Plan{}.to_json().contains(field));
}

TEST_CASE("fields not given keep their defaults") {
  const Plan plan = Plan::from_json(json{{"slot_bytes", 256}});
  CHECK(plan.slot_bytes == 256);
  CHECK(plan.slots_per_peer == Plan{}.slots_per_peer);
  CHECK(Plan::from_json(json::object()).to_json() == Plan{}.to_json());
}

TEST_CASE("an unknown field is named") {
  CHECK_THROWS_WITH_AS(Plan::from_json(json{{"slot_byte", 256}}),
                       "plan: field 'slot_byte' is unknown (`atoll info` lists the fields). Remove it.", InputError);
  CHECK_THROWS_AS(Plan::from_json(json{{"threads", 1}, {"Threads", 1}}), InputError);
  CHECK_THROWS_AS(Plan::from_json(json::array()), InputError);
  CHECK_THROWS_AS(Plan::from_json(json(3)), InputError);
}

TEST_CASE("a value of another type or out of range is rejected, not converted") {
  for (const char* text :
       {R"({"threads":"two"})",      R"({"threads":1.5})",          R"({"threads":true})",
        R"({"threads":-1})",         R"({"threads":5000})",         R"({"threads":4294967297})",
        R"({"transport":3})",        R"({"transport":"tcp"})",      R"({"mpi":"lam"})",
        R"({"route":"detour"})",     R"({"slot_bytes":64})",        R"({"slot_bytes":130})",
        R"({"slot_bytes":-256})",    R"({"slot_bytes":536870912})", R"({"slot_bytes":256.0})",
        R"({"slots_per_peer":0})",   R"({"slots_per_peer":65})",    R"({"budget_bytes":-1})",
        R"({"shuffle_seed":-1})",    R"({"stall_seconds":0})",      R"({"stall_seconds":"x"})",
        R"({"stall_seconds":true})", R"({"timeout_seconds":-1})",   R"({"threads":null})",
        R"({"domains":[2,2]})",      R"({"monitors":"many"})",      R"({"lane_bytes":2147483648})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Plan::from_json(json::parse(text)), InputError);
  }
}

TEST_CASE("an environment variable overrides its field and no other") {
  const Variable slot("ATOLL_SLOT_BYTES", "512"), transport("ATOLL_TRANSPORT", "inproc"),
      stall("ATOLL_STALL_SECONDS", "0.5"), seed("ATOLL_SHUFFLE_SEED", "18446744073709551615");
  Plan base;
  base.slot_bytes = 1024;
  base.slots_per_peer = 3;
  const Plan plan = Plan::from_environment(base);
  CHECK(plan.slot_bytes == 512);
  CHECK(plan.transport == "inproc");
  CHECK(plan.stall_seconds == 0.5);
  CHECK(plan.shuffle_seed == UINT64_MAX);
  CHECK(plan.slots_per_peer == 3);
}

TEST_CASE("a bad environment variable is a usage error that names it") {
  for (const char* text : {"", "many", "12x", "1.5", "-4", "true", "[1]", "0x10"}) {
    CAPTURE(text);
    const Variable variable("ATOLL_SLOTS_PER_PEER", text);
    CHECK_THROWS_AS(Plan::from_environment({}), UsageError);
  }
  const Variable variable("ATOLL_THREADS", "many");
  CHECK_THROWS_WITH_AS(Plan::from_environment({}),
                       "ATOLL_THREADS is 'many' (a whole number is needed). Correct or unset it.", UsageError);
  const Variable transport("ATOLL_TRANSPORT", "pigeon");
  CHECK_THROWS_AS(Plan::from_environment({}), UsageError);
}

TEST_CASE("unknown variables are reported") {
  const Variable wrong("ATOLL_SLOT_BYTE", "3"), right("ATOLL_SLOT_BYTES", "512"), other("ATOLL_ISA", "portable");
  const auto unknown = unknown_environment();
  CHECK(std::count(unknown.begin(), unknown.end(), "ATOLL_SLOT_BYTE") == 1);
  CHECK(std::count(unknown.begin(), unknown.end(), "ATOLL_SLOT_BYTES") == 0);
  CHECK(std::count(unknown.begin(), unknown.end(), "ATOLL_ISA") == 0);
}
