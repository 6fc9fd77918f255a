// SPDX-License-Identifier: Apache-2.0
// idle.cpp - example in C++17: an analyzer of the time in which a track has no span, with the longest gap of each track.
#include <nprof/plugin.hpp>

#include <algorithm>
#include <vector>

namespace {

constexpr nprof_table_column columns_of_table[] = {
  nprof::input_column,
  nprof::column (NPROF_STRING, "thread", "", "label of the track", NPROF_ROLE_KEY),
  nprof::column (NPROF_INT64, "gaps", "", "how often it was idle"),
  nprof::column (NPROF_INT64, "idle_ns", "ps", "all gaps together"),
  nprof::column (NPROF_INT64, "longest_ns", "ps", "the longest gap"),
  nprof::column (NPROF_INT64, "longest_at_ns", "ps", "where it begins"),
};
constexpr const nprof_table_column *columns[] = {
  &columns_of_table[0], &columns_of_table[1], &columns_of_table[2], &columns_of_table[3],
  &columns_of_table[4], &columns_of_table[5], nullptr,
};
constexpr nprof_table table = { sizeof table, 0, "idle", "Idle time of tracks",
                                "From the first span of a track to its last; spans without an end are left out.", columns };
constexpr const nprof_table *tables[] = { &table, nullptr };

class Idle {
public:
  struct Options {
    int64_t least_ns;
  };

  Idle (nprof::Host host, const Options &options) : host_ (host), least_ (options.least_ns * 1000) { host_.table (table); }

  // Rows come track by track, by start, so that one end is all there is to remember.
  void consume (const nprof::Rows &rows)
  {
    for (const nprof::Row row : rows)
      if (row.kind == NPROF_SPAN && row.duration)
        add (rows.batch.input, row.track, row.start, row.start + *row.duration);
  }

  void finish () const
  {
    for (const Track &track : tracks_) {
      const bool any = track.gaps > 0;
      host_.row (table, { nprof_cell_str (host_.input_label (track.input)), nprof_cell_str (host_.track_label (track.track)),
                          nprof_cell_int (track.gaps), nprof_cell_int (track.idle),
                          any ? nprof_cell_int (track.longest) : nprof_cell_null (),
                          any ? nprof_cell_int (track.longest_at) : nprof_cell_null () });
    }
  }

private:
  struct Track {
    uint32_t input;
    nprof_track track;
    int64_t end; // of the spans so far
    int64_t gaps = 0, idle = 0, longest = 0, longest_at = 0;
  };

  void add (uint32_t input, nprof_track number, int64_t start, int64_t end)
  {
    if (tracks_.empty () || tracks_.back ().track != number) {
      tracks_.push_back ({ input, number, end });
      return;
    }
    Track &track = tracks_.back ();
    const int64_t gap = start - track.end;
    if (gap >= least_) {
      track.gaps++;
      track.idle += gap;
      if (gap > track.longest) {
        track.longest = gap;
        track.longest_at = track.end;
      }
    }
    track.end = std::max (track.end, end);
  }

  nprof::Host host_;
  int64_t least_;
  std::vector<Track> tracks_;
};

const nprof_option least = nprof::option<Idle> (NPROF_OPT_INT, offsetof (Idle::Options, least_ns), "least", "1",
                                                "1..1000000000", "the shortest gap that counts, in ns");
const nprof_option *const options[] = { &least, nullptr };

nprof_component
made ()
{
  nprof_component c
      = nprof::analyzer<Idle> ("idle", "the time in which tracks have no span", tables, NPROF_ORDER_TRACK);
  c.options = options;
  return c;
}

const nprof_component analyzer = made ();

} // namespace

NPROF_PLUGIN ("idle", "1.0", "Apache-2.0", &analyzer)
