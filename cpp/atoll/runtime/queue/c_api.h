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
 * Every function answers an atoll_status: 0 or more says how it went, less than 0 is an error. No call ends the process
 * or prints, and no C++ exception leaves one.
 *
 * Errors and reasons are told through `why`, the caller's memory and last argument of each call, which may be NULL. It is
 * not kept by the library, per thread or otherwise: so there is no state that a call between the error and the question
 * could overwrite, that a coroutine which changes threads would miss, or that atoll_open() has no world for yet.
 *
 * Threads: the thread that opens a world is its thread 0. Others may call after atoll_name_thread(), those marked
 * collective excepted, which thread 0 calls, on every rank, in the same order. A world and what belongs to it is closed
 * by thread 0 while no other is in a call. */
#ifdef __cplusplus
extern "C" {
#endif

typedef enum atoll_status {
  ATOLL_DONE = 0,             /**< it is over */
  ATOLL_POSTED = 1,           /**< it goes on: the request says when it is over */
  ATOLL_RETRY = 2,            /**< nothing was begun; why->reason says why, and nothing is lost */
  ATOLL_TRANSPORT_ERROR = -1, /**< ranks cannot talk: a lost peer, no fabric */
  ATOLL_USAGE_ERROR = -2,     /**< an environment variable is wrong */
  ATOLL_INPUT_ERROR = -3,     /**< an argument or the plan is wrong */
  ATOLL_IO_ERROR = -4,
  ATOLL_OTHER_ERROR = -5 /**< no memory, and what should not happen */
} atoll_status;

/** Why nothing was begun. */
typedef enum atoll_reason {
  ATOLL_NO_REASON,
  ATOLL_NO_PACKET, /**< all packets of this rank are in use: finish or release some */
  ATOLL_NO_MEMORY, /**< the allocator gave nothing; the message is still there */
  ATOLL_LOCK,      /**< another thread is in the way */
  ATOLL_BACKLOG,   /**< what was sent to this peer before has not left yet */
  ATOLL_EMPTY      /**< nothing is here */
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
  const char* library_version; /**< with a communicator: what MPI_Get_library_version says */
  /** Warnings and messages. level: 0 error, 1 warn, 2 info. NULL: silent. May be called from any thread, also from one
   *  that Atoll has started, at any time between open and close, and from several at once. */
  void (*log)(void* context, int level, const char* text);
  void* log_context;
} atoll_options;

/** This process as a rank of the job that its communicator or launcher says, else alone. Collective. NULL: defaults. */
atoll_status atoll_open(const atoll_options* options, atoll_world** world, atoll_why* why);
/** Collective; the world is gone afterwards, also after an error. What belongs to it is closed before. */
atoll_status atoll_close(atoll_world* world, atoll_why* why);
/** Not collective: leaves the peers alone. For the way out after an error. NULL is nothing to do. */
void atoll_abandon(atoll_world* world);
int atoll_rank(const atoll_world* world);
int atoll_size(const atoll_world* world);
/** Threads that may call: Plan's `threads`. */
int atoll_threads(const atoll_world* world);
/** Once in each thread but thread 0, before its first call: a number of its own from 1 to atoll_threads() - 1. */
atoll_status atoll_name_thread(atoll_world* world, int number, atoll_why* why);
/** Moves messages on and runs handlers: ATOLL_DONE if something happened, else ATOLL_RETRY. */
atoll_status atoll_progress(atoll_world* world, atoll_why* why);
/** Collective. Makes progress meanwhile. */
atoll_status atoll_barrier(atoll_world* world, atoll_why* why);

/* ---- queue: SEND-ENQ and RECV-DEQ of Dang et al., "A lightweight communication runtime for distributed graph analytics"
 * (LCI, IPDPS 2018), section III.D; see atoll/runtime/queue.hpp ------------------------------------------------------ */

typedef struct atoll_queue atoll_queue;

/** A flag in the caller's memory, {0} in the beginning; it stays where it is while pending. */
typedef struct atoll_request {
#ifdef __cplusplus
  std::atomic<uint32_t> pending;
#else
  _Atomic(uint32_t) pending;
#endif
} atoll_request;

/** Whether it is over; then the bytes are there to be read, or to be overwritten (acquire). */
static inline bool atoll_request_done(const atoll_request* request) {
#ifdef __cplusplus
  return request->pending.load(std::memory_order_acquire) == 0;
#else
  return atomic_load_explicit(&request->pending, memory_order_acquire) == 0;
#endif
}

/** Where received messages are put. `allocate` may answer NULL: then the message waits. Any thread. */
typedef struct atoll_allocator {
  void* (*allocate)(void* context, size_t bytes);
  void (*release)(void* context, void* memory, size_t bytes);
  void* context;
} atoll_allocator;

/** Collective by order, like a declaration. At most 16 in the life of a world. allocator NULL: malloc and free. */
atoll_status atoll_queue_open(atoll_world* world, const atoll_allocator* allocator, atoll_queue** queue,
                              atoll_why* why);
/** Not collective. What has not been received is lost; views are to be released before. */
atoll_status atoll_queue_close(atoll_queue* queue, atoll_why* why);
/** Longest message that is copied at once and never pending. */
size_t atoll_eager_bytes(const atoll_queue* queue);

/** SEND-ENQ. ATOLL_DONE: `data` may be overwritten. ATOLL_POSTED: it stays as it is until the request is done. */
atoll_status atoll_send_enq(atoll_queue* queue, const void* data, size_t bytes, int to, uint32_t tag,
                            atoll_request* request, atoll_why* why);
/** RECV-DEQ, Algorithm 2: the next message, in memory that the allocator gave and that is the caller's from now on (free
 * it with free(), or as the allocator wants it); NULL where it has no bytes. ATOLL_POSTED: its bytes are there when the
 * request is done. */
atoll_status atoll_recv_deq(atoll_queue* queue, void** data, size_t* bytes, int* from, uint32_t* tag,
                            atoll_request* request, atoll_why* why);

/** A message where it was received: no copy. Its bytes stay until atoll_release(). */
typedef struct atoll_message {
  const void* data;
  size_t bytes;
  int from;
  uint32_t tag;
  uint64_t internal[5];
} atoll_message;
/** As atoll_recv_deq, without a copy of what was sent at once. Kept ones push their sender back. */
atoll_status atoll_recv_view(atoll_queue* queue, atoll_message* message, atoll_request* request, atoll_why* why);
/** Once for each view whose request is done. */
atoll_status atoll_release(atoll_queue* queue, atoll_message* message, atoll_why* why);

/** Makes progress, and sleeps, until the request is done. */
atoll_status atoll_wait(atoll_queue* queue, const atoll_request* request, atoll_why* why);
/** The same until there is a message to receive. */
atoll_status atoll_wait_for_message(atoll_queue* queue, atoll_why* why);

/* ---- mailbox: records to handlers; see atoll/runtime/mailbox.hpp --------------------------------------------------- */

typedef struct atoll_mailbox atoll_mailbox;

/** Runs where the record was sent to, inside atoll_send, atoll_flush, atoll_progress or another wait of any thread, one
 * at a time for a mailbox. The record is 16-byte aligned and valid during the call. It may send, and nothing else. */
typedef void (*atoll_handler)(void* context, int from, const void* record);

/** Collective by order, like a declaration. record_bytes: 1 to 256, travel as the next of 4 8 16 32 64 128 256. */
atoll_status atoll_register_handler(atoll_world* world, size_t record_bytes, atoll_handler handler, void* context,
                                    atoll_mailbox** mailbox, atoll_why* why);
/** Appends a copy; waits only while buffers are full. */
atoll_status atoll_send(atoll_mailbox* mailbox, int to, const void* record, atoll_why* why);
/** Collective: every record sent before on any rank, and all that handlers sent since, has been handled. */
atoll_status atoll_flush(atoll_mailbox* mailbox, atoll_why* why);
/** Not collective; after a flush nothing is left to lose. */
atoll_status atoll_mailbox_close(atoll_mailbox* mailbox, atoll_why* why);

#ifdef __cplusplus
}
#endif
#endif
