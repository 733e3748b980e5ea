// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/stream_copy.hpp>
#include <atoll/runtime/onward.hpp>
#include <atoll/runtime/world.hpp>
#include <cstring>

namespace atl {

// ---- blocks that wait -----------------------------------------------------------------------------------------------

Onward::Onward(World& world, std::size_t record_bytes, std::vector<Way> ways, const std::uint32_t (&channels)[2],
               Arrive arrive, void* box)
    : world_(world),
      record_bytes_(record_bytes),
      piece_(world.payload_bytes() / (record_bytes + sizeof(Rank))),
      ways_(std::move(ways)),
      channels_{channels[0], channels[1]},
      arrive_(arrive),
      box_(box),
      waiting_bytes_(static_cast<std::size_t>(world.route().rounds())) {
  world_.flow().add(this);
}

Onward::~Onward() {
  world_.flow().remove(this);
  for (const Block& b : waiting_) world_.note_memory(-static_cast<std::ptrdiff_t>(b.bytes()));
}

// One half of the budget is for what waits, a share a round; the other for lanes.
std::size_t Onward::share() const { return world_.relay_budget() / 2 / waiting_bytes_.size(); }
std::size_t Onward::lanes_limit() const { return world_.relay_budget() / 2; }

bool Onward::is_stopped(const Way& way) const {
  if (stopped_count_.load(std::memory_order_acquire) == 0) return false;
  std::lock_guard hold(lock_);
  return std::find(stopped_.begin(), stopped_.end(), std::pair(way.next, way.arrival)) != stopped_.end();
}

bool Onward::send(Block& block) {
  const Way& way = ways_[block.way];
  if (way.next == world_.rank()) {
    const bool on_the_team = Team::this_thread() < world_.team().size();
    if (!on_the_team || world_.thread_state().handlers > 0) return false;
    arrive_(box_, block);
    block.sent = block.size;
    return true;
  }
  const std::uint32_t channel = channels_[static_cast<int>(way.arrival)];
  while (block.sent < block.size) {
    Slot slot;
    if (is_stopped(way) || world_.acquire(way.next, slot) != Busy::no) return false;
    const std::size_t n = std::min(piece_, block.size - block.sent), bytes = n * record_bytes_;
    const std::byte* from = block.memory.get() + block.sent * record_bytes_;
    if (world_.all_near()) {
      stream_copy(slot.data, from, bytes);
    } else {
      std::memcpy(slot.data, from, bytes);
    }
    std::memcpy(slot.data + bytes, block.memory.get() + block.targets_at + block.sent * sizeof(Rank), n * sizeof(Rank));
    world_.publish(channel, slot, bytes + n * sizeof(Rank), World::Hold::briefly, block.epoch);
    block.sent += n;
  }
  return true;
}

void Onward::settle(std::uint32_t way) {
  if (ways_[way].next == world_.rank()) return;
  Slot slot;
  world_.wait_until("send: the one buffer to come back", [&] { return world_.acquire(ways_[way].next, slot) == Busy::no; });
  world_.abandon(slot);
}

void Onward::keep(Block&& block) {
  waiting_bytes_[static_cast<std::size_t>(ways_[block.way].round)] += block.bytes();
  std::lock_guard hold(lock_);
  waiting_.push_back(std::move(block));
  count_.fetch_add(1, std::memory_order_release);
}

bool Onward::pump() {
  if (count_.load(std::memory_order_acquire) == 0) return false;
  bool moved = false;
  // Each of those that wait now, once: handlers that run for some of them may add others.
  for (int left = count_.load(std::memory_order_relaxed); left > 0; --left) {
    Block block;
    {
      std::lock_guard hold(lock_);
      if (waiting_.empty()) break;
      block = std::move(waiting_.front());
      waiting_.pop_front();
    }
    const std::size_t sent = block.sent;
    const bool gone = send(block);
    moved = moved || gone || block.sent > sent;
    if (gone) {
      waiting_bytes_[static_cast<std::size_t>(ways_[block.way].round)] -= block.bytes();
      world_.note_memory(-static_cast<std::ptrdiff_t>(block.bytes()));
      count_.fetch_sub(1, std::memory_order_release);
    } else {
      std::lock_guard hold(lock_);
      waiting_.push_back(std::move(block));
    }
  }
  if (told_count_.load(std::memory_order_acquire) > 0) resume();
  return moved;
}

bool Onward::is_over(int after, std::size_t limit) const {
  for (auto r = static_cast<std::size_t>(after + 1); r < waiting_bytes_.size(); ++r)
    if (waiting_bytes_[r].load(std::memory_order_relaxed) > limit) return true;
  return false;
}

void Onward::mind(Rank from, Phase arrival) {
  if (count_.load(std::memory_order_relaxed) == 0) return;
  const int after = world_.route().round_of(arrival, world_.level_to(from));
  if (!is_over(after, share())) return;
  std::lock_guard hold(lock_);
  for (const Stop& s : told_)
    if (s.from == from && s.arrival == arrival) return;
  told_.push_back({from, arrival, after});
  told_count_.fetch_add(1, std::memory_order_release);
  world_.flow().tell(from, channels_[static_cast<int>(arrival)], true);
}

void Onward::resume() {
  const std::size_t limit = share() / 2;
  std::lock_guard hold(lock_);
  std::erase_if(told_, [&](const Stop& s) {
    if (is_over(s.after, limit)) return false;
    world_.flow().tell(s.from, channels_[static_cast<int>(s.arrival)], false);
    told_count_.fetch_sub(1, std::memory_order_release);
    return true;
  });
}

void Onward::hear(Rank from, Phase arrival, bool stop) {
  std::lock_guard hold(lock_);
  const std::pair key(from, arrival);
  std::erase(stopped_, key);
  if (stop) stopped_.push_back(key);
  stopped_count_.store(static_cast<int>(stopped_.size()), std::memory_order_release);
}

bool Onward::owns(std::uint32_t channel, Phase& arrival) const {
  for (const Phase p : {Phase::up, Phase::down}) {
    arrival = p;
    if (channels_[static_cast<int>(p)] == channel) return true;
  }
  return false;
}

void Onward::make_room(std::uint32_t way) {
  const auto& bytes = waiting_bytes_[static_cast<std::size_t>(ways_[way].round)];
  const std::size_t limit = world_.plan().buffers == "dynamic" ? share() : 0;
  world_.wait_until("send: room in the budget for records on their way",
                    [&] { return bytes.load(std::memory_order_relaxed) <= limit; });
}

void Onward::clear(int round) {
  world_.wait_until("drain: slots for records on their way", [&] {
    for (std::size_t r = 0; r < waiting_bytes_.size() && r <= static_cast<std::size_t>(round); ++r)
      if (waiting_bytes_[r].load(std::memory_order_relaxed) > 0) return false;
    return true;
  });
}

std::string Onward::describe() const {
  std::lock_guard hold(lock_);
  if (waiting_.empty()) return {};
  return fmt::format("a relay has {} blocks waiting, {} peers told it to stop, it told {}", count_.load(),
                     stopped_.size(), told_.size());
}

// ---- stop, go on ----------------------------------------------------------------------------------------------------

void FlowControl::open() {
  sink_ = world_.open_messages(
      {.context = this,
       .take = [](void* self, const Packet& p) {
         return static_cast<FlowControl*>(self)->hear(p) ? World::Taken::done : World::Taken::no;
       },
       .pump = [](void* self) { return static_cast<FlowControl*>(self)->pump(); },
       .describe =
           [](void* self) {
             std::string text;
             auto& flow = *static_cast<FlowControl*>(self);
             std::lock_guard hold(flow.lock_);
             for (const Onward* o : flow.onwards_) text += (text.empty() ? "" : "; ") + o->describe();
             return text;
           },
       .control_only = true});
}

void FlowControl::add(Onward* onward) {
  std::lock_guard hold(lock_);
  onwards_.push_back(onward);
  open_.fetch_add(1, std::memory_order_relaxed);
}

void FlowControl::remove(Onward* onward) {
  std::lock_guard hold(lock_);
  std::erase(onwards_, onward);
  open_.fetch_sub(1, std::memory_order_relaxed);
  std::erase_if(heard_, [&](const Heard& h) {
    Route::Phase ignored;
    return onward->owns(h.channel, ignored);
  });
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
  for (Onward* o : onwards_) {
    Route::Phase arrival;
    if (!o->owns(word.channel, arrival)) continue;
    const auto same = [&](const Heard& h) { return h.channel == word.channel && h.from == packet.from; };
    auto last = std::find_if(heard_.begin(), heard_.end(), same);
    if (last == heard_.end()) last = heard_.insert(heard_.end(), {word.channel, packet.from, 0});
    if (word.number > last->number) {
      last->number = word.number;
      o->hear(packet.from, arrival, word.stop != 0);
    }
    break;  // of a relay that is gone, nobody cares
  }
  return true;
}

bool FlowControl::pump() {
  bool moved = false;
  if (lock_.try_lock()) {
    std::lock_guard hold(lock_, std::adopt_lock);
    for (Onward* o : onwards_) moved = o->pump() || moved;
  }
  if (unsent_count_.load(std::memory_order_acquire) == 0 || !words_lock_.try_lock()) return moved;
  std::lock_guard hold(words_lock_, std::adopt_lock);
  std::erase_if(unsent_, [&](const Unsent& u) {
    const Note note{.tag = 0, .type = static_cast<std::uint8_t>(sink_ << 4)};
    if (world_.fabric().send(u.to, Traffic::control, note, std::as_bytes(std::span(&u.word, 1))) != Busy::no) return false;
    unsent_count_.fetch_sub(1, std::memory_order_release);
    return true;
  });
  return moved;
}

}  // namespace atl
