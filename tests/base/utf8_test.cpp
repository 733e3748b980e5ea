// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/utf8.hpp>

using namespace atl;

TEST_CASE("bytes that are no UTF-8 are shown by their numbers, the others as they are") {
  CHECK(printable("") == "");
  CHECK(printable("Zürich, 東京") == "Zürich, 東京");
  CHECK(printable("M\xfcller") == "M\\xfcller");
  CHECK(printable("\xff\xff"
                  "a") ==
        "\\xff\\xff"
        "a");
  CHECK(printable("\xe6\x9d") == "\\xe6\\x9d");           // cut off
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  for (const char* good : {"", "a", "ü", "東", "\xf0\x9f\x90\xa2"}) CHECK(is_utf8(good));
  for (const char* bad : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe6\x9d", "a\xff"})
    CHECK_FALSE(is_utf8(bad));
}
