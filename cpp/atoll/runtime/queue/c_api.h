/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ATOLL_RUNTIME_C_API_H
#define ATOLL_RUNTIME_C_API_H

#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <atomic>
#else
#include <stdatomic.h>
#include <stdbool.h>
#endif

/** Atoll's message queue and mailbox for C11, and for languages that call C.
 *
 *      atoll_why why;
 *      atoll_world* world;
 *      atoll_queue* queue;
 *      if (atoll_open(NULL, &world, &why) < 0 || atoll_queue_open(world, NULL, &queue, &why) < 0) quit(why.text);
 *      atoll_request sent = {0};
 *      while (atoll_send_enq(queue, data, bytes, to, tag, &sent, NULL) == ATOLL_RETRY) atoll_progress(world, NULL);
 *      while (!atoll_request_done(&sent)) atoll_progress(world, NULL);      // a look at memory, no call
 *
 * Every function returns an atoll_status: 0 or more is an outcome, less than 0 is an error. No call ends the process
 * or prints, and no C++ exception leaves one.
 *
 * Errors and reasons are written to `why`, memory of the caller and the last argument of each call, which may be NULL.
 * The library keeps no copy, per thread or otherwise. So no later call can overwrite an error, a coroutine that changes
 * threads still finds it, and atoll_open() can report one before there is a world.
 *
 * Threads: the thread that opens a world is its thread 0. Others may call after atoll_name_thread().
 * Only thread 0 makes the calls marked collective, on every rank, in the same order. Thread 0 closes a world and what
 * belongs to it, while no other thread is in a call. */
#ifdef __cplusplus
extern "C" {
#endif

typedef enum atoll_status {
  ATOLL_DONE = 0,             /**< complete */
  ATOLL_POSTED = 1,           /**< started: the request says when it is complete */
  ATOLL_RETRY = 2,            /**< nothing was started and nothing is lost; why->reason says why */
  ATOLL_TRANSPORT_ERROR = -1, /**< ranks cannot communicate: a lost peer, no fabric */
  ATOLL_USAGE_ERROR = -2,     /**< an environment variable is wrong */
  ATOLL_INPUT_ERROR = -3,     /**< an argument or the plan is wrong */
  ATOLL_IO_ERROR = -4,
  ATOLL_OTHER_ERROR = -5 /**< out of memory, or an internal error */
} atoll_status;

/** Why a call did nothing. */
typedef enum atoll_reason {
  ATOLL_NO_REASON,
  ATOLL_NO_PACKET, /**< all packets of this rank are in use: complete or release some */
  ATOLL_NO_MEMORY, /**< the allocator had no memory; the message is still there */
  ATOLL_LOCK,      /**< another thread holds the lock */
  ATOLL_BACKLOG,   /**< back-pressure: earlier messages to this peer have not left yet */
  ATOLL_EMPTY      /**< there is nothing to receive */
} atoll_reason;

enum { ATOLL_TEXT_BYTES = 1024 };

typedef struct atoll_why {
  atoll_reason reason;         /**< of ATOLL_RETRY */
  char text[ATOLL_TEXT_BYTES]; /**< of an error: what, with the value (why it is wrong). What to do. */
} atoll_why;

/* ---- world ------------------------------------------------------------------------------------------------------- */

typedef struct atoll_world atoll_world;

typedef struct atoll_options {
  const char* plan;            /**< JSON object of Plan's fields; NULL: defaults. ATOLL_<FIELD> overrides a field */
  const void* communicator;    /**< address of an MPI_Comm that lives as long as the world; NULL: none */
  const char* library_version; /**< with a communicator: the text of MPI_Get_library_version */
  /** Warnings and messages. level: 0 error, 1 warn, 2 info. NULL: silent. It may run on any thread, also one that Atoll
   *  has started, at any time between open and close, and on several threads at once. */
  void (*log)(void* context, int level, const char* text);
  void* log_context;
} atoll_options;

/** Joins the job that the communicator or the launcher names, else a job of one rank. Collective. NULL: defaults. */
atoll_status atoll_open(const atoll_options* options, atoll_world** world, atoll_why* why);
/** Collective; frees the world, also after an error. Close its queues and mailboxes before. */
atoll_status atoll_close(atoll_world* world, atoll_why* why);
/** Not collective: frees the world without its peers, after an error. Does nothing for NULL. */
void atoll_abandon(atoll_world* world);
int atoll_rank(const atoll_world* world);
int atoll_size(const atoll_world* world);
/** The number of threads that may call: Plan's `threads`. */
int atoll_threads(const atoll_world* world);
/** Each thread but thread 0 calls it once, before any other call, with its own number from 1 to atoll_threads() - 1. */
atoll_status atoll_name_thread(atoll_world* world, int number, atoll_why* why);
/** Makes progress and runs handlers: ATOLL_DONE if something happened, else ATOLL_RETRY. */
atoll_status atoll_progress(atoll_world* world, atoll_why* why);
/** Collective. Makes progress meanwhile. */
atoll_status atoll_barrier(atoll_world* world, atoll_why* why);

/* ---- queue: SEND-ENQ and RECV-DEQ of Dang et al., "A lightweight communication runtime for distributed graph
 * analytics" (LCI, IPDPS 2018), section III.D; see atoll/runtime/queue/queue.hpp --------------------------------------- */

typedef struct atoll_queue atoll_queue;

/** A flag in the caller's memory, initially {0}; it must not move while pending. */
typedef struct atoll_request {
#ifdef __cplusplus
  std::atomic<uint32_t> pending;
#else
  _Atomic(uint32_t) pending;
#endif
} atoll_request;

/** Whether the operation is complete; then the bytes may be read or overwritten (acquire). */
static inline bool atoll_request_done(const atoll_request* request) {
#ifdef __cplusplus
  return request->pending.load(std::memory_order_acquire) == 0;
#else
  return atomic_load_explicit(&request->pending, memory_order_acquire) == 0;
#endif
}

/** Memory for received messages. `allocate` may return NULL: then the message waits. Any thread. */
typedef struct atoll_allocator {
  void* (*allocate)(void* context, size_t bytes);
  void (*release)(void* context, void* memory, size_t bytes);
  void* context;
} atoll_allocator;

/** Collective by order, like a declaration. At most 16 in the life of a world. allocator NULL: malloc and free. */
atoll_status atoll_queue_open(atoll_world* world, const atoll_allocator* allocator, atoll_queue** queue,
                              atoll_why* why);
/** Not collective. Messages not yet received are lost. Release all views before. */
atoll_status atoll_queue_close(atoll_queue* queue, atoll_why* why);
/** The longest message that is copied at once and never pending. */
size_t atoll_eager_bytes(const atoll_queue* queue);

/** SEND-ENQ. ATOLL_DONE: `data` may be overwritten. ATOLL_POSTED: keep `data` unchanged until the request is done. */
atoll_status atoll_send_enq(atoll_queue* queue, const void* data, size_t bytes, int to, uint32_t tag,
                            atoll_request* request, atoll_why* why);
/** RECV-DEQ, Algorithm 2: the next message, in memory from the allocator that the caller now owns (free it with
 * free(), or as the allocator requires); NULL if it has no bytes. ATOLL_POSTED: its bytes have arrived when the request
 * is done. */
atoll_status atoll_recv_deq(atoll_queue* queue, void** data, size_t* bytes, int* from, uint32_t* tag,
                            atoll_request* request, atoll_why* why);

/** A message in the memory where it was received, without a copy. Its bytes are valid until atoll_release(). */
typedef struct atoll_message {
  const void* data;
  size_t bytes;
  int from;
  uint32_t tag;
  uint64_t internal[5];
} atoll_message;
/** Like atoll_recv_deq, without copying eager messages. Unreleased views cause back-pressure at their sender. */
atoll_status atoll_recv_view(atoll_queue* queue, atoll_message* message, atoll_request* request, atoll_why* why);
/** Releases a view; call it once for each view whose request is done. */
atoll_status atoll_release(atoll_queue* queue, atoll_message* message, atoll_why* why);

/** Makes progress, and sleeps, until the request is done. */
atoll_status atoll_wait(atoll_queue* queue, const atoll_request* request, atoll_why* why);
/** The same until there is a message to receive. */
atoll_status atoll_wait_for_message(atoll_queue* queue, atoll_why* why);

/* ---- mailbox: records to handlers; see atoll/runtime/aggregation/mailbox.hpp --------------------------------------- */

typedef struct atoll_mailbox atoll_mailbox;

/** Runs on the target rank, inside atoll_send, atoll_flush, atoll_progress or another wait of any thread, one record of
 * a mailbox at a time. The record is 16-byte aligned and valid during the call. The handler may do nothing but send. */
typedef void (*atoll_handler)(void* context, int from, const void* record);

/** Collective by order, like a declaration. record_bytes: 1 to 256, sent as the next of 4 8 16 32 64 128 256. */
atoll_status atoll_register_handler(atoll_world* world, size_t record_bytes, atoll_handler handler, void* context,
                                    atoll_mailbox** mailbox, atoll_why* why);
/** Appends a copy; waits only while buffers are full. */
atoll_status atoll_send(atoll_mailbox* mailbox, int to, const void* record, atoll_why* why);
/** Collective. Returns when every record sent before, on any rank, and all that handlers sent since, is handled. */
atoll_status atoll_flush(atoll_mailbox* mailbox, atoll_why* why);
/** Not collective. Records sent after the last flush may be lost. */
atoll_status atoll_mailbox_close(atoll_mailbox* mailbox, atoll_why* why);

#ifdef __cplusplus
}
#endif
#endif
