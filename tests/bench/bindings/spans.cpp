// SPDX-License-Identifier: Apache-2.0
// spans.cpp - the decoder of spans.c by nprof/plugin.hpp.

#include <nprof/plugin.hpp>

#include <cstring>

namespace {

class Spans {
public:
  explicit Spans (nprof::Host host) : host_ (host) {}

  static int probe (std::string_view head)
  {
    return head.substr (0, 8) == std::string_view ("spans\0\0\0", 8) ? 90 : 0;
  }

  void decode (std::string_view data)
  {
    if (!probe (data))
      host_.fail (NPROF_E_FORMAT, "byte 0: expected `spans`");
    nprof::Writer writer = host_.writer ();
    const nprof_str name = host_.intern ("span");
    const nprof_track track = host_.track (0, NPROF_TRACK_THREAD, "lane");
    uint64_t told = 0;
    int64_t start = 0;
    for (uint64_t at = 8; data.size () - at >= 4; at += 4) {
      uint16_t span[2];
      std::memcpy (span, data.data () + at, sizeof span);
      start += span[0] * INT64_C (1000);
      writer.span (track, name, start, span[1] * INT64_C (1000));
      if (at - told >= 1 << 20) {
        host_.progress (told, at);
        told = at;
      }
    }
    host_.progress (told, data.size ());
  }

private:
  nprof::Host host_;
};

const nprof_component decoder
    = nprof::decoder<Spans> ("bench.spans-cpp", "two numbers a span", "spans");

} // namespace

NPROF_PLUGIN ("spans-cpp", "1", "Apache-2.0", &decoder)
