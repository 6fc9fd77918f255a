/* SPDX-License-Identifier: Apache-2.0 */
/* part.c - reads the events of a part, one after the other, and decides what is done when one of
 * them cannot be read. */
#include "trace-event/trace-event.h"

#define MOST_NAMES 200000u              /* that a worker keeps from part to part: 12 MB */
#define MOST_BYTES (UINT32_C (8) << 20) /* of texts that the core has otherwise */
#define MOST_THREADS 131072u            /* with what is free of both tables, 15 MB */

static void
forget_names (ChWorker *worker)
{
  if (worker->names.slots)
    ch_names_clear (&worker->names);
}

static void
forget_threads (ChWorker *worker)
{
  g_free (worker->threads.list);
  g_free (worker->threads.slots);
  worker->threads = (ChThreads){ 0 };
}

/* Takes the worker's names and threads, because most of a part were in the one before it; they are
 * bounded. */
static void
take_worker (ChPart *part, ChWorker *worker)
{
  if (worker->names.n > MOST_NAMES || worker->names.bytes > MOST_BYTES)
    forget_names (worker);
  if (worker->threads.n > MOST_THREADS)
    forget_threads (worker);
  if (!worker->names.slots)
    ch_names_init (&worker->names, part->host);
  worker->names.host = part->host;
  part->names = &worker->names;
  part->threads = &worker->threads;
}

void
ch_worker_close (void *self, void *worker)
{
  (void) self;
  ChWorker *own = worker;
  forget_names (own);
  forget_threads (own);
  free (own->shapes);
  free (own->arg_shapes);
  free (own->device_shapes);
}

/* Takes the shapes of the last events, which spare reading their keys anew. */
static bool
take_shapes (ChPart *part, ChWorker *worker)
{
  Chrome *c = part->c;
  if (!worker->shapes)
    worker->shapes = c->scanner->shapes_new ();
  if (c->want_arg && !worker->arg_shapes)
    worker->arg_shapes = c->scanner->shapes_new ();
  part->arg_shapes = worker->arg_shapes;
  part->device_shapes = &worker->device_shapes;
  part->scan = (TeScan){
    .controls = &part->controls, .with = c->scanner, .shapes = worker->shapes, .end = c->events_end
  };
  return worker->shapes && (!c->want_arg || worker->arg_shapes);
}

/* Begins a part: halves of spans (a begin whose end may lie in another part, and the other way
 * round) wait in slices and asyncs for join. */
nprof_status
ch_part_init (ChPart *part, Chrome *c, const struct nprof_host *host, ChWorker *worker)
{
  part->c = c;
  part->host = host;
  take_worker (part, worker);
  part->slices = g_array_new (FALSE, FALSE, sizeof (ChHalf));
  part->asyncs = g_array_new (FALSE, FALSE, sizeof (ChHalf));
  if (!take_shapes (part, worker))
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for the shapes of events");
  part->w = host->writer (host);
  return part->w ? NPROF_OK : NPROF_E_NOMEM;
}

void
ch_part_clear (ChPart *part)
{
  g_clear_pointer (&part->slices, g_array_unref);
  g_clear_pointer (&part->asyncs, g_array_unref);
  g_clear_pointer (&part->products, g_byte_array_unref);
  g_clear_pointer (&part->shapes, g_free);
}

nprof_status
ch_part_report (ChPart *part, const char *p)
{
  uint64_t from = ch_at (part->c, part->reported);
  part->reported = p;
  part->unreported = 0;
  return part->host->progress (part->host, from, ch_at (part->c, p));
}

/* -- Damage ------------------------------------------------------------------------- */

/* Returns the next { that stands where an event may begin: behind , or [ and before a key. */
static const char *
next_object (const char *p, const char *end)
{
  for (; p < end && (p = memchr (p, '{', (size_t) (end - p))); p++) {
    const char *before = p - 1, *behind = te_space (p + 1, end);
    while (*before == ' ' || *before == '\n' || *before == '\r' || *before == '\t')
      before--;
    if ((*before == ',' || *before == '[') && behind < end && *behind == '"')
      return p;
  }
  return end;
}

/* Finds the next event; p is behind the { of a broken one.  Trying costs at most 16 times what is
 * skipped and 4 MB: then it goes on where the last try failed. */
const char *
ch_resync (TeScan *scan, const char *p, const char *end)
{
  TeEvent event;
  const char *from = p;
  ptrdiff_t spent = 0;
  while ((p = next_object (p, end)) < end) {
    const char *behind = scan->with->event (scan, p, &event);
    if (behind && te_has (&event, TE_PH))
      return p;
    const char *failed = behind ? behind : scan->bad;
    spent += failed - p;
    p = spent < (p - from) * 16 + (4 << 20) || failed <= p ? p + 1 : failed;
  }
  return end;
}

static nprof_status
broken (ChPart *part, const char **p, const char *end)
{
  const Chrome *c = part->c;
  const char *from = *p;
  nprof_status status = part->host->damage (part->host, ch_at (c, part->scan.bad), part->scan.why);
  if (status)
    return status;
  *p = ch_resync (&part->scan, from + 1, end);
  if (!c->closed && *p == c->events_end) {
    part->cut_off = true;
    return NPROF_OK;
  }
  status = ch_lost (part);
  if (status)
    return status;
  nprof_log (part->host, NPROF_WARNING,
             "goes on at byte %" G_GUINT64_FORMAT " after %" G_GUINT64_FORMAT " bytes",
             ch_at (c, *p), (uint64_t) (*p - from));
  return NPROF_OK;
}

void
ch_take_controls (Chrome *c, const TeControls *controls)
{
  if (controls->n && (!c->controls.n || controls->first < c->controls.first))
    c->controls.first = controls->first;
  c->controls.n += controls->n;
}

void
ch_say_controls (const Chrome *c)
{
  if (c->controls.n)
    nprof_log (c->host, NPROF_WARNING,
               "byte %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT
               " control byte%s within strings, which JSON writes as escapes: read as %s",
               ch_at (c, c->controls.first), c->controls.n,
               c->controls.n == 1 ? " stands" : "s stand",
               c->controls.n == 1 ? "it is" : "they are");
}

/* Appends JSON with its control bytes within strings as escapes. */
static void
append_strict (GString *to, const char *p, const char *end)
{
  for (bool in_string = false, escaped = false; p < end; p++) {
    if (in_string && !escaped && (unsigned char) *p < 0x20)
      g_string_append_printf (to, "\\u%04x", (unsigned char) *p);
    else
      g_string_append_c (to, *p);
    if (*p == '"' && !escaped)
      in_string = !in_string;
    escaped = *p == '\\' && !escaped;
  }
}

nprof_status
ch_attr_json (ChPart *part, nprof_str key, const char *json, size_t len)
{
  g_autoptr (GString) strict = part->controls.n ? g_string_sized_new (len + 64) : NULL;
  g_autofree char *valid = NULL;
  if (strict) {
    append_strict (strict, json, json + len);
    json = strict->str;
    len = strict->len;
  }
  if (!g_utf8_validate_len (json, len, NULL)) { /* U+FFFD for what is none, as in texts */
    json = valid = g_utf8_make_valid (json, (gssize) len);
    len = strlen (valid);
  }
  return nprof_attr_bytes (part->w, key, NPROF_JSON, json, (uint32_t) MIN (len, UINT32_MAX));
}

nprof_status
ch_attr_args (ChPart *part, nprof_str key, const TeEvent *event)
{
  if (!te_has (event, TE_ARGS))
    return NPROF_OK;
  const TeValue *v = &event->value[TE_ARGS];
  const unsigned quote = v->kind == TE_TEXT;
  const size_t len = v->len + 2 * quote;
  if (len > UINT32_MAX)
    return nprof_fail (part->host, NPROF_E_UNSUPPORTED,
                       "byte %" G_GUINT64_FORMAT ": args of more than 4 GB", ch_at (part->c, v->p));
  return ch_attr_json (part, key, v->p - quote, len);
}

/* -- Events ------------------------------------------------------------------------------ */

/* Returns the first range of metadata that ends behind p. */
static guint
first_meta (const GArray *metas, const char *p)
{
  guint low = 0, high = metas->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (metas, ChRange, middle).to <= p)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static inline const char *
separators (const char *p, const char *end)
{
  while (p < end && (*p == ',' || *p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    p++;
  return p;
}

static nprof_status
decode (ChPart *part, const char *p, const char *end)
{
  const Chrome *c = part->c;
  TeEvent event;
  guint k = first_meta (c->metas, p);
  const char *meta = k < c->metas->len ? g_array_index (c->metas, ChRange, k).from : NULL;
  nprof_status status = NPROF_OK;
  while (!status && (p = separators (p, end)) < end) {
    if (meta && p >= meta) { /* parts may begin within, too */
      p = g_array_index (c->metas, ChRange, k++).to;
      meta = k < c->metas->len ? g_array_index (c->metas, ChRange, k).from : NULL;
      continue;
    }
    const char *next = part->scan.with->event (&part->scan, p, &event);
    if (next) {
      status = ch_event (part, &event);
      p = next;
    } else if (*p == ']' && ch_tail_is_good (c, p + 1)) {
      break;
    } else {
      status = broken (part, &p, end);
    }
    if (meta && p > meta) { /* damage before it was skipped */
      k = first_meta (c->metas, p);
      meta = k < c->metas->len ? g_array_index (c->metas, ChRange, k).from : NULL;
    }
    if (!status)
      status = ch_part_progress (part, p);
  }
  return status;
}

nprof_status
ch_part_decode (ChPart *part, uint32_t number)
{
  const char *from = g_ptr_array_index (part->c->parts, number);
  const char *end = g_ptr_array_index (part->c->parts, number + 1);
  part->reported = from;
  part->scan.end = end;
  nprof_status status = decode (part, from, end);
  if (!status)
    status
        = part->host->progress (part->host, ch_at (part->c, part->reported), ch_at (part->c, end));
  return status;
}
