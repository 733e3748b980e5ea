// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/stream_copy.hpp>
#include <atoll/runtime/aggregation/forward_queue.hpp>
#include <atoll/runtime/world.hpp>
#include <cstring>

namespace atl {

// ---- blocks that wait -----------------------------------------------------------------------------------------------

ForwardQueue::ForwardQueue(World& world, const Hops& hops, std::size_t record_bytes,
                           std::vector<std::uint32_t> channels, Arrive arrive, void* box)
    : world_(world),
      hops_(hops),
      record_bytes_(record_bytes),
      piece_((world.payload_bytes() - sizeof(Block::closes)) / (record_bytes + sizeof(Rank))),
      channels_(std::move(channels)),
      arrive_(arrive),
      box_(box),
      waiting_bytes_(static_cast<std::size_t>(hops.rounds())),
      waiting_blocks_(waiting_bytes_.size()) {
  world_.flow().add(this);
}

ForwardQueue::~ForwardQueue() {
  world_.flow().remove(this);
  for (const auto& [way, blocks] : waiting_)
    for (const Block& b : blocks) world_.note_memory(-static_cast<std::ptrdiff_t>(b.bytes()));
}

// One half of the budget is for what waits, a share a round; the other for lanes.
std::size_t ForwardQueue::share() const { return world_.relay_budget() / 2 / waiting_bytes_.size(); }
std::size_t ForwardQueue::lanes_limit() const { return world_.relay_budget() / 2; }

bool ForwardQueue::is_stopped(Rank next, std::uint32_t channel) const {
  if (stopped_count_.load(std::memory_order_acquire) == 0) return false;
  std::lock_guard hold(lock_);
  return std::find(stopped_.begin(), stopped_.end(), std::pair(next, channel)) != stopped_.end();
}

bool ForwardQueue::send(Block& block) {
  const Hops::Way& way = hops_.ways()[block.way];
  if (way.next == world_.rank()) {
    const bool on_the_team = Team::this_thread() < world_.team().size();
    if (!on_the_team || world_.thread_state().handlers > 0) return false;
    arrive_(box_, block);
    block.sent = block.size;
    return true;
  }
  const std::uint32_t channel = channel_of(way.round, way.arrival);
  while (block.sent < block.size || block.closes > 0) {
    Slot slot;
    if (is_stopped(way.next, channel) || world_.acquire(way.next, slot) != Busy::no) return false;
    const std::size_t n = std::min(piece_, block.size - block.sent), bytes = n * record_bytes_;
    const std::byte* from = block.memory.get() + block.sent * record_bytes_;
    if (world_.all_near()) {
      stream_copy(slot.data, from, bytes);
    } else if (n > 0) {
      std::memcpy(slot.data, from, bytes);
    }
    std::size_t end = bytes + n * sizeof(Rank);
    if (n > 0)
      std::memcpy(slot.data + bytes, block.memory.get() + block.targets_at + block.sent * sizeof(Rank),
                  n * sizeof(Rank));
    block.sent += n;
    std::uint32_t stamp = block.epoch;
    if (block.sent == block.size && block.closes > 0) {
      const std::uint64_t records = std::exchange(block.closes, 0) - 1;
      std::memcpy(slot.data + end, &records, sizeof records);
      end += sizeof records;
      stamp |= kCloses;
    }
    world_.publish(channel, slot, end, World::Hold::briefly, stamp);
  }
  return true;
}

void ForwardQueue::settle(std::uint32_t way) {
  const Rank next = hops_.ways()[way].next;
  if (next == world_.rank()) return;
  Slot slot;
  world_.wait_until("send: the one buffer to come back", [&] { return world_.acquire(next, slot) == Busy::no; });
  world_.abandon(slot);
}

void ForwardQueue::keep(Block&& block) {
  const auto round = static_cast<std::size_t>(hops_.ways()[block.way].round);
  waiting_bytes_[round] += block.bytes();
  ++waiting_blocks_[round];
  std::lock_guard hold(lock_);
  waiting_[block.way].push_back(std::move(block));
  count_.fetch_add(1, std::memory_order_release);
}

bool ForwardQueue::pump() {
  if (told_count_.load(std::memory_order_acquire) > 0) resume();
  if (count_.load(std::memory_order_acquire) == 0) return false;
  bool moved = false;
  std::vector<std::uint32_t> ways;
  {
    std::lock_guard hold(lock_);
    for (const auto& [way, blocks] : waiting_) ways.push_back(way);
  }
  for (const std::uint32_t way : ways)
    while (send_first(way)) moved = true;
  return moved;
}

// False if none waits there, or not all of it could go.
bool ForwardQueue::send_first(std::uint32_t way) {
  Block block;
  {
    std::lock_guard hold(lock_);
    const auto it = waiting_.find(way);
    if (it == waiting_.end()) return false;
    block = std::move(it->second.front());
    it->second.pop_front();
    if (it->second.empty()) waiting_.erase(it);
  }
  if (!send(block)) {
    std::lock_guard hold(lock_);
    waiting_[way].push_front(std::move(block));
    return false;
  }
  const auto round = static_cast<std::size_t>(hops_.ways()[way].round);
  waiting_bytes_[round] -= block.bytes();
  --waiting_blocks_[round];
  world_.note_memory(-static_cast<std::ptrdiff_t>(block.bytes()));
  count_.fetch_sub(1, std::memory_order_release);
  return true;
}

bool ForwardQueue::is_over(int after, std::size_t limit) const {
  if (held_bytes_.load(std::memory_order_relaxed) > limit) return true;
  for (auto r = static_cast<std::size_t>(after + 1); r < waiting_bytes_.size(); ++r)
    if (waiting_bytes_[r].load(std::memory_order_relaxed) > limit) return true;
  return false;
}

void ForwardQueue::mind(Rank from, int round, Route::Phase arrival) {
  if (!is_over(round, share())) return;
  const std::uint32_t channel = channel_of(round, arrival);
  std::lock_guard hold(lock_);
  for (const Stop& s : told_)
    if (s.from == from && s.channel == channel) return;
  told_.push_back({from, channel, round});
  told_count_.fetch_add(1, std::memory_order_release);
  world_.flow().tell(from, channel, true);
}

void ForwardQueue::resume() {
  const std::size_t limit = share() / 2;
  std::lock_guard hold(lock_);
  std::erase_if(told_, [&](const Stop& s) {
    if (is_over(s.after, limit)) return false;
    world_.flow().tell(s.from, s.channel, false);
    told_count_.fetch_sub(1, std::memory_order_release);
    return true;
  });
}

void ForwardQueue::hear(Rank from, std::uint32_t channel, bool stop) {
  std::lock_guard hold(lock_);
  const std::pair key(from, channel);
  std::erase(stopped_, key);
  if (stop) stopped_.push_back(key);
  stopped_count_.store(static_cast<int>(stopped_.size()), std::memory_order_release);
}

bool ForwardQueue::owns(std::uint32_t channel) const {
  return std::find(channels_.begin(), channels_.end(), channel) != channels_.end();
}

void ForwardQueue::make_room(std::uint32_t way) {
  const auto& bytes = waiting_bytes_[static_cast<std::size_t>(hops_.ways()[way].round)];
  const std::size_t limit = world_.plan().buffers == "dynamic" ? share() : 0;
  world_.wait_until("send: room in the budget for records on their way",
                    [&] { return bytes.load(std::memory_order_relaxed) <= limit; });
}

void ForwardQueue::clear(int round) {
  world_.wait_until("drain: slots for records on their way", [&] {
    for (std::size_t r = 0; r <= static_cast<std::size_t>(round); ++r)
      if (waiting_blocks_[r].load(std::memory_order_relaxed) > 0) return false;
    return true;
  });
}

std::string ForwardQueue::describe() const {
  std::lock_guard hold(lock_);
  if (waiting_.empty() && stopped_.empty() && told_.empty()) return {};
  return fmt::format("a relay has {} blocks waiting, {} peers told it to stop, it told {}", count_.load(),
                     stopped_.size(), told_.size());
}

// ---- stop, go on ----------------------------------------------------------------------------------------------------

void FlowControl::open() {
  sink_ = world_.open_messages({.context = this,
                                .take =
                                    [](void* self, const Packet& p) {
                                      return static_cast<FlowControl*>(self)->hear(p) ? World::Taken::done
                                                                                      : World::Taken::no;
                                    },
                                .pump = [](void* self) { return static_cast<FlowControl*>(self)->pump(); },
                                .describe =
                                    [](void* self) {
                                      std::string text;
                                      auto& flow = *static_cast<FlowControl*>(self);
                                      std::lock_guard hold(flow.lock_);
                                      for (const ForwardQueue* o : flow.onwards_)
                                        text += (text.empty() ? "" : "; ") + o->describe();
                                      return text;
                                    },
                                .control_only = true});
}

void FlowControl::add(ForwardQueue* onward) {
  std::lock_guard hold(lock_);
  onwards_.push_back(onward);
  open_.fetch_add(1, std::memory_order_relaxed);
}

void FlowControl::remove(ForwardQueue* onward) {
  std::lock_guard hold(lock_);
  std::erase(onwards_, onward);
  open_.fetch_sub(1, std::memory_order_relaxed);
  std::erase_if(heard_, [&](const Heard& h) { return onward->owns(h.channel); });
}

void FlowControl::tell(Rank to, std::uint32_t channel, bool stop) {
  std::lock_guard hold(words_lock_);
  unsent_.push_back({to, {channel, ++number_, stop}});
  unsent_count_.fetch_add(1, std::memory_order_release);
}

bool FlowControl::hear(const Packet& packet) {
  Word word;
  std::memcpy(&word, packet.data, sizeof word);
  std::lock_guard hold(lock_);
  for (ForwardQueue* o : onwards_) {
    if (!o->owns(word.channel)) continue;
    const auto same = [&](const Heard& h) { return h.channel == word.channel && h.from == packet.from; };
    auto last = std::find_if(heard_.begin(), heard_.end(), same);
    if (last == heard_.end()) last = heard_.insert(heard_.end(), {word.channel, packet.from, 0});
    if (word.number > last->number) {
      last->number = word.number;
      o->hear(packet.from, word.channel, word.stop != 0);
    }
    break;  // of a relay that is gone, nobody cares
  }
  return true;
}

bool FlowControl::pump() {
  bool moved = false;
  if (lock_.try_lock()) {
    std::lock_guard hold(lock_, std::adopt_lock);
    for (ForwardQueue* o : onwards_) moved = o->pump() || moved;
  }
  if (unsent_count_.load(std::memory_order_acquire) == 0 || !words_lock_.try_lock()) return moved;
  std::lock_guard hold(words_lock_, std::adopt_lock);
  std::erase_if(unsent_, [&](const Unsent& u) {
    const Note note{.tag = 0, .type = static_cast<std::uint8_t>(sink_ << 4)};
    if (world_.fabric().send(u.to, Traffic::control, note, std::as_bytes(std::span(&u.word, 1))) != Busy::no)
      return false;
    unsent_count_.fetch_sub(1, std::memory_order_release);
    return true;
  });
  return moved;
}

}  // namespace atl
