/* SPDX-License-Identifier: Apache-2.0 */
/* line.c - reads a line: an object with header, metadata, and coll_perf or p2p_perf. */
#include "inspector.h"
#include "json/text.h"

#include <math.h>
#include <string.h>

typedef struct {
  Inspector *self;
  TeScan scan;
  NiLine *line;
} Reader;

typedef void Take (Reader *r, const TeValue *key, const TeValue *value);

/* Reads the members of an object; false: they cannot be read. */
static bool
each (Reader *r, const TeValue *object, Take *take)
{
  TeValue key, value;
  for (const char *p = object->p + 1; (p = te_member (&r->scan, p, &key, &value));)
    take (r, &key, &value);
  return !r->scan.why;
}

static gint64
whole (const TeValue *value)
{
  int64_t i;
  return te_whole (value, &i) && i >= 0 ? i : UNKNOWN;
}

/* -- The parts ------------------------------------------------------------- */

static void
take_header (Reader *r, const TeValue *key, const TeValue *value)
{
  NiLine *l = r->line;
  if (te_text_is (key, "id"))
    l->id = te_str (r->self->host, value);
  else if (te_text_is (key, "comm_name"))
    l->name = te_str (r->self->host, value);
  else if (te_text_is (key, "rank"))
    l->rank = whole (value);
  else if (te_text_is (key, "n_ranks"))
    l->n_ranks = whole (value);
}

static void
take_metadata (Reader *r, const TeValue *key, const TeValue *value)
{
  NiLine *l = r->line;
  if (te_text_is (key, "hostname"))
    l->host = te_str (r->self->host, value);
  else if (te_text_is (key, "pid"))
    l->pid = whole (value);
  else if (te_text_is (key, "dump_timestamp_us"))
    l->written = whole (value);
}

/* A collective lasts from its first kernel's start to the last one's end. */
static void
take_kernel (Reader *r, const TeValue *key, const TeValue *value)
{
  NiLine *l = r->line;
  const gint64 us = whole (value);
  if (us == UNKNOWN || us == 0)
    return;
  if (te_text_is (key, "kernel_start_ts"))
    l->start = l->start == UNKNOWN ? us : MIN (l->start, us);
  else if (te_text_is (key, "kernel_stop_ts"))
    l->stop = MAX (l->stop, us);
}

static void
take_times (Reader *r, const TeValue *key, const TeValue *value)
{
  TeValue kernel;
  if (!te_text_is (key, "kernel_events"))
    return;
  for (const char *p = te_inside (value); (p = te_item (&r->scan, p, value, &kernel));)
    if (kernel.kind == TE_OBJECT && !each (r, &kernel, take_kernel))
      return;
}

static double
number (const TeValue *value)
{
  char text[64], *end;
  if ((value->kind != TE_INT && value->kind != TE_WORD) || value->len >= sizeof text)
    return NAN;
  memcpy (text, value->p, value->len);
  text[value->len] = '\0';
  const double x = g_ascii_strtod (text, &end);
  return *end || !isfinite (x) || x < 0 ? NAN : x;
}

/* Members of both kinds are named alike behind coll_ and p2p_. */
static void
take_perf (Reader *r, const TeValue *key, const TeValue *value)
{
  NiLine *l = r->line;
  const size_t skip = key->kind == TE_TEXT && key->len > 5 && !memcmp (key->p, "coll_", 5)  ? 5
                      : key->kind == TE_TEXT && key->len > 4 && !memcmp (key->p, "p2p_", 4) ? 4
                                                                                            : 0;
  TeValue name = *key;
  name.p += skip;
  name.len -= skip;
  if (te_text_is (key, "coll") || te_text_is (key, "p2p"))
    l->collective = te_str (r->self->host, value);
  else if (te_text_is (key, "event_trace_ts") && value->kind == TE_OBJECT)
    each (r, value, take_times);
  else if (!skip)
    return;
  else if (te_text_is (&name, "sn"))
    l->sequence = whole (value);
  else if (te_text_is (&name, "peer"))
    l->peer = whole (value);
  else if (te_text_is (&name, "msg_size_bytes"))
    l->bytes = whole (value);
  else if (te_text_is (&name, "exec_time_us"))
    l->us = whole (value);
  else if (te_text_is (&name, "timing_source"))
    l->timing = te_str (r->self->host, value);
  else if (te_text_is (&name, "algobw_gbs"))
    l->algbw = number (value);
  else if (te_text_is (&name, "busbw_gbs"))
    l->busbw = number (value);
}

static void
take_part (Reader *r, const TeValue *key, const TeValue *value)
{
  static const struct {
    const char *name;
    Take *take;
  } parts[] = { { "header", take_header },
                { "metadata", take_metadata },
                { "coll_perf", take_perf },
                { "p2p_perf", take_perf } };
  for (gsize i = 0; i < G_N_ELEMENTS (parts) && value->kind == TE_OBJECT; i++)
    if (te_text_is (key, parts[i].name))
      each (r, value, parts[i].take);
}

/* -- The line -------------------------------------------------------------- */

static const char *
missing (const NiLine *l)
{
  if (!l->id || l->rank == UNKNOWN || l->n_ranks == UNKNOWN)
    return "its header has no id, rank and n_ranks";
  if (!l->collective)
    return "it has neither coll_perf with coll nor p2p_perf with p2p";
  return NULL;
}

const char *
ni_read (Inspector *self, const char *text, size_t len, NiLine *line, const char **at)
{
  Reader r = { self, { .with = te_scanner (), .end = text + len }, line };
  TeValue object;
  *line = (NiLine){ .at = text,
                    .rank = UNKNOWN,
                    .n_ranks = UNKNOWN,
                    .pid = UNKNOWN,
                    .written = UNKNOWN,
                    .sequence = UNKNOWN,
                    .peer = UNKNOWN,
                    .bytes = UNKNOWN,
                    .us = UNKNOWN,
                    .algbw = NAN,
                    .busbw = NAN,
                    .start = UNKNOWN,
                    .stop = UNKNOWN };
  const char *behind = r.scan.with->value (&r.scan, te_space (text, r.scan.end), &object);
  *at = text;
  if (behind && object.kind != TE_OBJECT)
    return "it is no object";
  if (!behind || !each (&r, &object, take_part)) {
    *at = r.scan.bad;
    return r.scan.why;
  }
  return missing (line);
}
