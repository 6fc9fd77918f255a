/* SPDX-License-Identifier: Apache-2.0 */
/* about.c - writes what is true of the whole trace: clocks at its beginning, and an instant on a
 * track of its own at its end, whose args viewers show. */
#include "perfetto.h"

#define MOST_ORIGINALS (512u << 10) /* bytes: a trace of more tracks does not say what they were */

enum { CLOCK_UNIX = 1, CLOCK_TRACE = 6 }; /* REALTIME and BOOTTIME there */
enum { SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIME = 2 };

static void
put_clock (struct nprof_buf *to, guint64 id, guint64 ns)
{
  size_t from = wire_begin (to, SNAPSHOT_CLOCK);
  wire_uint (to, CLOCK_ID, id);
  wire_uint (to, CLOCK_TIME, ns);
  wire_end (to, from);
}

/* Timestamps are BOOTTIME, which readers assume; the snapshot says what time that was. */
void
perfetto_put_head (struct perfetto_sink *self)
{
  gint64 origin = self->host->run (self->host)->origin_unix_ns, unix_ns;
  struct nprof_buf *to = perfetto_begin_packet (self, SPLIT_EVERYWHERE);
  wire_uint (to, PACKET_FLAGS, 1);
  perfetto_end_packet (self);
  if (origin == NPROF_NO_EPOCH || __builtin_add_overflow (origin, self->zero, &unix_ns)
      || unix_ns < 0)
    return;
  to = perfetto_begin_packet (self, SPLIT_EVERYWHERE);
  size_t from = wire_begin (to, PACKET_CLOCK_SNAPSHOT);
  put_clock (to, CLOCK_TRACE, 0);
  put_clock (to, CLOCK_UNIX, (guint64) unix_ns);
  wire_uint (to, SNAPSHOT_PRIMARY, CLOCK_TRACE);
  wire_end (to, from);
  perfetto_end_packet (self);
}

/* -- About ----------------------------------------------------------------- */

/* Puts a member of the dict that is being put. */
static void
put_member (struct perfetto_sink *self, struct nprof_buf *to, const char *name, nprof_str text)
{
  struct nprof_cached_string made = nprof_string_cache_get (&self->texts, text);
  size_t from = wire_begin (to, ARG_MEMBER);
  wire_text (to, ARG_NAME, name);
  wire_bytes (to, ARG_STRING, made.text, made.len);
  wire_end (to, from);
}

static void
put_label (struct perfetto_sink *self, struct nprof_buf *to, const char *name, nprof_track track)
{
  const struct nprof_track_info *info = track ? self->host->track_info (self->host, track) : NULL;
  if (info)
    put_member (self, to, name, nprof_track_label (info));
}

void
perfetto_fact (struct perfetto_sink *self, const struct nprof_batch *b, guint i)
{
  const struct nprof_host *host = self->host;
  struct nprof_buf *to = &self->facts;
  const struct nprof_track_info *info = host->track_info (host, b->track[i]);
  size_t fact = wire_begin (to, ARG_ELEMENT);
  self->plain = TRUE;
  put_member (self, to, "input", host->input (host, b->input)->label);
  put_label (self, to, "process", info->process);
  put_label (self, to, "track", b->track[i]);
  put_member (self, to, "key", b->name[i]);
  for (guint k = 0; k < self->row_columns.n_unmapped; k++) {
    const struct nprof_field *field = self->row_columns.unmapped + k;
    if (field->type == NPROF_NULL || field->key != b->name[i])
      continue;
    size_t from = wire_begin (to, ARG_MEMBER);
    wire_text (to, ARG_NAME, "value");
    perfetto_put_value (self, to, field);
    wire_end (to, from);
  }
  if (b->category[i])
    put_member (self, to, "source", b->category[i]);
  wire_end (to, fact);
  self->plain = FALSE;
}

static void
put_uint (struct nprof_buf *to, const char *name, guint64 value)
{
  size_t from = wire_begin (to, ARG_MEMBER);
  wire_text (to, ARG_NAME, name);
  wire_uint (to, ARG_UINT, value);
  wire_end (to, from);
}

/* Says once what a track of the run is, its parents before it. */
static void
put_original (struct perfetto_sink *self, struct nprof_buf *to, nprof_track track)
{
  static const char *const kinds[] = { "input",  "host",  "process", "thread",  "device", "core",
                                       "engine", "queue", "async",   "counter", "derived" };
  const struct nprof_track_info *info = self->host->track_info (self->host, track);
  if (perfetto_track_at (self, track)->told || info->kind >= G_N_ELEMENTS (kinds))
    return;
  perfetto_track_at (self, track)->told = TRUE;
  if (!info->parent)
    return; /* the root of an input */
  put_original (self, to, info->parent);
  size_t element = wire_begin (to, ARG_ELEMENT);
  put_uint (to, "track", info->number);
  put_uint (to, "parent", self->host->track_info (self->host, info->parent)->number);
  put_member (self, to, "kind", nprof_intern (self->host, kinds[info->kind]));
  put_member (self, to, "key", info->key);
  put_member (self, to, "label", info->label);
  size_t sort = wire_begin (to, ARG_MEMBER);
  wire_text (to, ARG_NAME, "sort");
  wire_uint (to, ARG_INT, (guint64) info->sort);
  wire_end (to, sort);
  wire_end (to, element);
}

void
perfetto_original (struct perfetto_sink *self, guint32 uuid, nprof_track track)
{
  struct nprof_buf *to = &self->originals;
  if (to->len > MOST_ORIGINALS)
    return;
  self->plain = TRUE;
  put_original (self, to, track);
  size_t element = wire_begin (to, ARG_ELEMENT);
  put_uint (to, "uuid", uuid);
  put_uint (to, "is", self->host->track_info (self->host, track)->number);
  wire_end (to, element);
  self->plain = FALSE;
}

static void
put_inputs (struct perfetto_sink *self, struct nprof_buf *to)
{
  const struct nprof_host *host = self->host;
  const struct nprof_input_info *input;
  size_t from = perfetto_begin_arg (to, "inputs");
  for (guint k = 0; (input = host->input (host, k)); k++) {
    size_t element = wire_begin (to, ARG_ELEMENT);
    put_member (self, to, "input", input->label);
    if (input->decoder)
      put_member (self, to, "decoder", nprof_intern (host, input->decoder));
    size_t bytes = wire_begin (to, ARG_MEMBER);
    wire_text (to, ARG_NAME, "bytes");
    wire_uint (to, ARG_UINT, input->bytes);
    wire_end (to, bytes);
    wire_end (to, element);
  }
  wire_end (to, from);
}

static void
put_count (struct nprof_buf *to, const char *name, guint64 count)
{
  if (!count)
    return;
  size_t from = perfetto_begin_arg (to, name);
  wire_uint (to, ARG_UINT, count);
  wire_end (to, from);
}

void
perfetto_put_about (struct perfetto_sink *self)
{
  const struct nprof_run_info *run = self->host->run (self->host);
  guint32 track = perfetto_about_track (self);
  struct nprof_buf *to = perfetto_begin_event (self, SPLIT_EVERYWHERE, 0, TYPE_INSTANT, track);
  wire_text (to, EVENT_NAME, "nprof");
  size_t from = perfetto_begin_arg (to, "generator");
  wire_text (to, ARG_STRING, run->generator);
  wire_end (to, from);
  if (run->origin_unix_ns != NPROF_NO_EPOCH) {
    from = perfetto_begin_arg (to, "origin_unix_ns");
    wire_uint (to, ARG_INT, (guint64) run->origin_unix_ns);
    wire_end (to, from);
  }
  if (self->zero) {
    from = perfetto_begin_arg (to, "ts_0_ns");
    wire_uint (to, ARG_INT, (guint64) self->zero);
    wire_end (to, from);
  }
  put_count (to, "flow_ends_alone", self->flows.alone);
  put_count (to, "flow_ends_without_span", self->without_span);
  put_count (to, "flow_ends_without_phase", self->without_phase);
  put_inputs (self, to);
  if (self->facts.len) {
    from = perfetto_begin_arg (to, "facts");
    nprof_put (to, self->facts.data, self->facts.len);
    wire_end (to, from);
  }
  if (self->originals.len && self->originals.len <= MOST_ORIGINALS) {
    from = perfetto_begin_arg (to, "tracks");
    nprof_put (to, self->originals.data, self->originals.len);
    wire_end (to, from);
  }
  to->failed |= self->facts.failed || self->originals.failed;
  perfetto_end_event (self);
}
