// SPDX-License-Identifier: Apache-2.0
// A rank's traffic as it is kept, and the file that has all ranks'.
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/runtime/routes/route_model.hpp>
#include <atoll/runtime/traffic/traffic_file.hpp>
#include <atoll/runtime/traffic/varint.hpp>
#include <limits>
#include <optional>
#include <string>

#include "folder.hpp"

using namespace atl;

namespace {

using Joins = KeptMailbox::Joins;

std::vector<StepKind> kinds_of(const std::vector<TrafficStep>& steps) {
  std::vector<StepKind> kinds;
  for (const TrafficStep& step : steps) kinds.push_back(step.kind);
  return kinds;
}

// A log with every list that a step may have.
std::vector<std::byte> some_traffic() {
  TrafficLog log([] { return 0.0; }, 1 << 20);
  MailboxLog mailbox(log, 1, {.record_bytes = 12, .joins = Joins::merging});
  AlltoallvLog alltoallv(log, 1000, std::vector<std::size_t>{0, 1, 2}, std::vector<std::size_t>{0, 2, 1});
  log.begin_trial();
  for (std::uint64_t k = 0; k < 20; ++k) mailbox.add(0, static_cast<Rank>(k % 3), k * k * k);
  { const MailboxLog::Drain drain(&mailbox, false); }
  {
    const AlltoallvLog::Round round(&alltoallv);
    alltoallv.add(2, 1000);
  }
  const std::vector<std::byte> bytes(500);
  { const KeptStep step(&log, std::vector<std::span<const std::byte>>{{}, bytes, std::span(bytes).first(3)}); }
  log.end_trial();
  return log.bytes();
}

}  // namespace

TEST_CASE("numbers take as many bytes as they need") {
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> numbers{0, 1, 127, 128, 300, 1 << 14, std::numeric_limits<std::uint64_t>::max()};
  for (int bit = 0; bit < 64; ++bit) numbers.push_back(std::uint64_t{1} << bit);
  for (const std::uint64_t number : numbers) put_varint(bytes, number);
  std::span<const std::byte> rest(bytes);
  for (const std::uint64_t number : numbers) CHECK(take_varint(rest) == number);
  CHECK(rest.empty());
  CHECK(!take_varint(rest));
  bytes.clear();
  put_varint(bytes, 300);
  rest = std::span<const std::byte>(bytes).first(1);
  CHECK(!take_varint(rest));
  const std::vector<std::byte> endless(20, std::byte{0xff});
  rest = endless;
  CHECK(!take_varint(rest));
}

TEST_CASE("steps are read as they were kept, in their order, and none from inside another") {
  double computed = 0;
  TrafficLog log([&] { return computed; }, 1 << 20);
  std::optional<MailboxLog> mailbox;
  mailbox.emplace(log, 2, KeptMailbox{.record_bytes = 12, .joins = Joins::merging, .handler_sends = true});
  mailbox->expect({.records = 1});                      // outside a trial
  { const KeptStep step(&log, StepKind::fold, 8); }     // too
  { const MailboxLog::Drain drain(&*mailbox, false); }  // too
  CHECK(!mailbox->is_open());
  computed = 1;
  log.begin_trial();
  CHECK(mailbox->is_open());
  computed = 1.5;
  mailbox->expect({.records = 7, .keys = 3, .agrees_apart = false});
  mailbox->expect_between({.records = 1, .keys = 2}, {.records = 5, .keys = 2});
  mailbox->add(0, 1, 300);
  mailbox->add(0, 1, 5);
  mailbox->add(1, 0, std::uint64_t{1} << 40);
  mailbox->add(0, 2, 0);
  {
    const MailboxLog::Drain drain(&*mailbox, true);
    const KeptStep vote(&log, StepKind::fold, 16);
    mailbox->add(0, 2, 9);  // by a handler
  }
  { const KeptStep step(&log, StepKind::send, 1, 77, 500); }
  { const KeptStep step(&log, StepKind::broadcast, 24, 2); }
  const std::vector<std::byte> bytes(500);
  { const KeptStep step(&log, std::vector<std::span<const std::byte>>{{}, bytes, std::span(bytes).first(3)}); }
  mailbox->note_outcome();
  log.end_trial();
  mailbox.reset();
  log.begin_trial(TrafficLog::Trial::warms_up);
  log.end_trial();
  CHECK(log.trials() == 1);
  CHECK(!log.is_full());
  REQUIRE(log.drained().size() == 1);
  CHECK(log.drained()[0].record_bytes == 12);

  const std::vector<TrafficStep> steps = read_steps(log.bytes(), 3, "here");
  REQUIRE(kinds_of(steps) == std::vector<StepKind>{StepKind::open_mailbox, StepKind::begin_trial, StepKind::expect,
                                                   StepKind::expect_between, StepKind::drain, StepKind::send,
                                                   StepKind::broadcast, StepKind::exchange_bytes,
                                                   StepKind::note_outcome, StepKind::end_trial, StepKind::close_mailbox,
                                                   StepKind::begin_trial, StepKind::end_trial});
  CHECK(mailbox_of(steps[0]) == KeptMailbox{.record_bytes = 12, .joins = Joins::merging, .handler_sends = true});
  CHECK(steps[1].numbers[0] == 1);
  CHECK(steps[2].seconds == doctest::Approx(0.5));
  CHECK(steps[3].seconds == 0);
  CHECK(std::bit_cast<double>(steps[2].numbers[1]) == 7);
  CHECK(std::bit_cast<double>(steps[2].numbers[2]) == 3);
  CHECK(steps[2].numbers[3] == 0);
  CHECK(std::bit_cast<double>(steps[3].numbers[2]) == 5);
  CHECK(steps[4].numbers[1] == 1);
  CHECK(steps[4].to == std::vector<Rank>{1, 1, 2, 2, 0});
  CHECK(steps[4].keys == std::vector<std::uint64_t>{300, 5, 0, 9, std::uint64_t{1} << 40});
  CHECK(steps[5].numbers == std::array<std::uint64_t, kMostStepNumbers>{1, 77, 500});
  CHECK(steps[6].numbers == std::array<std::uint64_t, kMostStepNumbers>{24, 2});
  CHECK(steps[7].list == std::vector<std::uint64_t>{0, 500, 3});
}

TEST_CASE("records without keys are read as they were kept, long runs too") {
  TrafficLog log([] { return 0.0; }, 1 << 20);
  MailboxLog mailbox(log, 1, {.record_bytes = 8, .joins = Joins::plain});
  log.begin_trial();
  std::vector<Rank> sent;
  for (const auto& [to, count] : std::vector<std::pair<Rank, int>>{{1, 10000}, {0, 1}, {1, 2}, {2, 4096}}) {
    for (int i = 0; i < count; ++i) mailbox.add(0, to);
    sent.insert(sent.end(), static_cast<std::size_t>(count), to);
  }
  { const MailboxLog::Drain drain(&mailbox, false); }
  { const MailboxLog::Drain drain(&mailbox, false); }  // of nothing
  log.end_trial();
  CHECK(log.bytes().size() < 100);
  const std::vector<TrafficStep> steps = read_steps(log.bytes(), 3, "here");
  REQUIRE(steps.size() == 5);
  CHECK(steps[2].to == sent);
  CHECK(steps[2].keys.empty());
  CHECK(steps[3].to.empty());
}

TEST_CASE("a log that is full says so, and drops what is more") {
  TrafficLog log([] { return 0.0; }, 1000);
  MailboxLog mailbox(log, 1, {.record_bytes = 8, .joins = Joins::merging});
  log.begin_trial();
  for (int drain = 0; drain < 50; ++drain) {
    for (std::uint64_t k = 0; k < 100; ++k) mailbox.add(0, 1, k << 20);
    const MailboxLog::Drain kept(&mailbox, false);
  }
  log.end_trial();
  CHECK(log.is_full());
  CHECK(log.bytes().size() <= 1000);
}

TEST_CASE("a file has what was written to it") {
  const files::Folder folder;
  const std::string path = folder / "some.traffic";
  const TrafficFile file{
      .route = "domain:leaf", .about = "bfs \"kron:8\"\n", .trials = 3, .parts = {some_traffic(), {}, {}}};
  write_traffic(path, file);
  const TrafficFile read = read_traffic(path);
  CHECK(read.route == file.route);
  CHECK(read.about == file.about);
  CHECK(read.trials == 3);
  CHECK(read.parts == file.parts);
  const std::vector<TrafficStep> steps = read_steps(read.parts[0], 3, path);
  CHECK(steps.size() == 7);
  CHECK(steps[1].list == std::vector<std::uint64_t>{0, 1, 2, 0, 2, 1});
  CHECK(steps[4].list == std::vector<std::uint64_t>{2, 1000});
}

TEST_CASE("a file that is none, of another version, cut or damaged is refused by its name") {
  const files::Folder folder;
  const std::string path = folder / "some.traffic";
  CHECK_THROWS_AS(read_traffic(path), IoError);
  for (const char* text :
       {"", "\n", "no JSON\n", "[1]\n", "{}\n", "{\"atoll_traffic\": 1}\n", "{\"atoll_traffic\": 1, \"route\": 5}\n"}) {
    CAPTURE(text);
    files::write(path, text);
    CHECK_THROWS_AS(read_traffic(path), InputError);
  }
  files::write(path, "{\"atoll_traffic\": 99}\n");
  std::string why;
  try {
    read_traffic(path);
  } catch (const InputError& e) {
    why = e.what();
  }
  CHECK(why.find(path) == 0);
  CHECK(why.find("version 99") != std::string::npos);

  write_traffic(path, {.route = "domain", .about = "", .trials = 1, .parts = {some_traffic(), some_traffic(), {}}});
  const std::string good = files::content(path);
  const std::size_t head = good.find('\n') + 1;
  for (std::size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    files::write(path, good.substr(0, length));
    CHECK_THROWS_AS(read_traffic(path), InputError);
  }
  files::write(path, good + "x");
  CHECK_THROWS_AS(read_traffic(path), InputError);
  for (std::size_t at = head; at < good.size(); ++at) {
    CAPTURE(at);
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    files::write(path, damaged);
    CHECK_THROWS_AS(read_traffic(path), InputError);
  }
}

TEST_CASE("steps of any bytes are read or refused") {
  const std::vector<std::byte> good = some_traffic();
  Random random(5);
  int refused = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    std::vector<std::byte> bytes = good;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    bytes.resize(bytes.size() - random() % 3);
    try {
      read_steps(bytes, 3, "here");
    } catch (const InputError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
  CHECK_THROWS_AS(read_steps(good, 2, "here"), InputError);  // a rank that is not there
}
