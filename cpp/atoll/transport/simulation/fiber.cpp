// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <atoll/transport/exceptions_under_way.hpp>
#include <atoll/transport/simulation/fiber.hpp>
#include <boost/context/fiber.hpp>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(ATOLL_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace atl {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(ATOLL_THREAD_SANITIZER)
constexpr std::size_t kStackBytes = std::size_t{4} << 20;  // sanitized frames are several times as large
#else
constexpr std::size_t kStackBytes = std::size_t{1} << 20;  // address space; memory only for touched pages
#endif

struct GuardedStack {
  boost::context::stack_context allocate() const {
    void* bottom = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (bottom == MAP_FAILED) throw std::bad_alloc();
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (mprotect(bottom, page, PROT_NONE) != 0) {
      munmap(bottom, kStackBytes);
      throw std::bad_alloc();
    }
    boost::context::stack_context context;
    context.size = kStackBytes;
    context.sp = static_cast<std::byte*>(bottom) + kStackBytes;
    return context;
  }
  void deallocate(boost::context::stack_context& context) const {
    munmap(static_cast<std::byte*>(context.sp) - context.size, context.size);
  }
};

}  // namespace

struct Fiber::State {
  std::function<void()> f;
  boost::context::stack_context stack;
  boost::context::fiber inside, outside;
  ExceptionsUnderWay exceptions;
  bool ended = false;
#if defined(__SANITIZE_ADDRESS__)
  void *fake_inside = nullptr, *fake_outside = nullptr;
  const void* outer_bottom = nullptr;
  std::size_t outer_bytes = 0;
#endif
#if defined(ATOLL_THREAD_SANITIZER)
  void *inner = __tsan_create_fiber(0), *outer = nullptr;
#endif

  // Sanitizers must be informed of each stack switch.
  void leave_outside() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&fake_outside, static_cast<std::byte*>(stack.sp) - stack.size, stack.size);
#endif
#if defined(ATOLL_THREAD_SANITIZER)
    outer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inner, 0);
#endif
  }
  void arrive_outside() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake_outside, nullptr, nullptr);
#endif
  }
  void leave_inside() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(ended ? nullptr : &fake_inside, outer_bottom, outer_bytes);
#endif
#if defined(ATOLL_THREAD_SANITIZER)
    __tsan_switch_to_fiber(outer, 0);
#endif
  }
  void arrive_inside() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake_inside, &outer_bottom, &outer_bytes);
#endif
  }
};

Fiber::Fiber(std::function<void()> f) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.f = std::move(f);
  const GuardedStack stacks;
  s.stack = stacks.allocate();
  const boost::context::preallocated memory(s.stack.sp, s.stack.size, s.stack);
  s.inside = boost::context::fiber(std::allocator_arg, memory, stacks, [&s](boost::context::fiber&& outside) {
    s.outside = std::move(outside);
    s.arrive_inside();
    s.f();
    s.ended = true;
    s.leave_inside();
    return std::move(s.outside);
  });
}

Fiber::~Fiber() {
#if defined(ATOLL_THREAD_SANITIZER)
  __tsan_destroy_fiber(state_->inner);
#endif
}

void Fiber::resume() {
  State& s = *state_;
  s.exceptions.swap();
  s.leave_outside();
  s.inside = std::move(s.inside).resume();
  s.arrive_outside();
  s.exceptions.swap();
}

void Fiber::suspend() {
  State& s = *state_;
  s.leave_inside();
  s.outside = std::move(s.outside).resume();
  s.arrive_inside();
}

bool Fiber::ended() const { return state_->ended; }

}  // namespace atl
