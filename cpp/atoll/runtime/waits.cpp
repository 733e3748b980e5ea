// SPDX-License-Identifier: Apache-2.0
#include <atoll/runtime/world_internals.hpp>
#include <limits>
#include <mutex>

// Checks of a waiting rank: whether anything moves, whether a peer is lost, whether its time is over.
namespace atl {
namespace {

// Checking on peers costs a system call; this is often enough to end a broken job within seconds.
constexpr double kPeerCheck_s = 0.5;

}  // namespace

World::Watch::~Watch() {
  if (began_ >= 0) world_.thread_state().counters.wait_seconds += world_.now() - began_;
  charge();
}

// Charges the idle time up to now to the level of the packet that ended it.
void World::Watch::charge() {
  if (idle_since_ < 0) return;
  ThreadState& thread = world_.thread_state();
  const double seconds = world_.now() - std::exchange(idle_since_, -1);
  const int level = std::exchange(thread.arrived_level, -1);
  const bool for_slots = std::string_view(what_).starts_with("send");
  (for_slots || level < 0 ? thread.waited.stall : level == 0 ? thread.waited.intra : thread.waited.inter) += seconds;
}

void World::Watch::progressed() {
  charge();
  backoff_.reset();
  since_ = -1;
}

void World::Watch::idle() {
  if (began_ < 0) {
    began_ = world_.now();
    if (world_.options_.waiting) world_.options_.waiting(what_);
  }
  if (idle_since_ < 0) {
    idle_since_ = world_.now();
    world_.thread_state().arrived_level = -1;
  }
  if (world_.fabric_->is_virtual()) {
    world_.fabric_->wait(std::numeric_limits<double>::infinity(), world_.internals_->dispatcher.wanted());
    return;
  }
  if (backoff_.pause()) return;
  // From here on each call sleeps, so it can afford to read the clock.
  const double now = world_.now();
  if (since_ < 0) since_ = checked_ = now;
  // Progress of other threads of this rank counts too.
  if (const auto moved = world_.internals_->dispatcher.moved(); moved != moved_) {
    moved_ = moved;
    since_ = now;
  }
  world_.fabric_->wait(Backoff::nap_s(now - since_), world_.internals_->dispatcher.wanted());
  if (now - checked_ > kPeerCheck_s) {
    checked_ = now;
    world_.check_peers(what_);
  }
  if (!reported_ && now - since_ > world_.plan_.stall_seconds) {
    reported_ = true;
    // only this thread's: the other threads' counters change meanwhile
    const Counters& c = world_.thread_state().counters;
    world_.options_.log(
        LogLevel::warn,
        "rank {} has made no progress for {:.0f} s in '{}' (refused slots: {} no slot, {} no memory, {} "
        "lock{}); still waiting",
        world_.rank_, now - since_, what_, c.retries[1], c.retries[2], c.retries[3],
        world_.internals_->dispatcher.describe_sinks());
  }
  if (const double limit = world_.wait_limit_s_; limit > 0 && now - since_ > limit)
    throw TransportError(
        fmt::format("rank {} waited {:.1f} s in '{}' without any progress (timeout_seconds is {}). Look for "
                    "a rank that stopped, or raise it.",
                    world_.rank_, now - since_, what_, limit));
}

void World::check_peers(const char* what) {
  if (!options_.lost_peer) return;
  if (auto lost = options_.lost_peer())
    throw TransportError(
        fmt::format("{} (rank {} was waiting in '{}'). Look at that rank's own messages.", *lost, rank_, what));
}

void World::note_refusal(const char* what, Rank to) {
  constexpr std::uint32_t kLookEvery = 256;  // reading the clock costs as much as several refusals
  Internals::Refusals& refusals = internals_->refusals;
  if (++thread_state().refusals % kLookEvery != 0 || !refusals.lock.try_lock()) return;
  std::lock_guard hold(refusals.lock, std::adopt_lock);
  const double now = this->now();
  const std::uint64_t moved = internals_->dispatcher.moved();
  if (refusals.since < 0 || moved != refusals.moved) {
    refusals.since = refusals.checked = now;
    refusals.moved = moved;
    refusals.reported = false;
    return;
  }
  if (now - refusals.checked > kPeerCheck_s) {
    refusals.checked = now;
    check_peers(what);
  }
  if (refusals.reported || now - refusals.since < plan_.stall_seconds) return;
  refusals.reported = true;
  options_.log(LogLevel::warn,
               "rank {} has been refused for {:.0f} s in '{}' to rank {} and nothing else moves{}. Does "
               "that rank still receive?",
               rank_, now - refusals.since, what, to, internals_->dispatcher.describe_sinks());
}

}  // namespace atl
