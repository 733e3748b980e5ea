// SPDX-License-Identifier: Apache-2.0
// The C interface of Queue and Mailbox: it checks arguments and turns exceptions into statuses.
#include <atoll/runtime/queue/c_api.h>

#include <atoll/base/json.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/queue/queue.hpp>
#include <atoll/transport/plugin.hpp>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <nlohmann/json.hpp>

using namespace atl;

struct atoll_world {
  std::unique_ptr<World> world;
};

struct atoll_queue {
  atoll_queue(World& world, const atoll_allocator& from)
      : world(world),
        allocator(from),
        queue(world, {.allocate = [this](std::size_t bytes) { return static_cast<std::byte*>(allocate(bytes)); },
                      .free = [this](std::byte* memory, std::size_t bytes) { release(memory, bytes); }}) {}
  void* allocate(std::size_t bytes) { return allocator.allocate(allocator.context, bytes); }
  void release(void* memory, std::size_t bytes) { allocator.release(allocator.context, memory, bytes); }

  World& world;
  const atoll_allocator allocator;
  Queue queue;
  // Eager messages that were taken from the queue when there was no memory to copy them to; received first.
  SpinLock lock;
  std::deque<Message> waiting;
  std::atomic<std::uint32_t> waiting_count{0};
};

struct atoll_mailbox {
  virtual ~atoll_mailbox() = default;
  virtual void send(Rank to, const void* record) = 0;
  virtual void drain() = 0;
  virtual World& world() = 0;
};

// Request and atoll_request are the same flag.
static_assert(sizeof(atoll_request) == sizeof(Request) && alignof(atoll_request) == alignof(Request));
static_assert(sizeof(Message) <= sizeof(atoll_message::internal) && std::is_trivially_copyable_v<Message>);
static_assert(static_cast<int>(Retry::empty) == ATOLL_EMPTY && static_cast<int>(Retry::backlog) == ATOLL_BACKLOG &&
              static_cast<int>(Retry::no_packet) == ATOLL_NO_PACKET &&
              static_cast<int>(Retry::no_memory) == ATOLL_NO_MEMORY && static_cast<int>(Retry::lock) == ATOLL_LOCK);

namespace {

atoll_status status_of(const std::exception& e) {
  switch (kind_of(e)) {
    case ErrorKind::input:
      return ATOLL_INPUT_ERROR;
    case ErrorKind::usage:
      return ATOLL_USAGE_ERROR;
    case ErrorKind::io:
      return ATOLL_IO_ERROR;
    case ErrorKind::transport:
      return ATOLL_TRANSPORT_ERROR;
    default:
      return ATOLL_OTHER_ERROR;
  }
}

void explain(atoll_why* why, const char* text) noexcept {
  if (!why) return;
  why->reason = ATOLL_NO_REASON;
  std::strncpy(why->text, text, ATOLL_TEXT_BYTES - 1);
  why->text[ATOLL_TEXT_BYTES - 1] = 0;
}

// Runs f and returns its status; turns every exception into a status.
template <class F>
atoll_status guarded(atoll_why* why, F&& f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    explain(why, "memory: none is left (the call needed some). Use smaller messages or fewer packets.");
    return ATOLL_OTHER_ERROR;
  } catch (const std::exception& e) {
    explain(why, e.what());
    return status_of(e);
  } catch (...) {
    explain(why, "an error of unknown kind (a callback threw it?). Let callbacks throw nothing.");
    return ATOLL_OTHER_ERROR;
  }
}

void need(const void* pointer, const char* name) {
  check(pointer != nullptr, "{} is NULL (the call needs it). Pass a pointer.", name);
}

void check_rank(const World& world, int to) {
  check(to >= 0 && to < world.size(), "to is {} (ranks are 0 to {}). Correct it.", to, world.size() - 1);
}

atoll_status retry(atoll_why* why, Retry reason) {
  if (why) why->reason = static_cast<atoll_reason>(reason);
  return ATOLL_RETRY;
}

atoll_status answer(const Outcome& outcome, atoll_why* why) {
  if (outcome.retry()) return retry(why, outcome.reason);
  return outcome.posted() ? ATOLL_POSTED : ATOLL_DONE;
}

// Constructs the C++ flag in the caller's memory.
Request& fresh(atoll_request* request) {
  need(request, "request");
  return *new (request) Request;
}

Plan plan_of(const char* json) {
  Plan plan;
  if (json) {
    const auto parsed = try_parse_json(json);
    check(!parsed.is_discarded(), "plan: {} (not JSON). Correct it.", json);
    plan = Plan::from_json(parsed);
  }
  return Plan::from_environment(std::move(plan));
}

World::Options world_options(const atoll_options& options) {
  World::Options out;
  if (options.log)
    out.log = Log([log = options.log, context = options.log_context](LogLevel level, std::string_view text) {
      log(context, static_cast<int>(level), std::string(text).c_str());
    });
  out.alarm = out.log;
  return out;
}

std::unique_ptr<World> open_world(const atoll_options& options) {
  Plan plan = plan_of(options.plan);
  if (options.communicator) {
    need(options.library_version, "library_version");
    return join_world(plan, world_options(options), Communicator{options.communicator, options.library_version});
  }
  const auto by = launcher();
  if ((by && by->ranks > 1) || plan.transport == "mpi") return join_world(plan, world_options(options));
  return World::alone(std::move(plan), world_options(options));
}

template <std::size_t kBytes>
struct alignas(kBytes < 16 ? kBytes : 16) Bytes {
  std::byte bytes[kBytes];
};

template <std::size_t kBytes>
class MailboxOf final : public atoll_mailbox {
  using Unit = Bytes<kBytes>;
  struct Call {
    atoll_handler handler;
    void* context;
    void operator()(Rank from, std::span<const Unit> records) const {
      for (const Unit& r : records) {
        alignas(16) const Unit aligned = r;
        handler(context, from, &aligned);
      }
    }
  };

 public:
  MailboxOf(World& world, std::size_t record_bytes, atoll_handler handler, void* context)
      : world_(world),
        record_bytes_(record_bytes),
        box_(world, of_records<Unit>(Call{handler, context}), {.handling = Handling::serial}) {}
  void send(Rank to, const void* record) override {
    Unit unit{};
    std::memcpy(&unit, record, record_bytes_);
    box_.send(to, unit);
  }
  void drain() override { box_.drain(); }
  World& world() override { return world_; }

 private:
  World& world_;
  const std::size_t record_bytes_;
  Mailbox<Unit, Call> box_;
};

template <std::size_t kBytes>
atoll_mailbox* mailbox_of(World& world, std::size_t record_bytes, atoll_handler handler, void* context) {
  if constexpr (kBytes < 256) {
    if (record_bytes > kBytes) return mailbox_of<2 * kBytes>(world, record_bytes, handler, context);
  }
  return new MailboxOf<kBytes>(world, record_bytes, handler, context);
}

// Gives the caller the message in memory that it owns: the memory of its rendezvous, or a copy. false: there is no
// memory.
bool give(atoll_queue& queue, Message& message, void** data) {
  if (message.is_allocated()) {
    *data = const_cast<std::byte*>(message.data);
    return true;
  }
  *data = nullptr;
  if (message.bytes > 0) {
    *data = queue.allocate(message.bytes);
    if (!*data) return false;
    std::memcpy(*data, message.data, message.bytes);
  }
  queue.queue.release(message);
  return true;
}

std::optional<Message> take_waiting(atoll_queue& queue) {
  if (queue.waiting_count.load(std::memory_order_relaxed) == 0) return std::nullopt;
  std::lock_guard hold(queue.lock);
  if (queue.waiting.empty()) return std::nullopt;
  const Message message = queue.waiting.front();
  queue.waiting.pop_front();
  queue.waiting_count.store(static_cast<std::uint32_t>(queue.waiting.size()), std::memory_order_relaxed);
  return message;
}

void put_back(atoll_queue& queue, const Message& message) {
  std::lock_guard hold(queue.lock);
  queue.waiting.push_front(message);
  queue.waiting_count.store(static_cast<std::uint32_t>(queue.waiting.size()), std::memory_order_relaxed);
}

// The next message for both ways to receive; messages waiting here come first.
Outcome next_message(atoll_queue& queue, Message& message, Request& request) {
  if (const auto waiting = take_waiting(queue)) {
    message = *waiting;
    return {Outcome::State::done, Retry::none};
  }
  return queue.queue.receive(message, request);
}

}  // namespace

// ---- world ----------------------------------------------------------------------------------------------------------

atoll_status atoll_open(const atoll_options* options, atoll_world** world, atoll_why* why) {
  return guarded(why, [&] {
    need(world, "world");
    *world = nullptr;
    *world = new atoll_world{open_world(options ? *options : atoll_options{})};
    return ATOLL_DONE;
  });
}

atoll_status atoll_close(atoll_world* world, atoll_why* why) {
  const std::unique_ptr<atoll_world> owned(world);
  return guarded(why, [&] {
    need(world, "world");
    world->world->close();
    return ATOLL_DONE;
  });
}

void atoll_abandon(atoll_world* world) { delete world; }

int atoll_rank(const atoll_world* world) { return world->world->rank(); }
int atoll_size(const atoll_world* world) { return world->world->size(); }
int atoll_threads(const atoll_world* world) { return world->world->team().size(); }

atoll_status atoll_name_thread(atoll_world* world, int number, atoll_why* why) {
  return guarded(why, [&] {
    need(world, "world");
    const int threads = atoll_threads(world);
    check(number >= 1 && number < threads,
          "thread {} (the plan has {}, and 0 is who opened the world). Raise threads in the plan, or use fewer.",
          number, threads);
    Team::name_this_thread(number);
    return ATOLL_DONE;
  });
}

atoll_status atoll_progress(atoll_world* world, atoll_why* why) {
  return guarded(why, [&] {
    need(world, "world");
    return world->world->progress() ? ATOLL_DONE : retry(why, Retry::empty);
  });
}

atoll_status atoll_barrier(atoll_world* world, atoll_why* why) {
  return guarded(why, [&] {
    need(world, "world");
    world->world->barrier();
    return ATOLL_DONE;
  });
}

// ---- queue ----------------------------------------------------------------------------------------------------------

atoll_status atoll_queue_open(atoll_world* world, const atoll_allocator* allocator, atoll_queue** queue,
                              atoll_why* why) {
  return guarded(why, [&] {
    need(world, "world");
    need(queue, "queue");
    *queue = nullptr;
    const atoll_allocator plain{[](void*, std::size_t bytes) { return std::malloc(bytes); },
                                [](void*, void* memory, std::size_t) { std::free(memory); }, nullptr};
    if (allocator) check(allocator->allocate && allocator->release, "allocator: a function is NULL. Give both.");
    *queue = new atoll_queue(*world->world, allocator ? *allocator : plain);
    return ATOLL_DONE;
  });
}

atoll_status atoll_queue_close(atoll_queue* queue, atoll_why* why) {
  const std::unique_ptr<atoll_queue> owned(queue);
  return guarded(why, [&] {
    need(queue, "queue");
    while (auto message = take_waiting(*queue)) queue->queue.release(*message);
    return ATOLL_DONE;
  });
}

size_t atoll_eager_bytes(const atoll_queue* queue) { return queue->queue.eager_bytes(); }

atoll_status atoll_send_enq(atoll_queue* queue, const void* data, size_t bytes, int to, uint32_t tag,
                            atoll_request* request, atoll_why* why) {
  return guarded(why, [&] {
    need(queue, "queue");
    if (bytes > 0) need(data, "data");
    check_rank(queue->world, to);
    return answer(queue->queue.send(to, tag, {static_cast<const std::byte*>(data), bytes}, fresh(request)), why);
  });
}

atoll_status atoll_recv_deq(atoll_queue* queue, void** data, size_t* bytes, int* from, uint32_t* tag,
                            atoll_request* request, atoll_why* why) {
  return guarded(why, [&] {
    need(queue, "queue");
    need(data, "data");
    need(bytes, "bytes");
    Message message;
    const Outcome outcome = next_message(*queue, message, fresh(request));
    if (outcome.retry()) return answer(outcome, why);
    *bytes = message.bytes;
    if (from) *from = message.from;
    if (tag) *tag = message.tag;
    if (!give(*queue, message, data)) {
      put_back(*queue, message);
      return retry(why, Retry::no_memory);
    }
    return answer(outcome, why);
  });
}

atoll_status atoll_recv_view(atoll_queue* queue, atoll_message* message, atoll_request* request, atoll_why* why) {
  return guarded(why, [&] {
    need(queue, "queue");
    need(message, "message");
    Message m;
    const Outcome outcome = next_message(*queue, m, fresh(request));
    if (outcome.retry()) return answer(outcome, why);
    *message = {m.data, m.bytes, m.from, m.tag, {}};
    std::memcpy(message->internal, &m, sizeof m);
    return answer(outcome, why);
  });
}

atoll_status atoll_release(atoll_queue* queue, atoll_message* message, atoll_why* why) {
  return guarded(why, [&] {
    need(queue, "queue");
    need(message, "message");
    Message m;
    std::memcpy(static_cast<void*>(&m), message->internal, sizeof m);
    queue->queue.release(m);
    *message = {};  // a second release does nothing
    return ATOLL_DONE;
  });
}

atoll_status atoll_wait(atoll_queue* queue, const atoll_request* request, atoll_why* why) {
  return guarded(why, [&] {
    need(queue, "queue");
    need(request, "request");
    queue->world.wait_until("queue: the bytes of a message", [&] { return atoll_request_done(request); });
    return ATOLL_DONE;
  });
}

atoll_status atoll_wait_for_message(atoll_queue* queue, atoll_why* why) {
  return guarded(why, [&] {
    need(queue, "queue");
    if (queue->waiting_count.load(std::memory_order_relaxed) == 0) queue->queue.wait_for_message();
    return ATOLL_DONE;
  });
}

// ---- mailbox --------------------------------------------------------------------------------------------------------

atoll_status atoll_register_handler(atoll_world* world, size_t record_bytes, atoll_handler handler, void* context,
                                    atoll_mailbox** mailbox, atoll_why* why) {
  return guarded(why, [&] {
    need(world, "world");
    need(mailbox, "mailbox");
    *mailbox = nullptr;
    check(handler != nullptr, "handler is NULL (records need one). Pass a function.");
    check(record_bytes >= 1 && record_bytes <= 256, "record_bytes is {} (1 to 256). Use a queue for longer ones.",
          record_bytes);
    *mailbox = mailbox_of<4>(*world->world, record_bytes, handler, context);
    return ATOLL_DONE;
  });
}

atoll_status atoll_send(atoll_mailbox* mailbox, int to, const void* record, atoll_why* why) {
  return guarded(why, [&] {
    need(mailbox, "mailbox");
    need(record, "record");
    check_rank(mailbox->world(), to);
    mailbox->send(to, record);
    return ATOLL_DONE;
  });
}

atoll_status atoll_flush(atoll_mailbox* mailbox, atoll_why* why) {
  return guarded(why, [&] {
    need(mailbox, "mailbox");
    mailbox->drain();
    return ATOLL_DONE;
  });
}

atoll_status atoll_mailbox_close(atoll_mailbox* mailbox, atoll_why* why) {
  const std::unique_ptr<atoll_mailbox> owned(mailbox);
  return guarded(why, [&] {
    need(mailbox, "mailbox");
    return ATOLL_DONE;
  });
}
