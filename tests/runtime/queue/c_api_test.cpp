// SPDX-License-Identifier: Apache-2.0
// What the C program in tests/consumer does not cover; over a world of one rank.
#include <atoll/runtime/queue/c_api.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Opened {
  Opened() { REQUIRE(atoll_open(nullptr, &world, &why) == ATOLL_DONE); }
  ~Opened() { CHECK(atoll_close(world, nullptr) == ATOLL_DONE); }
  atoll_world* world = nullptr;
  atoll_why why{};
};

bool says(const atoll_why& why, const char* text) { return std::strstr(why.text, text) != nullptr; }

}  // namespace

TEST_CASE("C: a message waits, in its order, while the allocator returns no memory") {
  Opened o;
  struct Memory {
    bool none = true;
    std::size_t given = 0;
  } memory;
  const atoll_allocator allocator{[](void* context, std::size_t bytes) -> void* {
                                    auto& m = *static_cast<Memory*>(context);
                                    if (m.none) return nullptr;
                                    m.given += bytes;
                                    return std::malloc(bytes);
                                  },
                                  [](void*, void* at, std::size_t) { std::free(at); }, &memory};
  atoll_queue* queue = nullptr;
  REQUIRE(atoll_queue_open(o.world, &allocator, &queue, &o.why) == ATOLL_DONE);
  const std::vector<char> text(100000, 'x');
  atoll_request sent[4] = {}, came = {};
  const std::size_t lengths[4] = {5, 0, text.size(), 7};
  for (std::uint32_t i = 0; i < 4; ++i)
    CHECK(atoll_send_enq(queue, text.data(), lengths[i], 0, i, &sent[i], nullptr) ==
          (lengths[i] > atoll_eager_bytes(queue) ? ATOLL_POSTED : ATOLL_DONE));
  void* data = nullptr;
  std::size_t bytes = 0;
  int from = -1;
  std::uint32_t tag = 9;
  for (int again = 0; again < 3; ++again) {
    CHECK(atoll_recv_deq(queue, &data, &bytes, &from, &tag, &came, &o.why) == ATOLL_RETRY);
    CHECK(o.why.reason == ATOLL_NO_MEMORY);
  }
  CHECK(atoll_wait_for_message(queue, nullptr) == ATOLL_DONE);
  memory.none = false;
  for (std::uint32_t i = 0; i < 4; ++i) {
    memory.none = i == 2;
    if (i == 2) CHECK(atoll_recv_deq(queue, &data, &bytes, &from, &tag, &came, nullptr) == ATOLL_RETRY);
    memory.none = false;
    REQUIRE(atoll_recv_deq(queue, &data, &bytes, &from, &tag, &came, nullptr) == ATOLL_DONE);
    CHECK(tag == i);
    CHECK(bytes == lengths[i]);
    CHECK((data == nullptr) == (bytes == 0));
    if (bytes > 0) CHECK(std::memcmp(data, text.data(), bytes) == 0);
    std::free(data);
    CHECK(atoll_request_done(&sent[i]));
  }
  CHECK(memory.given == text.size() + 12);
  // Views of both kinds, released once or twice.
  for (const std::size_t n : {std::size_t{3}, text.size()}) {
    atoll_message view{};
    atoll_send_enq(queue, text.data(), n, 0, 1, &sent[0], nullptr);
    REQUIRE(atoll_recv_view(queue, &view, &came, nullptr) == ATOLL_DONE);
    CHECK(view.bytes == n);
    CHECK(std::memcmp(view.data, text.data(), n) == 0);
    CHECK(atoll_wait(queue, &came, nullptr) == ATOLL_DONE);
    CHECK(atoll_release(queue, &view, nullptr) == ATOLL_DONE);
    CHECK(atoll_release(queue, &view, nullptr) == ATOLL_DONE);
  }
  CHECK(atoll_queue_close(queue, nullptr) == ATOLL_DONE);
}

TEST_CASE("C: records of any length reach a handler whole and aligned, and it may send") {
  Opened o;
  for (const std::size_t n : {1, 3, 4, 5, 8, 12, 16, 17, 100, 128, 129, 256}) {
    CAPTURE(n);
    struct Seen {
      atoll_mailbox* box = nullptr;
      std::size_t bytes = 0;
      int calls = 0, wrong = 0;
    } seen{.bytes = n};
    const auto handler = [](void* context, int from, const void* record) {
      auto& s = *static_cast<Seen*>(context);
      unsigned char copy[256];
      std::memcpy(copy, record, s.bytes);
      s.wrong += from != 0 || reinterpret_cast<std::uintptr_t>(record) % 16 != 0;
      for (std::size_t i = 1; i < s.bytes; ++i) s.wrong += copy[i] != static_cast<unsigned char>(i);
      ++s.calls;
      if (copy[0]-- > 0) atoll_send(s.box, 0, copy, nullptr);
    };
    REQUIRE(atoll_register_handler(o.world, n, handler, &seen, &seen.box, nullptr) == ATOLL_DONE);
    unsigned char record[256];
    for (std::size_t i = 0; i < n; ++i) record[i] = static_cast<unsigned char>(i);
    record[0] = 3;
    for (int i = 0; i < 1000; ++i) CHECK(atoll_send(seen.box, 0, record, nullptr) == ATOLL_DONE);
    CHECK(atoll_flush(seen.box, nullptr) == ATOLL_DONE);
    CHECK(seen.calls == 4000);
    CHECK(seen.wrong == 0);
    CHECK(atoll_mailbox_close(seen.box, nullptr) == ATOLL_DONE);
  }
}

TEST_CASE("C: an error is a status and a text, with or without a buffer for it") {
  atoll_why why{};
  atoll_world* world = nullptr;
  for (const char* plan : {"{", "{\"packets\": 0}", "[]"}) {
    const atoll_options options{plan, nullptr, nullptr, nullptr, nullptr};
    CHECK(atoll_open(&options, &world, &why) == ATOLL_INPUT_ERROR);
    CHECK(world == nullptr);
    CHECK(atoll_open(&options, &world, nullptr) == ATOLL_INPUT_ERROR);
  }
  CHECK(atoll_open(nullptr, nullptr, &why) == ATOLL_INPUT_ERROR);
  CHECK(says(why, "world is NULL"));
  // Longer than the buffer: truncated and terminated.
  const std::string longer = "{\"" + std::string(5000, 'x') + "\": 1}";
  const atoll_options options{longer.c_str(), nullptr, nullptr, nullptr, nullptr};
  CHECK(atoll_open(&options, &world, &why) == ATOLL_INPUT_ERROR);
  CHECK(std::strlen(why.text) == ATOLL_TEXT_BYTES - 1);

  Opened o;
  atoll_queue* queue = nullptr;
  const atoll_allocator half{nullptr, nullptr, nullptr};
  CHECK(atoll_queue_open(o.world, &half, &queue, &o.why) == ATOLL_INPUT_ERROR);
  REQUIRE(atoll_queue_open(o.world, nullptr, &queue, &o.why) == ATOLL_DONE);
  atoll_request request = {};
  CHECK(atoll_send_enq(queue, "", 0, 1, 0, &request, &o.why) == ATOLL_INPUT_ERROR);
  CHECK(says(o.why, "to is 1 (ranks are 0 to 0)"));
  CHECK(atoll_send_enq(queue, nullptr, 1, 0, 0, &request, &o.why) == ATOLL_INPUT_ERROR);
  CHECK(atoll_send_enq(queue, "", 0, 0, 0, nullptr, &o.why) == ATOLL_INPUT_ERROR);
  CHECK(atoll_progress(o.world, &o.why) == ATOLL_RETRY);
  CHECK(o.why.reason == ATOLL_EMPTY);
  atoll_mailbox* box = nullptr;
  const auto handler = [](void*, int, const void*) {};
  CHECK(atoll_register_handler(o.world, 257, handler, nullptr, &box, &o.why) == ATOLL_INPUT_ERROR);
  CHECK(atoll_register_handler(o.world, 8, nullptr, nullptr, &box, &o.why) == ATOLL_INPUT_ERROR);
  CHECK(atoll_name_thread(o.world, 0, &o.why) == ATOLL_INPUT_ERROR);
  CHECK(atoll_name_thread(o.world, 99999, &o.why) == ATOLL_INPUT_ERROR);
  CHECK(atoll_queue_close(queue, nullptr) == ATOLL_DONE);
  CHECK(atoll_queue_close(nullptr, &o.why) == ATOLL_INPUT_ERROR);
  atoll_abandon(nullptr);
}
