/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - writes rows as events.  Times are ns from the start of the run, each end rounded down by
 * itself, so that spans that were apart or nested stay so. */
#include "chrome.h"

#include "trace-out/place.h"

/* These are colours (of chrome://tracing) for categories that everybody wants to tell from
 * operators; all others are coloured by name. */
static const struct {
  const char *category, *colour;
} colours[] = {
  { "gpu_memcpy", "rail_load" },
  { "memcpy", "rail_load" },
  { "data transfer", "rail_load" },
  { "gpu_memset", "rail_idle" },
  { "memset", "rail_idle" },
  { "communication", "thread_state_iowait" },
  { "collective_comm", "thread_state_iowait" },
  { "overhead", "bad" },
};

void
chrome_make_cat (const void *user G_GNUC_UNUSED, struct nprof_buf *to, const char *text, size_t len)
{
  nprof_put_text (to, ",\"cat\":");
  nprof_put_json_string (to, text, len, NPROF_JSON_VIEWER);
  for (guint k = 0; k < G_N_ELEMENTS (colours); k++)
    if (strlen (colours[k].category) == len && !memcmp (colours[k].category, text, len)) {
      nprof_put_text (to, ",\"cname\":\"");
      nprof_put_text (to, colours[k].colour);
      nprof_put_char (to, '"');
    }
}

void
chrome_begin (struct chrome_sink *self, char phase, guint32 pid, guint32 tid, gint64 at)
{
  struct nprof_buf *to = &self->out.buf;
  if (self->split.limit)
    split_begin (&self->split, to, at);
  else
    nprof_put_text (to, self->events ? ",\n" : "\n");
  self->events++;
  nprof_put_text (to, "{\"ph\":\"");
  nprof_put_char (to, phase);
  nprof_put_text (to, "\",\"pid\":");
  nprof_put_u64 (to, pid);
  if (tid) {
    nprof_put_text (to, ",\"tid\":");
    nprof_put_u64 (to, tid);
  }
}

/* Puts ns as us with 3 decimals: every reader's double holds them exactly up to 2^53 ns. */
void
chrome_put_ts (struct nprof_buf *to, const char *key, gint64 ns)
{
  guint64 u = ns < 0 ? 0 - (guint64) ns : (guint64) ns;
  char decimals[4]
      = { '.', (char) ('0' + u / 100 % 10), (char) ('0' + u / 10 % 10), (char) ('0' + u % 10) };
  nprof_put_text (to, key);
  if (ns < 0)
    nprof_put_char (to, '-');
  nprof_put_u64 (to, u / 1000);
  nprof_put (to, decimals, sizeof decimals);
}

void
chrome_put_str (struct chrome_sink *self, struct nprof_buf *to, const char *key, nprof_str str)
{
  struct nprof_cached_string made = nprof_string_cache_get (&self->inside, str);
  nprof_put_text (to, key);
  nprof_put (to, made.text, made.len);
  nprof_put_char (to, '"');
}

static void
put_category (struct chrome_sink *self, nprof_str category)
{
  if (!category)
    return;
  struct nprof_cached_string made = nprof_string_cache_get (&self->cats, category);
  nprof_put (&self->out.buf, made.text, made.len);
}

static void
put_number (struct chrome_args *args, const char *key, const guint64 *column, guint i)
{
  if (!column || !column[i])
    return;
  chrome_args_key (args, key);
  nprof_put_json_u64 (args->to, column[i], NPROF_JSON_VIEWER);
}

/* Puts the rest of an event: args, and its end. */
static void
put_args (struct chrome_sink *self, const struct nprof_batch *b, guint i, const struct place *p)
{
  struct chrome_args args = { .to = &self->out.buf, .name = "args" };
  gboolean lasts = b->kind[i] == NPROF_SPAN || b->kind[i] == NPROF_GAP;
  if (p->start % 1000 || p->end % 1000) {
    chrome_args_key (&args, "start_ps");
    nprof_put_json_i64 (args.to, p->start, NPROF_JSON_VIEWER);
  }
  if (lasts && b->duration[i] >= 0
      && (p->start % 1000 || p->end % 1000 || (b->kind[i] == NPROF_GAP && b->duration[i]))) {
    chrome_args_key (&args, "duration_ps");
    nprof_put_json_i64 (args.to, b->duration[i], NPROF_JSON_VIEWER);
  }
  put_number (&args, "id", b->id, i);
  put_number (&args, "parent", b->parent, i);
  put_number (&args, "flow", b->flow, i);
  if (nprof_has_value (b, i)) {
    chrome_args_key (&args, "value");
    nprof_put_json_double (args.to, b->value[i]);
  }
  chrome_put_attributes (self, &args);
  chrome_args_end (&args);
  nprof_put_char (&self->out.buf, '}');
}

/* -- Spans ----------------------------------------------------------------- */

static void
put_async_id (struct chrome_sink *self, guint32 id)
{
  nprof_put_text (&self->out.buf, ",\"id2\":{\"local\":\"");
  nprof_put_u64 (&self->out.buf, id);
  nprof_put_text (&self->out.buf, "\"}");
}

/* Puts an async event; the category is part of its key, so it is written when empty, too. */
static void
put_async (struct chrome_sink *self, char phase, guint32 id, gint64 at, gint64 begun,
           nprof_str name, nprof_str cat)
{
  struct nprof_buf *to = &self->out.buf;
  guint32 tid = chrome_first_thread (self);
  chrome_begin (self, phase, self->pid, tid, begun);
  put_async_id (self, id);
  chrome_put_ts (to, ",\"ts\":", at);
  chrome_put_str (self, to, ",\"name\":\"", name);
  if (cat)
    put_category (self, cat);
  else
    nprof_put_text (to, ",\"cat\":\"\"");
}

void
chrome_span_over (gpointer user, guint lane, const struct lane_span *span)
{
  struct chrome_sink *self = user;
  if (self->track_kind != NPROF_TRACK_ASYNC || span->end == LANES_OPEN)
    return;
  put_async (self, 'e', chrome_lane_thread (self, lane), span->end, span->start, span->name,
             span->cat);
  nprof_put_char (&self->out.buf, '}');
}

static void
put_span (struct chrome_sink *self, const struct nprof_batch *b, guint i, const struct place *p)
{
  struct nprof_buf *to = &self->out.buf;
  gboolean open = b->duration[i] < 0;
  const struct lane_span span = { .start = p->at,
                                  .end = open ? LANES_OPEN : p->until,
                                  .id = b->id ? b->id[i] : 0,
                                  .name = b->name[i],
                                  .cat = b->category[i] };
  guint32 thread = chrome_lane_thread (self, lanes_add (&self->lanes, &span));
  if (self->track_kind == NPROF_TRACK_ASYNC) {
    put_async (self, 'b', thread, p->at, p->at, b->name[i], b->category[i]);
  } else {
    chrome_begin (self, open ? 'B' : 'X', self->pid, thread, p->at);
    chrome_put_ts (to, ",\"ts\":", p->at);
    if (!open)
      chrome_put_ts (to, ",\"dur\":", p->until - p->at);
    chrome_put_str (self, to, ",\"name\":\"", b->name[i]);
    put_category (self, b->category[i]);
  }
  put_args (self, b, i, p);
}

/* -- Moments --------------------------------------------------------------- */

static void
put_instant (struct chrome_sink *self, const struct nprof_batch *b, guint i, const struct place *p)
{
  struct nprof_buf *to = &self->out.buf;
  gboolean gap = b->kind[i] == NPROF_GAP;
  guint32 thread = chrome_first_thread (self);
  if (self->track_kind == NPROF_TRACK_ASYNC && !gap) {
    put_async (self, 'n', thread, p->at, p->at, b->name[i], b->category[i]);
  } else {
    chrome_begin (self, 'i', self->pid, thread, p->at);
    chrome_put_ts (to, ",\"s\":\"t\",\"ts\":", p->at);
    chrome_put_str (self, to, gap ? ",\"name\":\"GAP: " : ",\"name\":\"", b->name[i]);
    if (gap)
      chrome_put_str (self, to, ",\"cname\":\"terrible\",\"cat\":\"", b->category[i]);
    else
      put_category (self, b->category[i]);
  }
  put_args (self, b, i, p);
}

/* Returns whether the counter is a second one: viewers know a counter by process and name; a second
 * one of the same name gets its track's. */
static gboolean
is_second (struct chrome_sink *self, nprof_str name)
{
  guint64 key = (guint64) self->pid << 32 | name;
  gpointer first = g_hash_table_lookup (self->counters, &key);
  if (!first)
    g_hash_table_insert (self->counters, g_memdup2 (&key, sizeof key),
                         GUINT_TO_POINTER (self->track));
  return first && first != GUINT_TO_POINTER (self->track);
}

/* Puts a counter; members of its args are its series, so its attributes stand beside them. */
static void
put_counter (struct chrome_sink *self, const struct nprof_batch *b, guint i, const struct place *p)
{
  struct nprof_buf *to = &self->out.buf;
  chrome_begin (self, 'C', self->pid, 0, p->at);
  chrome_put_ts (to, ",\"ts\":", p->at);
  chrome_put_str (self, to, ",\"name\":\"", b->name[i]);
  put_category (self, b->category[i]);
  if (is_second (self, b->name[i])) {
    const struct nprof_track_info *info = self->host->track_info (self->host, self->track);
    chrome_put_str (self, to, ",\"id\":\"", nprof_track_label (info));
  }
  nprof_put_text (to, ",\"args\":{\"value\":");
  nprof_put_json_double (to, b->value[i]);
  nprof_put_char (to, '}');
  struct chrome_args beside = { .to = to, .name = "attributes" };
  chrome_put_attributes (self, &beside);
  chrome_args_end (&beside);
  nprof_put_char (to, '}');
}

/* -- A row ----------------------------------------------------------------- */

static nprof_status
flush_row (struct chrome_sink *self)
{
  if (self->split.limit)
    split_flush (&self->split, &self->out.buf, FALSE);
  if (self->flows.spill.failed)
    return spill_fail (&self->flows.spill, self->host);
  if (self->split.limit && self->split.spill.failed)
    return spill_fail (&self->split.spill, self->host);
  return self->split.limit && !self->out.buf.failed ? NPROF_OK : stream_flush (&self->out);
}

nprof_status
chrome_row (struct chrome_sink *self, const struct nprof_batch *b, guint i)
{
  guint kind = b->kind[i];
  if (nprof_row_columns_row (&self->row_columns, b, i) != NPROF_OK)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the attributes of an event");
  if (kind > NPROF_GAP) {
    self->unknown_kinds++;
    return NPROF_OK;
  }
  if (kind == NPROF_FACT) {
    chrome_fact (self, b, i);
    return NPROF_OK;
  }
  const struct place p = place_of (self->base, b, i);
  self->before_start += p.at < 0;
  chrome_enter_track (self, b->track[i], p.start);
  if (kind == NPROF_SPAN)
    put_span (self, b, i, &p);
  else if (kind == NPROF_FLOW)
    chrome_flow (self, b, i, p.at);
  else if (kind == NPROF_COUNTER && nprof_has_value (b, i))
    put_counter (self, b, i, &p);
  else
    put_instant (self, b, i, &p);
  return flush_row (self);
}
