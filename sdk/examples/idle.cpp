// SPDX-License-Identifier: Apache-2.0
// idle.cpp - example in C++17: an analyzer of the time in which a track has no span, with the
// longest gap of each track.  The contract is C; RAII and exceptions live inside of it.
//
// It shows: a class behind the instance's pointer, exceptions that become a status before they leave
// the component, order NPROF_ORDER_TRACK.

#include <nprof/sdk.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

const nprof_table_column columns_of_table[] = {
  { sizeof (nprof_table_column), NPROF_STRING, "input", "", "label of the input", NPROF_ROLE_KEY, 0 },
  { sizeof (nprof_table_column), NPROF_STRING, "thread", "", "label of the track", NPROF_ROLE_KEY, 0 },
  { sizeof (nprof_table_column), NPROF_INT64, "gaps", "", "how often it was idle", NPROF_ROLE_VALUE, 0 },
  { sizeof (nprof_table_column), NPROF_INT64, "idle_ns", "ps", "all gaps together", NPROF_ROLE_VALUE, 0 },
  { sizeof (nprof_table_column), NPROF_INT64, "longest_ns", "ps", "the longest gap", NPROF_ROLE_VALUE, 0 },
  { sizeof (nprof_table_column), NPROF_INT64, "longest_at_ns", "ps", "where it begins", NPROF_ROLE_VALUE, 0 },
};
const nprof_table_column *const columns[] = {
  &columns_of_table[0], &columns_of_table[1], &columns_of_table[2], &columns_of_table[3],
  &columns_of_table[4], &columns_of_table[5], nullptr,
};
const nprof_table table = { sizeof table, 0, "idle", "Idle time of tracks",
                            "From the first span of a track to its last; spans without an end are left out.",
                            columns };

// A status that a call of the host returned, on its way out.
struct Refused {
  nprof_status status;
};

void
check (nprof_status status)
{
  if (status != NPROF_OK)
    throw Refused{ status };
}

class Idle {
public:
  Idle (const nprof_host *host, int64_t least) : host_ (host), least_ (least)
  {
    check (host_->table (host_, &table));
  }

  // Rows come track by track, by start, so that one end is all there is to remember.
  void consume (const nprof_batch &batch)
  {
    for (uint32_t i = 0; i < batch.n_rows; i++)
      if (batch.kind[i] == NPROF_SPAN && batch.duration[i] >= 0)
        add (batch.input, batch.track[i], batch.start[i], batch.start[i] + batch.duration[i]);
  }

  void finish () const
  {
    for (const Track &track : tracks_)
      add_row (track);
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
    int64_t gap = start - track.end;
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

  void add_row (const Track &track) const
  {
    bool any = track.gaps > 0;
    const nprof_cell cells[] = {
      nprof_cell_str (host_->input (host_, track.input)->label),
      nprof_cell_str (nprof_track_label (host_->track_info (host_, track.track))),
      nprof_cell_int (track.gaps),
      nprof_cell_int (track.idle),
      any ? nprof_cell_int (track.longest) : nprof_cell_null (),
      any ? nprof_cell_int (track.longest_at) : nprof_cell_null (),
    };
    check (host_->row (host_, &table, cells));
  }

  const nprof_host *host_;
  int64_t least_;
  std::vector<Track> tracks_;
};

// -- What nprof calls: raw memory that points to the class ---------------------

struct Instance {
  const nprof_host *host;
  int64_t least_ns; // option
  Idle *idle;
};

// No exception leaves the component.
template <typename Work>
nprof_status
guard (Instance &instance, Work work) noexcept
{
  try {
    work ();
    return NPROF_OK;
  } catch (const Refused &refused) {
    return refused.status;
  } catch (const std::bad_alloc &) {
    return nprof_fail (instance.host, NPROF_E_NOMEM, "no memory for the tracks");
  } catch (const std::exception &e) {
    return nprof_fail (instance.host, NPROF_E_CONTRACT, "%s", e.what ());
  }
}

nprof_status
open (void *self, const nprof_host *host)
{
  auto &instance = *static_cast<Instance *> (self);
  instance.host = host;
  return guard (instance, [&] { instance.idle = new Idle (host, instance.least_ns * 1000); });
}

nprof_status
consume (void *self, const nprof_batch *batch)
{
  auto &instance = *static_cast<Instance *> (self);
  return guard (instance, [&] { instance.idle->consume (*batch); });
}

nprof_status
finish (void *self)
{
  auto &instance = *static_cast<Instance *> (self);
  return guard (instance, [&] { instance.idle->finish (); });
}

void
close (void *self)
{
  delete static_cast<Instance *> (self)->idle;
}

const nprof_option least = { sizeof least, NPROF_OPT_INT, "least", "the shortest gap that counts, in ns",
                             "1", "1..1000000000", offsetof (Instance, least_ns), 0 };
const nprof_option *const options[] = { &least, nullptr };
const nprof_table *const tables[] = { &table, nullptr };

nprof_component
make_component ()
{
  nprof_component c = {};
  c.size = sizeof c;
  c.kind = NPROF_ANALYZER;
  c.name = "idle";
  c.summary = "the time in which tracks have no span";
  c.options = options;
  c.tables = tables;
  c.order = NPROF_ORDER_TRACK;
  c.instance_size = sizeof (Instance);
  c.open = open;
  c.consume = consume;
  c.finish = finish;
  c.close = close;
  return c;
}

const nprof_component analyzer = make_component ();
const nprof_component *const components[] = { &analyzer, nullptr };
const nprof_plugin plugin = { sizeof plugin, NPROF_CONTRACT, "idle", "1.0", "Apache-2.0", "", components, 0, 0, nullptr };

} // namespace

extern "C" const nprof_plugin *
nprof_plugin_v1 (void)
{
  return &plugin;
}
