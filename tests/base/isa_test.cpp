// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/isa/isa.hpp>
#include <cstdlib>
#include <optional>
#include <string>

using namespace atl;

namespace {

// Sets ATOLL_ISA for the duration of a test.
class Wish {
 public:
  explicit Wish(const char* value) {
    if (const char* old = std::getenv("ATOLL_ISA")) old_ = old;
    setenv("ATOLL_ISA", value, 1);
  }
  ~Wish() {
    if (old_) {
      setenv("ATOLL_ISA", old_->c_str(), 1);
    } else {
      unsetenv("ATOLL_ISA");
    }
  }

 private:
  std::optional<std::string> old_;
};

}  // namespace

TEST_CASE("ATOLL_ISA selects any set that the processor has; an empty value selects the best") {
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
    const std::string name(name_of(isa));
    CAPTURE(name);
    const Wish wish(name.c_str());
    if (isa <= machine_isa()) {
      CHECK(chosen_isa() == isa);
    } else {
      CHECK_THROWS_AS(chosen_isa(), UsageError);
    }
  }
  const Wish none("");
  CHECK(chosen_isa() == machine_isa());
}

TEST_CASE("an unknown ATOLL_ISA is a usage error that lists the known ones") {
  for (const char* text : {"avx", "AVX2", "sse2", " avx2", "512"}) {
    const Wish wish(text);
    const std::string expected =
        "ATOLL_ISA is " + std::string(text) + " (known: portable, avx2, avx512). Unset it or name one.";
    CHECK_THROWS_WITH_AS(chosen_isa(), expected.c_str(), UsageError);
  }
}
