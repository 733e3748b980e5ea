// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/base/timer.hpp>
#include <atoll/transport/ofi/libfabric.hpp>

// The fastest plain use of libfabric: the same provider and queue as the fabric's, receives posted again one by one,
// without lock and credits.
namespace atl::ofi {
namespace {

constexpr int kWindow = 64;
constexpr long kLooks = 1 << 20;  // empty polls before the clock is read
constexpr double kPatience_s = 30;

class Raw {
 public:
  Raw(const Domain& domain, Endpoint& endpoint, Rank rank, std::size_t bytes)
      : endpoint_(endpoint),
        peer_(endpoint[1 - rank]),
        bytes_(bytes),
        inject_(bytes <= domain.info->tx_attr->inject_size),
        receives_(kWindow * bytes),
        send_(bytes, std::byte{1}),
        registered_receives_(domain, endpoint.get(), receives_.data(), receives_.size(), FI_RECV, kReceiveKey),
        registered_send_(domain, endpoint.get(), send_.data(), send_.size(), FI_SEND, kSendKey) {
    for (std::size_t k = 0; k < kWindow; ++k) post(k);
  }
  ~Raw() {
    // Posted receives may be written until they are cancelled.
    for (fi_context2& context : receive_contexts_) fi_cancel(&endpoint_.get()->fid, &context);
    std::array<fi_cq_tagged_entry, 8> entries;
    fi_cq_err_entry error{};
    for (ssize_t n = 0; (n = fi_cq_read(endpoint_.queue(), entries.data(), entries.size())) != -FI_EAGAIN;)
      if (n == -FI_EAVAIL) fi_cq_readerr(endpoint_.queue(), &error, 0);
  }

  void send() {
    while (sending_ == kWindow) look();
    fi_context2* context = &send_contexts_[next_++ % kWindow];
    for (;;) {
      const ssize_t code =
          inject_ ? fi_inject(endpoint_.get(), send_.data(), bytes_, peer_)
                  : fi_send(endpoint_.get(), send_.data(), bytes_, registered_send_.descriptor(), peer_, context);
      if (code == 0) break;
      if (code != -FI_EAGAIN) call(code, "fi_send");
      look();
    }
    if (!inject_) ++sending_;
  }

  void receive(int messages) {
    for (wanted_ += messages; received_ < wanted_;) look();
  }
  void finish() {
    while (sending_ > 0) look();
  }

 private:
  static constexpr std::uint64_t kReceiveKey = std::uint64_t{1} << 30, kSendKey = kReceiveKey + 1;

  void look() {
    std::array<fi_cq_tagged_entry, 8> entries;
    const ssize_t n = fi_cq_read(endpoint_.queue(), entries.data(), entries.size());
    if (n == -FI_EAGAIN) {
      if (++idle_ % kLooks == 0 && since_.seconds() > kPatience_s)
        throw TransportError("the raw loop has waited 30 s for its peer (it is gone, or stuck). Look at its messages.");
      return;
    }
    call(n, "fi_cq_read");
    if (idle_ >= kLooks) since_.lap();
    idle_ = 0;
    for (ssize_t i = 0; i < n; ++i) {
      const auto* context = static_cast<fi_context2*>(entries[i].op_context);
      if (context >= send_contexts_.data() && context < send_contexts_.data() + kWindow) {
        --sending_;
      } else {
        post(static_cast<std::size_t>(context - receive_contexts_.data()));
        ++received_;
      }
    }
  }

  void post(std::size_t k) {
    call(fi_recv(endpoint_.get(), receives_.data() + k * bytes_, bytes_, registered_receives_.descriptor(),
                 FI_ADDR_UNSPEC, &receive_contexts_[k]),
         "fi_recv");
  }

  Endpoint& endpoint_;
  const fi_addr_t peer_;
  const std::size_t bytes_;
  const bool inject_;
  Array<std::byte> receives_, send_;
  Registered registered_receives_, registered_send_;
  std::array<fi_context2, kWindow> receive_contexts_{}, send_contexts_{};
  std::size_t next_ = 0;
  int sending_ = 0;
  long received_ = 0, wanted_ = 0;
  long idle_ = 0;
  Timer since_;
};

}  // namespace

double raw_latency(const Domain& domain, Endpoint& endpoint, Rank rank, std::size_t bytes, int iterations) {
  Raw raw(domain, endpoint, rank, bytes);
  auto round = [&] {
    if (rank == 0) raw.send();
    raw.receive(1);
    if (rank != 0) raw.send();
    raw.finish();
  };
  round();  // the first round connects
  const Timer timer;
  for (int i = 0; i < iterations; ++i) round();
  return timer.seconds() / iterations / 2;
}

double raw_rate(const Domain& domain, Endpoint& endpoint, Rank rank, std::size_t bytes, int messages) {
  Raw raw(domain, endpoint, rank, bytes);
  constexpr int kHalf = kWindow / 2;
  const int halves = std::max(2, messages / kHalf);
  if (rank == 0) raw.send();
  raw.receive(1);
  if (rank != 0) raw.send();
  // One acknowledgement per half window, of which one may be outstanding.
  const Timer timer;
  for (int h = 0; h < halves; ++h) {
    if (rank == 0) {
      for (int i = 0; i < kHalf; ++i) raw.send();
      if (h > 0) raw.receive(1);
    } else {
      raw.receive(kHalf);
      raw.send();
    }
  }
  if (rank == 0) raw.receive(1);
  raw.finish();
  return static_cast<double>(halves) * kHalf / timer.seconds();
}

}  // namespace atl::ofi
