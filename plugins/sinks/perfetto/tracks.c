/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - describes the tracks of the trace: a process for each process or device, a thread for
 * each track of it, a further track of the same name for each lane that overlapping spans need, and
 * one for each counter.  Numbers are given from 1 and mean nothing. */
#include "perfetto.h"

enum { /* of TrackDescriptor, and of what it holds */
  TRACK_UUID = 1,
  TRACK_NAME = 2,
  TRACK_PROCESS = 3,
  TRACK_THREAD = 4,
  TRACK_PARENT = 5,
  TRACK_COUNTER = 8,
  TRACK_ORDERING = 11, /* of those below: 3 by rank */
  TRACK_RANK = 12,
  PROCESS_PID = 1,
  PROCESS_NAME = 6,
  THREAD_PID = 1,
  THREAD_TID = 2,
  THREAD_NAME = 5,
  COUNTER_UNIT = 6
};

struct description {
  guint32 uuid, parent;
  nprof_str label;
  const char *suffix; /* behind the label; NULL: none */
  gint64 sort;
};

struct perfetto_track *
perfetto_track_at (struct perfetto_sink *self, nprof_track handle)
{
  if (handle >= self->tracks->len)
    g_array_set_size (self->tracks, MAX (handle + 1, 2 * self->tracks->len));
  return &g_array_index (self->tracks, struct perfetto_track, handle);
}

static void
put_label (struct perfetto_sink *self, struct nprof_buf *to, guint field,
           const struct description *d)
{
  struct nprof_cached_string made = nprof_string_cache_get (&self->texts, d->label);
  size_t from = wire_begin (to, field);
  if (made.len)
    nprof_put (to, made.text, made.len);
  else
    nprof_put_text (to, "(no name)");
  nprof_put_text (to, d->suffix ? d->suffix : "");
  wire_end (to, from);
}

/* Begins a packet that describes a track; *descriptor is for end_description. */
static struct nprof_buf *
begin_description (struct perfetto_sink *self, const struct description *d, gsize *descriptor)
{
  struct nprof_buf *to = perfetto_begin_packet (self, SPLIT_EVERYWHERE);
  *descriptor = wire_begin (to, PACKET_DESCRIPTOR);
  wire_uint (to, TRACK_UUID, d->uuid);
  if (d->parent)
    wire_uint (to, TRACK_PARENT, d->parent);
  wire_uint (to, TRACK_RANK, (guint64) CLAMP (d->sort, G_MININT32, G_MAXINT32));
  return to;
}

static void
end_description (struct perfetto_sink *self, gsize descriptor)
{
  wire_end (&self->waiting, descriptor);
  perfetto_end_packet (self);
}

static void
describe_process (struct perfetto_sink *self, const struct description *d)
{
  gsize descriptor;
  struct nprof_buf *to = begin_description (self, d, &descriptor);
  size_t process = wire_begin (to, TRACK_PROCESS);
  wire_uint (to, PROCESS_PID, d->uuid);
  put_label (self, to, PROCESS_NAME, d);
  wire_end (to, process);
  wire_uint (to, TRACK_ORDERING, 3);
  end_description (self, descriptor);
}

static void
describe_thread (struct perfetto_sink *self, const struct description *d)
{
  gsize descriptor;
  struct nprof_buf *to = begin_description (self, d, &descriptor);
  size_t thread = wire_begin (to, TRACK_THREAD);
  wire_uint (to, THREAD_PID, d->parent);
  wire_uint (to, THREAD_TID, d->uuid);
  put_label (self, to, THREAD_NAME, d);
  wire_end (to, thread);
  end_description (self, descriptor);
}

static void
describe_plain (struct perfetto_sink *self, const struct description *d)
{
  gsize descriptor;
  struct nprof_buf *to = begin_description (self, d, &descriptor);
  put_label (self, to, TRACK_NAME, d);
  end_description (self, descriptor);
}

/* Returns the process of a track, described when it is new. */
static guint32
find_process (struct perfetto_sink *self, const struct nprof_track_info *info)
{
  const struct nprof_host *host = self->host;
  const struct nprof_input_info *input = host->input (host, info->input);
  nprof_track owner = info->process ? info->process : input->root;
  if (perfetto_track_at (self, owner)->process)
    return perfetto_track_at (self, owner)->process;
  const struct nprof_track_info *of = host->track_info (host, owner);
  g_autofree char *suffix = NULL;
  if (host->run (host)->n_inputs > 1 && owner != input->root)
    suffix = g_strdup_printf (" (%s)", nprof_text (host, input->label));
  guint32 uuid = ++self->last_number;
  perfetto_track_at (self, owner)->process = uuid;
  describe_process (self, &(struct description){ .uuid = uuid,
                                                 .label = nprof_track_label (of),
                                                 .suffix = suffix,
                                                 .sort = of->sort });
  return uuid;
}

void
perfetto_enter_track (struct perfetto_sink *self, nprof_track track, gint64 start)
{
  /* Rows that an analyzer adds to a track come as a second pass from its beginning. */
  if (track == self->track && start >= self->last_start) {
    self->last_start = start;
    return;
  }
  lanes_close_all (&self->lanes);
  g_array_set_size (self->lane_tracks, 0);
  const struct nprof_track_info *info = self->host->track_info (self->host, track);
  self->track = track;
  self->track_kind = info->kind;
  self->last_start = start;
  self->process = find_process (self, info);
}

/* Describes one more lane of the track; viewers draw lanes of one name below one parent as one. */
static guint32
next_lane (struct perfetto_sink *self)
{
  const struct nprof_track_info *info = self->host->track_info (self->host, self->track);
  struct perfetto_track *track = perfetto_track_at (self, self->track);
  const struct description d = { .uuid = ++self->last_number,
                                 .parent = self->process,
                                 .label = nprof_track_label (info),
                                 .sort = info->sort };
  if (track->lanes++ || self->track_kind == NPROF_TRACK_ASYNC)
    describe_plain (self, &d);
  else
    describe_thread (self, &d);
  perfetto_original (self, d.uuid, self->track);
  return d.uuid;
}

guint32
perfetto_lane_track (struct perfetto_sink *self, guint lane)
{
  while (self->lane_tracks->len <= lane) {
    guint32 uuid = next_lane (self);
    g_array_append_val (self->lane_tracks, uuid);
  }
  return g_array_index (self->lane_tracks, guint32, lane);
}

static guint64 *
key_of (guint32 a, guint32 b)
{
  guint64 key = (guint64) a << 32 | b;
  return g_memdup2 (&key, sizeof key);
}

/* Returns whether another track of the process has a counter of this name. */
static gboolean
is_second (struct perfetto_sink *self, nprof_str name)
{
  guint64 key = (guint64) self->process << 32 | name;
  gpointer first = g_hash_table_lookup (self->counter_names, &key);
  if (!first)
    g_hash_table_insert (self->counter_names, key_of (self->process, name),
                         GUINT_TO_POINTER (self->track));
  return first && first != GUINT_TO_POINTER (self->track);
}

guint32
perfetto_counter_track (struct perfetto_sink *self, nprof_str name, nprof_str unit)
{
  guint64 key = (guint64) self->track << 32 | name;
  guint32 known = GPOINTER_TO_UINT (g_hash_table_lookup (self->counters, &key));
  if (known)
    return known;
  const struct nprof_track_info *info = self->host->track_info (self->host, self->track);
  g_autofree char *suffix = NULL;
  if (is_second (self, name))
    suffix = g_strdup_printf (" (%s)", nprof_text (self->host, nprof_track_label (info)));
  const struct description d = { .uuid = ++self->last_number,
                                 .parent = self->process,
                                 .label = name,
                                 .suffix = suffix,
                                 .sort = info->sort };
  gsize descriptor;
  struct nprof_buf *to = begin_description (self, &d, &descriptor);
  put_label (self, to, TRACK_NAME, &d);
  size_t counter = wire_begin (to, TRACK_COUNTER);
  if (unit) {
    struct nprof_cached_string made = nprof_string_cache_get (&self->texts, unit);
    wire_bytes (to, COUNTER_UNIT, made.text, made.len);
  }
  wire_end (to, counter);
  end_description (self, descriptor);
  g_hash_table_insert (self->counters, key_of (self->track, name), GUINT_TO_POINTER (d.uuid));
  perfetto_original (self, d.uuid, self->track);
  return d.uuid;
}

guint32
perfetto_about_track (struct perfetto_sink *self)
{
  const struct description d
      = { .uuid = ++self->last_number, .label = nprof_intern (self->host, "nprof") };
  describe_plain (self, &d);
  return d.uuid;
}
