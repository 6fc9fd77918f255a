/* SPDX-License-Identifier: Apache-2.0 */
/* xplane-count.c - counts what is in XSpace files, straight from the wire format and with no
 * line of the decoder, so that the two can be held against each other.  One line a file:
 * file, planes, lines, events, stats of events, sum of durations, first start, last end (ps,
 * as the file counts; aggregated events have no times). */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  const unsigned char *at;
  size_t left;
} In;

typedef struct {
  uint32_t number, type;
  uint64_t value;
  In in;
} Field;

typedef struct {
  uint64_t planes, lines, events, stats;
  __int128 durations, first, last;
  bool any;
} Count;

static bool
number (In *in, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; in->left && shift <= 63; shift += 7) {
    unsigned byte = *in->at++;
    in->left--;
    *value |= (uint64_t) (byte & 127) << shift;
    if (byte < 128)
      return true;
  }
  return false;
}

static bool
next (In *in, Field *f)
{
  uint64_t tag;
  if (!number (in, &tag))
    return false;
  f->number = (uint32_t) (tag >> 3);
  f->type = tag & 7;
  uint64_t skip = f->type == 1 ? 8 : f->type == 5 ? 4 : 0;
  if ((f->type == 0 || f->type == 2) && !number (in, &f->value))
    return false;
  if (f->type == 2)
    skip = f->value;
  else if (f->type == 3 || f->type == 4 || f->type > 5)
    return false;
  if (skip > in->left)
    return false;
  f->in = (In){ in->at, skip };
  in->at += skip;
  in->left -= skip;
  return true;
}

static bool
event (In in, __int128 base, Count *c)
{
  Field f;
  int64_t offset = 0, duration = 0;
  bool aggregated = false;
  c->events++;
  while (in.left) {
    if (!next (&in, &f))
      return false;
    if (f.number == 2 && f.type == 0) {
      offset = (int64_t) f.value;
      aggregated = false;
    } else if (f.number == 3 && f.type == 0)
      duration = (int64_t) f.value;
    else if (f.number == 4 && f.type == 2)
      c->stats++;
    else if (f.number == 5 && f.type == 0)
      aggregated = true;
  }
  c->durations += duration;
  if (aggregated)
    return true;
  __int128 start = base + offset, end = start + duration;
  if (!c->any || start < c->first)
    c->first = start;
  if (!c->any || end > c->last)
    c->last = end;
  c->any = true;
  return true;
}

static bool
line (In in, Count *c)
{
  Field f;
  int64_t timestamp = 0;
  c->lines++;
  for (In look = in; look.left;) { /* it may come behind the events */
    if (!next (&look, &f))
      return false;
    if (f.number == 3 && f.type == 0)
      timestamp = (int64_t) f.value;
  }
  while (in.left)
    if (!next (&in, &f)
        || (f.number == 4 && f.type == 2 && !event (f.in, (__int128) timestamp * 1000, c)))
      return false;
  return true;
}

static bool
plane (In in, Count *c)
{
  Field f;
  c->planes++;
  while (in.left)
    if (!next (&in, &f) || (f.number == 3 && f.type == 2 && !line (f.in, c)))
      return false;
  return true;
}

static bool
space (In in, Count *c)
{
  Field f;
  while (in.left)
    if (!next (&in, &f) || (f.number == 1 && f.type == 2 && !plane (f.in, c)))
      return false;
  return true;
}

static unsigned char *
load (const char *path, size_t *len)
{
  FILE *file = fopen (path, "rb");
  size_t room = 1 << 16, n;
  unsigned char *data = malloc (room);
  *len = 0;
  while (file && data && (n = fread (data + *len, 1, room - *len, file)) > 0)
    if ((*len += n) == room)
      data = realloc (data, room *= 2);
  if (file)
    fclose (file);
  else {
    free (data);
    data = NULL;
  }
  return data;
}

int
main (int argc, char **argv)
{
  int status = EXIT_SUCCESS;
  puts ("file\tn_planes\tn_lines\tn_events\tn_stats\tsum_duration_ps\tmin_start_ps\tmax_end_ps");
  for (int i = 1; i < argc; i++) {
    size_t len;
    Count c = { 0 };
    unsigned char *data = load (argv[i], &len);
    if (!data || !space ((In){ data, len }, &c)) {
      fprintf (stderr, "%s: cannot be read\n", argv[i]);
      status = EXIT_FAILURE;
    } else
      printf ("%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRId64
              "\t%" PRId64 "\n",
              argv[i], c.planes, c.lines, c.events, c.stats, (int64_t) c.durations,
              (int64_t) c.first, (int64_t) c.last);
    free (data);
  }
  return status;
}
