/* SPDX-License-Identifier: Apache-2.0 */
/* unitrace.c - says of traces of Intel's unitrace what their events mean: gpu_op is a kernel, a
 * copy or a fill of a device by its name; cpu_op is a call of a runtime where its name is one's; a
 * call launches what the arrows right after it name.
 * source: intel/pti-gpu tools/unitrace/src/chromelogger.h, levelzero/ze_collector.h */
#include "trace-event/trace-event.h"

#define HOST "HOST<"
#define FROM_HOST "Flow_H2D_"
#define CONFIGURATION "[SIMD" /* of a kernel, behind its name */
#define NEAR 4096             /* bytes of a file in which its first process is named */

/* A call of a host launches a kernel, by the file's number of it; several for one call. */
typedef struct {
  uint64_t kernel;
  uint64_t call; /* where it stands, plus 1: our number of what it launches */
} Launch;

typedef enum { KERNEL, COPY, FILL, BARRIER, N_WORKS } Work;
static const char *const categories[] = { "kernel", "gpu_memcpy", "gpu_memset", "barrier" };

typedef struct ChUnitrace {
  GArray *calls;    /* of uint64_t, sorted: Launch.call of those that launch */
  GArray *launches; /* of Launch, by kernel                                  */
  nprof_str category[N_WORKS], runtime, key_bytes, key_blocks;
  bool want_bytes;
} ChUnitrace;

/* -- Arrows ------------------------------------------------------------------------------------ */

static gint
by_kernel (gconstpointer a, gconstpointer b)
{
  const Launch *x = a, *y = b;
  return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static gint
by_number (gconstpointer a, gconstpointer b)
{
  const uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return (x > y) - (x < y);
}

/* Returns the { of the event right before the one at `from`; NULL: none. */
static const char *
event_before (const char *from, const char *floor)
{
  while (from > floor && (g_ascii_isspace (from[-1]) || from[-1] == ','))
    from--;
  return from > floor && from[-1] == '}' ? ch_event_start (from - 1, floor) : NULL;
}

static void
take_launch (ChUnitrace *self, Launch launch)
{
  const GArray *calls = self->calls;
  if (!calls->len || g_array_index (calls, uint64_t, calls->len - 1) != launch.call)
    g_array_append_val (self->calls, launch.call);
  g_array_append_val (self->launches, launch);
}

/* Takes the arrow that is mentioned at p, if a host drew it to a device: its call is the event
 * before it, or that of the arrow before it.  Returns where it ends. */
static const char *
take_arrow (Chrome *c, TeScan *scan, const char *p, const char *floor, uint64_t *call)
{
  TeEvent event;
  const char *quote = memrchr (floor, '"', (size_t) (p - floor));
  const char *from = quote ? ch_event_start (quote, floor) : NULL;
  const char *end = from ? scan->with->event (scan, from, &event) : NULL;
  if (!end || event.ph != 's' || !te_has (&event, TE_ID))
    return p + strlen (FROM_HOST);
  const char *before = event_before (from, c->events);
  if (!before || before >= floor) /* it is no arrow */
    *call = before ? ch_at (c, before) + 1 : 0;
  const uint64_t kernel = ch_arg_id (&event.value[TE_ID]);
  if (kernel && *call)
    take_launch (c->unitrace, (Launch){ kernel, *call });
  return end;
}

nprof_status
ch_unitrace_find (Chrome *c)
{
  if (!c->unitrace || !c->want_launch)
    return NPROF_OK;
  TeScan scan = { .controls = &(TeControls){ 0 },
                  .with = c->scanner,
                  .shapes = c->scanner->shapes_new (),
                  .end = c->events_end };
  if (!scan.shapes)
    return nprof_fail (c->host, NPROF_E_NOMEM, "no memory for the shapes of events");
  uint64_t call = 0;
  for (const char *p = c->events, *floor = p;
       (p = memmem (p, (size_t) (c->events_end - p), FROM_HOST, strlen (FROM_HOST)));)
    p = floor = take_arrow (c, &scan, p, floor, &call);
  g_array_sort (c->unitrace->launches, by_kernel);
  free (scan.shapes);
  return NPROF_OK;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static bool
begins (const TeValue *text, const char *with)
{
  const size_t len = strlen (with);
  return text->len >= len && memcmp (text->p, with, len) == 0;
}

static bool
holds (const TeValue *text, const char *word)
{
  return memmem (text->p, text->len, word, strlen (word)) != NULL;
}

/* Splits what it did from how: "gemm[SIMD32 {4; 1; 1} {256; 1; 1}]", "...Copy(H2D)[65536]", and
 * "Tile #0: " before either. */
static TeValue
plain_name (TeValue name, int64_t *bytes)
{
  const char *end = name.p + name.len, *behind;
  if (begins (&name, "Tile #") && (behind = memmem (name.p, name.len, ": ", 2)))
    name.p = behind + 2;
  name.len = (size_t) (end - name.p);
  const char *how = name.len && end[-1] == ']' ? memrchr (name.p, '[', name.len) : NULL;
  if (!how || how == name.p)
    return name;
  if (te_int (how + 1, end - 1, bytes)
      || begins (&(TeValue){ .p = how, .len = end - how }, CONFIGURATION))
    name.len = (size_t) (how - name.p);
  return name;
}

static Work
work_of (const TeValue *name)
{
  static const struct {
    const char *word;
    Work work;
  } words[] = {
    { "Copy", COPY },   { "Memcpy", COPY },     { "Read", COPY },
    { "Write", COPY },  { "MigrateMem", COPY }, { "Fill", FILL },
    { "Memset", FILL }, { "Barrier", BARRIER }, { "EventReset", BARRIER },
  };
  if (begins (name, "zeCommandList") || begins (name, "clEnqueue"))
    for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
      if (holds (name, words[i].word))
        return words[i].work;
  return KERNEL;
}

static bool
is_call_of_runtime (const TeValue *name)
{
  static const char *const runtimes[] = { "ze", "cl", "ur", "pi" };
  for (gsize i = 0; i < G_N_ELEMENTS (runtimes); i++)
    if (begins (name, runtimes[i]) && name->len > 2
        && (g_ascii_isupper (name->p[2]) || name->p[2] == '_'))
      return true;
  return begins (name, "zes") || begins (name, "zet");
}

static bool
blocks (const TeValue *name)
{
  return holds (name, "Synchronize") || te_text_is (name, "clFinish")
         || te_text_is (name, "clWaitForEvents");
}

static nprof_status
say_work (ChPart *part, const TeEvent *event)
{
  const Chrome *c = part->c;
  const ChUnitrace *self = c->unitrace;
  struct nprof_writer *w = part->w;
  int64_t bytes = -1;
  TeValue id, name = plain_name (event->value[TE_NAME], &bytes);
  w->name[w->n_rows - 1] = ch_name (part->names, &name);
  nprof_set_category (w, self->category[work_of (&name)]);
  const Launch wanted
      = { .kernel = ch_member_of_args (c->scanner, event, "id", &id) ? ch_arg_id (&id) : 0 };
  const GArray *launches = self->launches;
  const Launch *launch = bsearch (&wanted, launches->data, launches->len, sizeof wanted, by_kernel);
  nprof_status status = launch ? nprof_attr_uint (w, c->key_launch, launch->call) : NPROF_OK;
  if (!status && bytes >= 0 && self->want_bytes)
    status = nprof_attr_int (w, self->key_bytes, bytes);
  if (!status && c->want_text && name.len < event->value[TE_NAME].len)
    status = nprof_attr_str (w, c->key_text, ch_text (part, event, TE_NAME));
  return status;
}

static nprof_status
say_call (ChPart *part, const TeEvent *event)
{
  const Chrome *c = part->c;
  const ChUnitrace *self = c->unitrace;
  struct nprof_writer *w = part->w;
  const TeValue *name = &event->value[TE_NAME];
  if (!is_call_of_runtime (name))
    return NPROF_OK;
  nprof_set_category (w, self->runtime);
  if (!c->want_launch)
    return NPROF_OK;
  const uint64_t call = ch_at (c, event->at) + 1;
  const bool launches
      = bsearch (&call, self->calls->data, self->calls->len, sizeof call, by_number) != NULL;
  const nprof_status status = launches ? nprof_attr_uint (w, c->key_launch, call) : NPROF_OK;
  return status || !blocks (name)
             ? status
             : nprof_attr (w, self->key_blocks, NPROF_BOOL, (nprof_value){ .u = 1 });
}

static nprof_status
say (ChPart *part, const TeEvent *event)
{
  if (event->ph != 'X' || !te_has (event, TE_CAT) || !te_has (event, TE_NAME)
      || event->value[TE_NAME].kind != TE_TEXT)
    return NPROF_OK;
  if (te_text_is (&event->value[TE_CAT], "gpu_op"))
    return say_work (part, event);
  return te_text_is (&event->value[TE_CAT], "cpu_op") ? say_call (part, event) : NPROF_OK;
}

/* -- Together ---------------------------------------------------------------------------------- */

void
ch_unitrace_begin (Chrome *c)
{
  const size_t len = MIN (NEAR, (size_t) (c->end - c->data));
  const char *name = memmem (c->data, len, "\"process_name\"", strlen ("\"process_name\""));
  if (!name || !memmem (name, (size_t) (c->data + len - name), HOST, strlen (HOST)))
    return;
  c->dress = say;
  c->unitrace = g_new (ChUnitrace, 1);
  *c->unitrace = (ChUnitrace){ .calls = g_array_new (FALSE, FALSE, sizeof (uint64_t)),
                               .launches = g_array_new (FALSE, FALSE, sizeof (Launch)),
                               .runtime = nprof_intern (c->host, "xpu_runtime"),
                               .key_bytes = nprof_intern (c->host, NPROF_KEY_BYTES),
                               .key_blocks = nprof_intern (c->host, NPROF_KEY_BLOCKS),
                               .want_bytes = c->host->wanted (c->host, NPROF_KEY_BYTES) };
  for (Work work = 0; work < N_WORKS; work++)
    c->unitrace->category[work] = nprof_intern (c->host, categories[work]);
}

void
ch_unitrace_free (Chrome *c)
{
  if (!c->unitrace)
    return;
  g_array_unref (c->unitrace->calls);
  g_array_unref (c->unitrace->launches);
  g_free (c->unitrace);
}
