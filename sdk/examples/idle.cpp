// SPDX-License-Identifier: Apache-2.0
// idle.cpp - example in C++17: an analyzer of the time in which a track has no span, with the longest gap of each track.
#include <nprof/plugin.hpp>

#include <algorithm>

namespace {

constexpr nprof::Table table ("idle", "Idle time of tracks",
                              "From the first span of a track to its last; spans without an end are left out.",
                              { nprof::column (NPROF_STRING, "thread", "", "label of the track", NPROF_ROLE_KEY),
                                nprof::column (NPROF_INT64, "gaps", "", "how often it was idle"),
                                nprof::column (NPROF_INT64, "idle_ns", "ps", "all gaps together"),
                                nprof::column (NPROF_INT64, "longest_ns", "ps", "the longest gap"),
                                nprof::column (NPROF_INT64, "longest_at_ns", "ps", "where it begins") });

class Idle {
public:
  struct Options { int64_t least; }; // ps

  Idle (nprof::Host host, const Options &options) : host_ (host), least_ (options.least) { host.table (table); }

  // Rows come track by track, by start, so that one track is all there is to remember.
  void consume (const nprof::Rows &rows)
  {
    for (const nprof::Row row : rows) {
      if (row.kind != NPROF_SPAN || !row.duration)
        continue;
      if (row.track != now_.track) {
        finish ();
        now_ = Track{ row.track, row.start, 0, 0, {}, {} };
      }
      const int64_t gap = row.start - now_.end;
      if (gap >= least_) {
        now_.gaps++;
        now_.idle += gap;
        if (gap > now_.longest) { // also where none is known yet
          now_.longest = gap;
          now_.longest_at = now_.end;
        }
      }
      now_.end = std::max (now_.end, row.start + *row.duration);
    }
  }

  void finish () const
  {
    if (now_.track)
      host_.row (table, now_.track,
                 { nprof_cell_str (host_.track_label (now_.track)), nprof_cell_int (now_.gaps),
                   nprof_cell_int (now_.idle), nprof::cell (now_.longest), nprof::cell (now_.longest_at) });
  }

private:
  struct Track {
    nprof_track track;
    int64_t end, gaps, idle; // end of the spans so far
    std::optional<int64_t> longest, longest_at;
  };

  nprof::Host host_;
  int64_t least_;
  Track now_{};
};

const nprof_option least = nprof::option<Idle> (NPROF_OPT_DURATION, offsetof (Idle::Options, least), "least", "1ns",
                                                "1ns..1s", "the shortest gap that counts");
const nprof_option *const options[] = { &least, nullptr };

const nprof_component analyzer = nprof::analyzer<Idle> ("idle", "the time in which tracks have no span", table,
                                                        NPROF_ORDER_TRACK, options);

} // namespace

NPROF_PLUGIN ("idle", "1.0", "Apache-2.0", &analyzer)
