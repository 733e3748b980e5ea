/* SPDX-License-Identifier: Apache-2.0 */
/* A program in the style of MPI_Iprobe, ported to Atoll. Each rank sends messages of random length to random ranks and
 * receives messages of any length from any rank. The MPI calls and their replacements:
 *
 *   MPI_Isend(data, n, MPI_BYTE, to, tag, comm, &request)            atoll_send_enq; may answer ATOLL_RETRY
 *   MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status)
 *   MPI_Get_count(&status, MPI_BYTE, &n)
 *   buffer = malloc(n); MPI_Recv(buffer, n, MPI_BYTE, from, ...)     atoll_recv_deq: all three
 *   MPI_Test(&request, &flag, MPI_STATUS_IGNORE)                     atoll_request_done: no call
 *   MPI_Alltoall(counts, ...)                                        atoll_send of a record, atoll_flush
 *
 *     iprobe_port [deq|view]      0: every byte that was sent has arrived, on all ranks                                */
#include <atoll/runtime/queue/c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMessages = 3000, kInFlight = 16, kLongest = 60000 };

typedef struct Totals { /* what a rank expects, or has received */
  uint64_t messages, bytes, sum;
} Totals;

typedef struct Sending {
  atoll_request request;
  unsigned char* data;
} Sending;

static atoll_why why;

static void must(atoll_status status) {
  if (status >= 0) return;
  fprintf(stderr, "error: %s\n", why.text);
  exit(1);
}

static uint64_t mixed(uint64_t x) { /* the finaliser of SplitMix64 */
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/* The i-th message of a rank: its target, its length (mostly short), and its bytes, which the caller frees. */
static unsigned char* message(int rank, int i, int size, int* to, size_t* bytes) {
  const uint64_t word = mixed((uint64_t)rank << 32 | (uint64_t)i);
  *to = (int)(word % (uint64_t)size);
  *bytes = (size_t)((word >> 24) % (i % 8 == 0 ? kLongest : 300));
  unsigned char* data = malloc(*bytes + 1);
  for (size_t b = 0; b < *bytes; ++b) data[b] = (unsigned char)(word >> b % 56);
  return data;
}

static uint64_t sum_of(const unsigned char* data, size_t bytes) {
  uint64_t sum = bytes;
  for (size_t i = 0; i < bytes; ++i) sum += (uint64_t)data[i] * (i % 251 + 1);
  return sum;
}

static void add(void* context, int from, const void* record) {
  Totals* all = context;
  const Totals* one = record;
  (void)from;
  all->messages += one->messages;
  all->bytes += one->bytes;
  all->sum += one->sum;
}

/* Receives one message, if one has arrived. */
typedef struct Receiving {
  atoll_request request;
  void* data;
  atoll_message view;
  size_t bytes;
  int used, from;
  uint32_t tag;
} Receiving;

static void finish(atoll_queue* queue, Receiving* r, int by_view, Totals* got) {
  const Totals one = {1, r->bytes, sum_of(by_view ? r->view.data : r->data, r->bytes)};
  add(got, r->from, &one);
  if (r->tag != (uint32_t)(r->bytes % 1000)) got->sum += 1; /* a wrong header makes the sum wrong */
  if (by_view)
    must(atoll_release(queue, &r->view, &why));
  else
    free(r->data);
  r->used = 0;
}

static void receive(atoll_queue* queue, Receiving open[kInFlight], int by_view, Totals* got) {
  for (int i = 0; i < kInFlight; ++i) {
    Receiving* r = &open[i];
    if (!r->used) {
      atoll_status status;
      if (by_view) {
        status = atoll_recv_view(queue, &r->view, &r->request, &why);
        r->bytes = r->view.bytes;
        r->from = r->view.from;
        r->tag = r->view.tag;
      } else {
        status = atoll_recv_deq(queue, &r->data, &r->bytes, &r->from, &r->tag, &r->request, &why);
      }
      must(status);
      if (status == ATOLL_RETRY) continue;
      r->used = 1;
    }
    if (atoll_request_done(&r->request)) finish(queue, r, by_view, got);
  }
}

int main(int argc, char** argv) {
  const int by_view = argc > 1 && strcmp(argv[1], "view") == 0;
  atoll_world* world;
  atoll_queue* queue;
  atoll_mailbox* counts;
  Totals expected = {0, 0, 0}, got = {0, 0, 0};
  const atoll_options options = {.plan = "{\"eager_bytes\": 2000, \"packets\": 64, \"timeout_seconds\": 60}"};
  must(atoll_open(&options, &world, &why));
  must(atoll_queue_open(world, NULL, &queue, &why));
  must(atoll_register_handler(world, sizeof(Totals), add, &expected, &counts, &why));
  const int rank = atoll_rank(world), size = atoll_size(world);

  /* Every rank learns what it will receive. */
  for (int i = 0; i < kMessages; ++i) {
    int to;
    size_t bytes;
    unsigned char* data = message(rank, i, size, &to, &bytes);
    const Totals one = {1, bytes, sum_of(data, bytes)};
    must(atoll_send(counts, to, &one, &why));
    free(data);
  }
  must(atoll_flush(counts, &why));

  static Sending sending[kInFlight];
  static Receiving receiving[kInFlight];
  for (int sent = 0, pending = 1; pending || sent < kMessages || got.messages < expected.messages;) {
    pending = 0;
    for (int i = 0; i < kInFlight; ++i) {
      Sending* s = &sending[i];
      if (atoll_request_done(&s->request) && sent < kMessages) {
        int to;
        size_t bytes;
        free(s->data);
        s->data = message(rank, sent, size, &to, &bytes);
        const atoll_status status =
            atoll_send_enq(queue, s->data, bytes, to, (uint32_t)(bytes % 1000), &s->request, &why);
        must(status);
        if (status == ATOLL_RETRY) break; /* receive first, which frees resources */
        ++sent;
      }
      pending |= !atoll_request_done(&s->request);
    }
    receive(queue, receiving, by_view, &got);
    must(atoll_progress(world, &why));
  }
  for (int i = 0; i < kInFlight; ++i) free(sending[i].data);

  int wrong = got.messages != expected.messages || got.bytes != expected.bytes || got.sum != expected.sum;
  Receiving more = {.used = 0};
  wrong |= atoll_recv_deq(queue, &more.data, &more.bytes, NULL, NULL, &more.request, &why) != ATOLL_RETRY ||
           why.reason != ATOLL_EMPTY;
  /* Wrong arguments give an error text and do not end the process. */
  wrong |= atoll_send_enq(queue, "x", 1, size, 0, &more.request, &why) != ATOLL_INPUT_ERROR ||
           strstr(why.text, "(ranks are 0 to ") == NULL;
  const atoll_options nonsense = {.plan = "{\"slot_bites\": 1}"};
  atoll_world* none;
  wrong |= atoll_open(&nonsense, &none, &why) != ATOLL_INPUT_ERROR || strstr(why.text, "slot_bites") == NULL || none;

  /* One line for all ranks: did every rank succeed? */
  Totals verdict = {0, 0, 0};
  atoll_mailbox* verdicts;
  must(atoll_register_handler(world, sizeof(Totals), add, &verdict, &verdicts, &why));
  const Totals mine = {got.messages, got.bytes, (uint64_t)wrong};
  for (int r = 0; r < size; ++r) must(atoll_send(verdicts, r, &mine, &why));
  must(atoll_flush(verdicts, &why));
  must(atoll_mailbox_close(verdicts, &why));
  must(atoll_mailbox_close(counts, &why));
  must(atoll_queue_close(queue, &why));
  must(atoll_close(world, &why));
  if (rank == 0)
    printf("%d ranks: %llu messages, %llu bytes, %s\n", size, (unsigned long long)verdict.messages,
           (unsigned long long)verdict.bytes, verdict.sum == 0 ? "all whole" : "WRONG");
  return verdict.sum == 0 && verdict.messages == (uint64_t)size * kMessages ? 0 : 1;
}
