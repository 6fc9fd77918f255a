/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - the loop that a large profile spends its time in: events of one line straight into the
 * columns of a batch, without a copy or a call for each.
 *
 * An event is nearly always metadata_id, offset_ps, duration_ps, then stats, in the order of their
 * field numbers. The loop reads that shape alone: by whole words (quick_...) where the file goes on
 * behind the event; else, and where a field or a stat is unusual, with a question for the end
 * before each load (take_...). An event of another shape it hands as a whole to xp_event, which
 * knows everything and reports what is wrong. Rows become visible to the writer in commit(), so an
 * event that was given up halfway has left nothing behind. Columns that are the same for all rows
 * of a line are filled there too.
 *
 * There are four copies of the loop: with stats or stepping over them by their length, each with
 * varints read by BMI2 or without. tests/plugin/test-xplane.c holds them against the general
 * way. */
#include "xplane.h"

#define TAG_EVENT 0x22 /* XLine.events                                       */
#define TAG_ID 0x08    /* metadata_id of XEvent and XStat                    */
#define TAG_OFFSET 0x10
#define TAG_DURATION 0x18
#define TAG_STAT 0x22 /* XEvent.stats                                       */
#define TAG_DOUBLE 0x11
#define TAG_UINT 0x18
#define TAG_INT 0x20
#define TAG_STR 0x2a
#define TAG_REF 0x38

#define PROGRESS_FLUSHES 16   /* batches, and ...                                */
#define PROGRESS_EVENTS 16384 /* events, between two calls of progress          */

/* It says where the loop stands in the writer's columns. */
typedef struct {
  uint32_t first, n, max;                /* rows: committed, written, room                 */
  uint32_t attrs, max_attrs, full_attrs; /* beyond full_... there is no room for a whole row */
  uint32_t bytes, max_bytes, full_bytes;
  nprof_set any_shared;
  bool any_flow;
  int64_t *start, *duration;
  nprof_str *name, *category;
  uint8_t *kind;
  nprof_set *shared;
  uint64_t *id, *parent, *flow;
  uint32_t *attr_at;
  nprof_str *attr_key;
  uint8_t *attr_type;
  nprof_value *attr_value;
  char *text;
} Cursor;

XP_INLINE uint32_t
full_from (uint32_t max, uint32_t row)
{
  return max < row ? 0 : max - row + 1;
}

XP_INLINE Cursor
open_cursor (const struct nprof_writer *w)
{
  return (Cursor){ .first = w->n_rows,
                   .n = w->n_rows,
                   .max = w->max_rows,
                   .attrs = w->n_attrs,
                   .max_attrs = w->max_attrs,
                   .full_attrs = full_from (w->max_attrs, NPROF_ROW_ATTRS),
                   .bytes = w->n_bytes,
                   .max_bytes = w->max_bytes,
                   .full_bytes = full_from (w->max_bytes, NPROF_ROW_BYTES),
                   .start = w->start,
                   .duration = w->duration,
                   .name = w->name,
                   .category = w->category,
                   .kind = w->kind,
                   .shared = w->shared,
                   .id = w->id,
                   .parent = w->parent,
                   .flow = w->flow,
                   .attr_at = w->attr_at,
                   .attr_key = w->attr_key,
                   .attr_type = w->attr_type,
                   .attr_value = w->attr_value,
                   .text = w->bytes };
}

/* Copies what it wrote, ever more at once. */
static void
fill (uint32_t *to, uint32_t n, uint32_t value)
{
  uint32_t done = MIN (n, 8);
  for (uint32_t i = 0; i < done; i++)
    to[i] = value;
  for (; done < n; done += MIN (done, n - done))
    memcpy (to + done, to, MIN (done, n - done) * sizeof *to);
}

static __attribute__ ((noinline)) void
commit (XpScan *s, const Cursor c, bool stats)
{
  struct nprof_writer *w = s->w;
  if (c.n == c.first)
    return;
  fill (w->track + c.first, c.n - c.first, s->line->track);
  if (!stats) /* without flows all rows are spans */
    memset (w->kind + c.first, NPROF_SPAN, c.n - c.first);
  if (!stats)
    fill (w->attr_at + c.first + 1, c.n - c.first, c.attrs);
  w->n_rows = c.n;
  w->n_attrs = c.attrs;
  w->n_bytes = c.bytes;
  if (c.any_shared)
    w->present |= NPROF_HAS_SHARED;
  if (c.any_flow)
    w->present |= NPROF_HAS_ID | NPROF_HAS_PARENT | NPROF_HAS_FLOW;
  s->last_start = c.start[c.n - 1]; /* a flow has the start of its span */
}

XP_INLINE bool
is_full (const Cursor *c)
{
  return c->n == c->max || c->attrs >= c->full_attrs || c->bytes >= c->full_bytes;
}

/* These do not change along a segment, and lie out of the way of the stores to the columns. */
typedef struct {
  XpScan *s;
  const XpDict *dict;
  const XpMeta *metas;
  XpStat *stats;
  uint64_t n_metas;      /* ids below are slots                            */
  const uint8_t *quick;  /* by id of a stat below 128: XP_QUICK_...                    */
  const uint8_t *safe;   /* 8 bytes may be loaded up to here                            */
  const uint8_t *border; /* events that end up to here are read without asking before each load */
  int64_t base;
  nprof_str category;
} Env;

#define AHEAD 40 /* a load of 8 bytes for each field of a head, from where an event ends */

static const uint8_t *
border_of (const Xplane *x, const XpSegment *segment)
{
  const uint8_t *last = x->data_end - x->data > AHEAD ? x->data_end - AHEAD : x->data;
  return MIN (segment->end, last);
}

XP_INLINE Env
open_env (XpScan *s, const XpSegment *segment)
{
  return (Env){ .s = s,
                .dict = s->dict,
                .metas = s->dict->metas,
                .stats = s->dict->stats,
                .n_metas = s->dict->meta_ids.n_dense,
                .quick = s->dict->quick,
                .safe = s->x->safe,
                .border = border_of (s->x, segment),
                .base = s->line->base,
                .category = s->line->category };
}

/* Returns whether text is ASCII, which needs no repair to be UTF-8. */
XP_INLINE bool
is_ascii (const uint8_t *p, size_t n)
{
  uint64_t high = 0, w;
  for (; n >= 8; p += 8, n -= 8) {
    memcpy (&w, p, 8);
    high |= w;
  }
  while (n--)
    high |= *p++;
  return !(high & UINT64_C (0x8080808080808080));
}

typedef struct {
  uint8_t type;
  nprof_value value;
} Attr;

/* Takes a text that many events share, or this event's own; false: xp_event must read it. */
XP_INLINE bool
take_text (XpScan *s, const XpStat *stat, PbSpan text, Cursor *c, Attr *attr)
{
  if (stat->type == NPROF_STRING) {
    if (stat->role == XP_ROLE_OP_NAME && xp_ends_in_colon (text)) {
      if (xp_is_scope (text))
        return false;
      text.end--;
    }
    attr->type = NPROF_STRING;
    attr->value = (nprof_value){ .s = xp_cached (s, text) };
    return true;
  }
  size_t n = xp_len (text);
  if (n > c->max_bytes - c->bytes || !is_ascii (text.p, n) || memchr (text.p, 0, n))
    return false;
  memcpy (c->text + c->bytes, text.p, n);
  attr->type = NPROF_TEXT;
  attr->value = (nprof_value){ .bytes = { c->bytes, (uint32_t) n } };
  c->bytes += (uint32_t) n;
  return true;
}

XP_INLINE bool
take_ref (XpScan *s, const XpStat *stat, uint64_t ref, Attr *attr)
{
  uint32_t slot = xp_slot (&s->dict->stat_ids, (int64_t) ref);
  if (slot == UINT32_MAX)
    return false;
  XpStat *target = &s->dict->stats[slot];
  if (!target->name.p || (stat->role == XP_ROLE_OP_NAME && xp_ends_in_colon (target->name)))
    return false;
  attr->type = NPROF_STRING;
  attr->value = (nprof_value){ .s = xp_stat_text (s->host, target) };
  return true;
}

/* Converts to a double where the key declares a number. */
static __attribute__ ((noinline)) Attr
take_double (const XpStat *stat, double f)
{
  const XpValue value = { .stat = (XpStat *) stat, .kind = XP_VALUE_DOUBLE, .v.f = f };
  Attr attr;
  xp_value_number (&value, &attr.type, &attr.value);
  return attr;
}

/* Returns the key of a value in this type; doubles that the declared type does not hold are
 * left. */
XP_INLINE nprof_str
key_of (const XpScan *s, const XpStat *stat, uint8_t type)
{
  if (XP_UNLIKELY (type == NPROF_DOUBLE && stat->type && stat->type != NPROF_DOUBLE))
    return xp_stat_other (s->host, (XpStat *) stat);
  return xp_stat_key (s->host, (XpStat *) stat);
}

/* Reads the value of a stat between q and end; false: not one of the usual shapes. */
XP_INLINE bool
take_value (XpScan *s, const XpStat *stat, const uint8_t *q, const uint8_t *end, Cursor *c,
            Attr *attr, int mode)
{
  const uint8_t *safe = s->x->safe;
  uint8_t tag = *q++;
  uint64_t v = 0;
  switch (tag) {
  case TAG_UINT:
  case TAG_INT:
    q = xp_varint_fast (q, end, safe, &v, mode);
    attr->value = (nprof_value){ .u = v };
    attr->type = tag == TAG_INT ? NPROF_INT64 : NPROF_UINT64;
    if (stat->type == NPROF_NULL || stat->type == attr->type)
      return q == end;
    attr->type = stat->number;
    return q == end && stat->number && ((int64_t) v >= 0 || stat->id);
  case TAG_DOUBLE:
    if (end - q != 8 || (stat->type && !stat->numeric))
      return false;
    memcpy (&attr->value, q, 8);
    attr->type = NPROF_DOUBLE;
    if (stat->type)
      *attr = take_double (stat, attr->value.f);
    return true;
  case TAG_REF:
    q = xp_varint_fast (q, end, safe, &v, mode);
    return q == end && !stat->numeric && take_ref (s, stat, v, attr);
  case TAG_STR:
    q = xp_varint_fast (q, end, safe, &v, mode);
    return q && (uint64_t) (end - q) == v && !stat->numeric
           && take_text (s, stat, (PbSpan){ q, end }, c, attr);
  default:
    return false;
  }
}

/* Reads one stat; false: xp_event must read the event. */
XP_INLINE bool
take_stat (XpScan *s, const uint8_t *q, const uint8_t *end, Cursor *c, XpFlows *flows, int mode)
{
  uint64_t id = 0;
  if (q == end || *q != TAG_ID)
    return false;
  q = xp_varint_fast (q + 1, end, s->x->safe, &id, mode);
  uint32_t slot = xp_slot (&s->dict->stat_ids, (int64_t) id);
  if (!q || slot == UINT32_MAX)
    return false;
  const XpStat *stat = &s->dict->stats[slot];
  if (!stat->actions)
    return stat->name.p != NULL;
  if (q == end)
    return true; /* no value */
  Attr attr;
  if (stat->actions & (XP_STAT_SPECIAL | XP_STAT_STEP)
      || !take_value (s, stat, q, end, c, &attr, mode))
    return false;
  if (stat->actions & XP_STAT_FLOW && (attr.type == NPROF_INT64 || attr.type == NPROF_UINT64))
    xp_flows_add (flows, stat->role, attr.value.u);
  if (!(stat->actions & XP_STAT_ATTR))
    return true;
  if (c->attrs == c->max_attrs)
    return false;
  c->attr_key[c->attrs] = key_of (s, stat, attr.type);
  c->attr_type[c->attrs] = attr.type;
  c->attr_value[c->attrs++] = attr.value;
  return true;
}

typedef struct {
  uint64_t meta_id, offset, duration;
} Head;

/* Reads the fields before the stats. */
XP_INLINE const uint8_t *
take_head (const uint8_t *q, const uint8_t *end, const uint8_t *safe, Head *head, int mode)
{
  *head = (Head){ 0 };
  if (q < end && *q == TAG_ID)
    q = xp_varint_fast (q + 1, end, safe, &head->meta_id, mode);
  if (!q || q >= end || *q != TAG_OFFSET)
    return NULL;
  q = xp_varint_long (q + 1, end, safe, &head->offset, mode);
  if (q && q < end && *q == TAG_DURATION)
    q = xp_varint_long (q + 1, end, safe, &head->duration, mode);
  return q;
}

/* -- Events as nearly all are: by whole words, without asking for the end before each load ----- */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* Reads a varint of up to 8 bytes; NULL: it is longer. */
XP_INLINE const uint8_t *
quick_varint (const uint8_t *q, uint64_t *value, int mode)
{
  uint64_t w;
  memcpy (&w, q, 8);
  uint64_t stop = ~w & UINT64_C (0x8080808080808080);
  if (XP_UNLIKELY (!stop))
    return NULL;
  *value = xp_collapse_spaces (w & (stop ^ (stop - 1)), mode);
  return q + 1 + (__builtin_ctzll (stop) >> 3);
}

/* Reads the fields before the stats; NULL: they are not these. */
XP_INLINE const uint8_t *
quick_head (const uint8_t *q, Head *head, int mode)
{
  if (XP_UNLIKELY (*q != TAG_ID || !(q = quick_varint (q + 1, &head->meta_id, mode))))
    return NULL;
  if (XP_UNLIKELY (*q != TAG_OFFSET || !(q = quick_varint (q + 1, &head->offset, mode))))
    return NULL;
  if (XP_UNLIKELY (*q != TAG_DURATION)) {
    head->duration = 0;
    return q;
  }
  return quick_varint (q + 1, &head->duration, mode);
}

/* Reads the number of a flow. */
XP_INLINE const uint8_t *
quick_flow (const uint8_t *q, const uint8_t *end, uint8_t role, XpFlows *flows, int mode)
{
  uint64_t bits;
  if (*q != TAG_UINT && *q != TAG_INT)
    return NULL;
  if (xp_varint_long (q + 1, end, end, &bits, mode) != end)
    return NULL;
  xp_flows_add (flows, role, bits);
  return end;
}

/* Reads a whole number that is an attribute; false: the value is another one, and take_stat reads
 * it. */
XP_INLINE bool
quick_number (const Env *env, const uint8_t *q, const uint8_t *end, Cursor *c, int mode)
{
  XpStat *stat = &env->stats[q[3]];
  uint64_t value;
  uint8_t tag = q[4];
  if ((tag != TAG_UINT && tag != TAG_INT) || quick_varint (q + 5, &value, mode) != end
      || c->attrs == c->max_attrs)
    return false;
  uint8_t own = tag == TAG_INT ? NPROF_INT64 : NPROF_UINT64;
  c->attr_key[c->attrs] = xp_stat_key (env->s->host, stat);
  c->attr_type[c->attrs] = stat->number ? stat->number : own;
  c->attr_value[c->attrs++] = (nprof_value){ .u = value };
  return true;
}

/* Reads stats of up to 127 bytes with ids below 128: 22 LENGTH 08 ID. One that nobody wants costs
 * two comparisons. Returns where they end; another place than `end`: take_stats must read them. */
XP_INLINE const uint8_t *
quick_stats (const Env *env, const uint8_t *q, const uint8_t *end, Cursor *c, XpFlows *flows,
             int mode, bool stats)
{
  while (q < end) {
    uint32_t w;
    memcpy (&w, q, 4);
    const uint8_t *next = q + 2 + q[1];
    if (XP_UNLIKELY ((w & 0x80ff80ff) != 0x00080022 || !(w & 0x7e00)))
      return NULL;
    uint8_t what = stats ? env->quick[q[3]] : XP_QUICK_SKIP;
    if (what != XP_QUICK_SKIP) {
      if (XP_UNLIKELY (next > end))
        return NULL;
      if (what < XP_QUICK_NUMBER ? !quick_flow (q + 4, next, what, flows, mode)
                                 : (what == XP_QUICK_OTHER || !quick_number (env, q, next, c, mode))
                                       && !take_stat (env->s, q + 2, next, c, flows, mode))
        return NULL;
    }
    q = next;
  }
  return q;
}

#endif

/* Reads all stats from q on, or only steps over them.  Returns where they end; NULL: leave it to
 * xp_event. */
XP_INLINE const uint8_t *
take_stats (const Env *env, const uint8_t *q, const uint8_t *end, Cursor *c, XpFlows *flows,
            int mode, bool stats)
{
  while (q < end && *q == TAG_STAT) {
    uint64_t n;
    q = xp_varint_fast (q + 1, end, env->safe, &n, mode);
    if (!q || (uint64_t) (end - q) < n || (stats && !take_stat (env->s, q, q + n, c, flows, mode)))
      return NULL;
    q += n;
  }
  return q;
}

/* Appends the row; false: its times are odd, or its metadata is unknown or not ready, which
 * xp_event makes it at its first event, on whichever thread. */
XP_INLINE bool
put_row (const Env *env, const Head *head, Cursor *c, bool stats)
{
  int64_t start, end;
  uint64_t slot = head->meta_id;
  if (XP_UNLIKELY (slot >= env->n_metas)
      && (slot = xp_ids_sparse (&env->dict->meta_ids, (int64_t) slot)) == UINT32_MAX)
    return false;
  const XpMeta *meta = &env->metas[slot];
  if (!atomic_load_explicit (&meta->ready, memory_order_acquire)
      || __builtin_add_overflow (env->base, (int64_t) head->offset, &start)
      || __builtin_add_overflow (start, (int64_t) head->duration, &end)
      || (int64_t) head->duration < 0)
    return false;
  uint32_t i = c->n++;
  c->start[i] = start;
  c->duration[i] = (int64_t) head->duration;
  c->name[i] = meta->name;
  c->category[i] = meta->category ? meta->category : env->category;
  c->shared[i] = meta->shared;
  c->any_shared |= meta->shared;
  if (stats) {
    c->kind[i] = NPROF_SPAN;
    c->attr_at[i + 1] = c->attrs;
  }
  return true;
}

/* Reads an event whose bytes lie between q and end into head, flows and attributes; false: xp_event
 * must do it. */
XP_INLINE bool
take_event (const Env *env, const uint8_t *q, const uint8_t *end, Head *head, Cursor *c,
            XpFlows *flows, int mode, bool stats)
{
  flows->seen = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (XP_LIKELY (end <= env->border)) {
    uint32_t attrs = c->attrs, bytes = c->bytes;
    const uint8_t *first = quick_head (q, head, mode);
    if (XP_LIKELY (first && quick_stats (env, first, end, c, flows, mode, stats) == end))
      return true;
    flows->seen = 0;
    c->attrs = attrs;
    c->bytes = bytes;
  }
#endif
  q = take_head (q, end, env->safe, head, mode);
  return q && take_stats (env, q, end, c, flows, mode, stats) == end;
}

/* Writes the rows of an event's arrows behind its own; false: no room left, nothing written. */
XP_INLINE bool
put_flows (const XpScan *s, const XpFlowEnd *ends, unsigned n, uint64_t id, Cursor *c)
{
  if (c->max - c->n < n || c->max_attrs - c->attrs < n)
    return false;
  uint32_t span = c->n - 1;
  c->id[span] = id;
  c->any_flow = true;
  for (unsigned k = 0; k < n; k++) {
    uint32_t i = c->n++;
    c->start[i] = c->start[span];
    c->duration[i] = 0;
    c->name[i] = c->name[span];
    c->category[i] = ends[k].family;
    c->kind[i] = NPROF_FLOW;
    c->parent[i] = id;
    c->flow[i] = ends[k].flow;
    c->attr_key[c->attrs] = s->x->key_phase;
    c->attr_type[c->attrs] = NPROF_STRING;
    c->attr_value[c->attrs++] = (nprof_value){ .s = ends[k].phase };
    c->attr_at[i + 1] = c->attrs;
  }
  return true;
}

/* Writes them through the writer. */
static __attribute__ ((noinline)) nprof_status
write_flows (XpScan *s, const XpFlowEnd *ends, unsigned n, uint64_t id)
{
  struct nprof_writer *w = s->w;
  uint32_t span = w->n_rows - 1;
  nprof_set_id (w, id);
  return xp_flow_rows (s->x, w, ends, n, s->line->track, w->name[span], w->start[span], id);
}

/* Reads a field of the line that does not begin as events do: an event whose tag is longer than it
 * must be, or a field between events, which is skipped. */
static __attribute__ ((noinline)) nprof_status
other_field (XpScan *s, const uint8_t **p, const uint8_t *end)
{
  const uint8_t *at = *p;
  PbField f;
  if (pb_field (p, end, &f))
    return f.tag == PB_BYTES (4) ? xp_event (s, at, f.span) : NPROF_OK;
  *p = end; /* index.c has reported it */
  return NPROF_OK;
}

XP_INLINE nprof_status
scan (XpScan *s, const XpSegment *segment, const int mode, const bool stats)
{
  const uint8_t *p = segment->p, *const end = segment->end;
  const Env env = open_env (s, segment);
  Cursor c = open_cursor (s->w);
  nprof_status status = NPROF_OK;
  while (p < end && status == NPROF_OK) {
    const uint8_t *at = p;
    uint64_t n = 0;
    if (XP_UNLIKELY (*p != TAG_EVENT)) {
      commit (s, c, stats);
      status = other_field (s, &p, end);
      c = open_cursor (s->w);
      continue;
    }
    p = xp_varint_fast (p + 1, end, env.safe, &n, mode);
    if (XP_UNLIKELY (!p || (uint64_t) (end - p) < n))
      break;
    if (XP_UNLIKELY (is_full (&c))) {
      commit (s, c, stats);
      status = s->w->flush (s->w);
      c = open_cursor (s->w);
      if (status == NPROF_OK && ++s->flushes % PROGRESS_FLUSHES == 0)
        status = xp_scan_progress (s, at);
      if (status)
        break;
    }
    const uint8_t *body = p;
    __builtin_prefetch (p + XP_AHEAD);
    p += n;
    Head head;
    XpFlows flows;
    uint32_t attrs = c.attrs, bytes = c.bytes;
    bool done = take_event (&env, body, p, &head, &c, &flows, mode, stats)
                && put_row (&env, &head, &c, stats);
    if (XP_LIKELY (done && !(stats && flows.seen)))
      continue;
    XpFlowEnd ends[XP_FLOW_ENDS];
    unsigned n_ends = done ? xp_flow_ends (s->x, s->host, &flows, ends) : 0;
    if (done && (n_ends == 0 || put_flows (s, ends, n_ends, xp_at (s->x, at), &c)))
      continue;
    if (!done) {
      c.attrs = attrs;
      c.bytes = bytes;
    }
    commit (s, c, stats);
    status = done ? write_flows (s, ends, n_ends, xp_at (s->x, at))
                  : xp_event (s, at, (PbSpan){ body, p });
    c = open_cursor (s->w);
  }
  commit (s, c, stats);
  return status;
}

/* -- The copies of the loop ---------------------------------------------------------- */

static nprof_status
scan_rows (XpScan *s, const XpSegment *segment)
{
  return scan (s, segment, XP_SWAR, false);
}

static nprof_status
scan_stats (XpScan *s, const XpSegment *segment)
{
  return scan (s, segment, XP_SWAR, true);
}

#ifdef XP_HAVE_BMI2
static __attribute__ ((target ("bmi,bmi2"))) nprof_status
scan_rows_bmi2 (XpScan *s, const XpSegment *segment)
{
  return scan (s, segment, XP_BMI2, false);
}

static __attribute__ ((target ("bmi,bmi2"))) nprof_status
scan_stats_bmi2 (XpScan *s, const XpSegment *segment)
{
  return scan (s, segment, XP_BMI2, true);
}
#endif

/* Reads events the general way, for lines of counters, for steps of hosts, and for the tests. */
static nprof_status
scan_plain (XpScan *s, const XpSegment *segment)
{
  const uint8_t *p = segment->p;
  uint64_t n = 0;
  nprof_status status = NPROF_OK;
  while (p < segment->end && status == NPROF_OK) {
    const uint8_t *at = p;
    PbField f;
    if (!pb_field (&p, segment->end, &f))
      break; /* index.c has reported it */
    if (f.tag == PB_BYTES (4))
      status = xp_event (s, at, f.span);
    if (status == NPROF_OK && ++n % PROGRESS_EVENTS == 0)
      status = xp_scan_progress (s, p);
  }
  return status;
}

nprof_status
xp_scan_segment (XpScan *s, const XpSegment *segment)
{
  int mode = s->x->mode;
  bool stats = s->dict->actions != 0;
  if (mode == XP_PLAIN || s->line->counters || s->x->steps)
    return scan_plain (s, segment);
#ifdef XP_HAVE_BMI2
  if (mode == XP_BMI2)
    return stats ? scan_stats_bmi2 (s, segment) : scan_rows_bmi2 (s, segment);
#endif
  return stats ? scan_stats (s, segment) : scan_rows (s, segment);
}
