// SPDX-License-Identifier: Apache-2.0
// xplane-arena.cc - the peer: reads an XSpace with libprotobuf into an arena and looks at each
// event (and with "stats" at each of its stats), as tools on top of protobuf do.
// usage: xplane-arena FILE [stats]
#include "xplane.pb.h"

#include <fcntl.h>
#include <google/protobuf/arena.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using tensorflow::profiler::XEvent;
using tensorflow::profiler::XSpace;
using tensorflow::profiler::XStat;

struct Totals {
  uint64_t events = 0, stats = 0, duration_ps = 0, sum = 0;
};

static void
add_stats (const XEvent &event, Totals *totals)
{
  for (const XStat &stat : event.stats ()) {
    totals->stats++;
    switch (stat.value_case ()) {
    case XStat::kInt64Value:
      totals->sum += (uint64_t) stat.int64_value ();
      break;
    case XStat::kUint64Value:
      totals->sum += stat.uint64_value ();
      break;
    case XStat::kRefValue:
      totals->sum += stat.ref_value ();
      break;
    case XStat::kStrValue:
      totals->sum += stat.str_value ().size ();
      break;
    default:
      break;
    }
  }
}

static Totals
walk (const XSpace &space, bool with_stats)
{
  Totals totals;
  for (const auto &plane : space.planes ())
    for (const auto &line : plane.lines ())
      for (const XEvent &event : line.events ()) {
        totals.events++;
        totals.duration_ps += (uint64_t) event.duration_ps ();
        if (with_stats)
          add_stats (event, &totals);
      }
  return totals;
}

int
main (int argc, char **argv)
{
  if (argc < 2)
    return fprintf (stderr, "usage: xplane-arena FILE [stats]\n"), 1;
  int fd = open (argv[1], O_RDONLY);
  struct stat info;
  if (fd < 0 || fstat (fd, &info) != 0)
    return perror (argv[1]), 1;
  void *data = mmap (nullptr, (size_t) info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return perror (argv[1]), 1;

  // Large blocks: the fastest setting of the arena that was found.
  google::protobuf::ArenaOptions options;
  options.start_block_size = 1 << 20;
  options.max_block_size = 64 << 20;
  google::protobuf::Arena arena (options);
  auto *space = google::protobuf::Arena::CreateMessage<XSpace> (&arena);
  if (!space->ParseFromArray (data, (int) info.st_size))
    return fprintf (stderr, "%s: libprotobuf does not read it\n", argv[1]), 1;
  Totals totals = walk (*space, argc > 2 && strcmp (argv[2], "stats") == 0);
  printf ("%" PRIu64 " events, %" PRIu64 " stats, %" PRIu64 " ps, %" PRIu64 "\n", totals.events,
          totals.stats, totals.duration_ps, totals.sum);
  return 0;
}
