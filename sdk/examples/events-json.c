/* SPDX-License-Identifier: Apache-2.0 */
/* events-json.c - decoder of JSON by nprof/json-pull.h, that says what rows mean; times are in us:
 *
 *   {"events": [{"kind": "kernel", "lane": "stream 7", "name": "gemm", "number": 4,
 *                "start": 12.5, "duration": 3}, ...]} */
#include <nprof/decimal.h>
#include <nprof/format.h>
#include <nprof/json-pull.h>
#include <nprof/sdk.h>

/* Producers' words, and what they mean (nprof-semantics(7)): a number is a launch's, or a
 * step's. */
static const struct kind {
  const char *name, *work; /* NULL: a call of the host */
  bool on_device;
} kinds[] = {
  { "kernel", "compute", true },  { "collective", "communication", true },
  { "upload", "transfer", true }, { "step", "step", false },
  { "launch", NULL, false },      { "synchronize", NULL, false },
};

struct event {
  const struct kind *kind;
  struct nprof_pull_text lane, name;
  int64_t start, duration, number;
};

typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *writer;
  struct nprof_buf text;
  nprof_track host_track, device;
  nprof_str work, launch, step, blocks;
} Events;

static const struct kind *
find_kind (const struct nprof_pull_text *text)
{
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (strlen (kinds[i].name) == text->len && memcmp (kinds[i].name, text->at, text->len) == 0)
      return &kinds[i];
  return NULL;
}

static bool
read_time (const struct nprof_pull *p, int64_t *ps)
{
  return p->kind == NPROF_PULL_NUMBER
         && nprof_read_scaled (p->text.at, p->text.len, 6, ps) <= NPROF_DECIMAL_ROUNDED;
}

/* Returns what is wrong; NULL: it is an event. */
static const char *
read_event (struct nprof_pull *p, struct event *e)
{
  bool start = false, duration = false, number = true;
  memset (e, 0, sizeof *e);
  while (nprof_pull_next (p)) {
    if (nprof_pull_is (p, "kind"))
      e->kind = find_kind (&p->text);
    else if (nprof_pull_is (p, "lane"))
      e->lane = p->text;
    else if (nprof_pull_is (p, "name"))
      e->name = p->text;
    else if (nprof_pull_is (p, "start"))
      start = read_time (p, &e->start);
    else if (nprof_pull_is (p, "duration"))
      duration = read_time (p, &e->duration) && e->duration >= 0;
    else if (nprof_pull_is (p, "number"))
      number = nprof_read_decimal (p->text.at, p->text.len, 1, &e->number) && e->number >= 0;
  }
  return !e->kind    ? "an event of a kind that there is not"
         : !start    ? "an event without its start, in us"
         : !duration ? "an event without its duration, in us"
         : !number   ? "a number that is not whole"
                     : NULL;
}

static nprof_str
intern (Events *d, const struct nprof_pull_text *text)
{
  d->text.len = 0;
  nprof_pull_put (&d->text, text);
  return d->host->intern (d->host, d->text.len ? d->text.data : "", d->text.len);
}

static nprof_status
add_event (Events *d, const struct event *e)
{
  const struct nprof_host *h = d->host;
  struct nprof_writer *w = d->writer;
  nprof_track track
      = e->kind->on_device
            ? h->track (h, d->device, NPROF_TRACK_QUEUE, intern (d, &e->lane), 0, 0)
            : h->track (h, d->host_track, NPROF_TRACK_THREAD, intern (d, &e->lane), 0, 0);
  if (!track)
    return nprof_fail (h, NPROF_E_NOMEM, "no memory for a track");
  const bool is_step = e->kind->work && strcmp (e->kind->work, "step") == 0;
  const bool waits = strcmp (e->kind->name, "synchronize") == 0;
  const nprof_str name = intern (d, &e->name);
  if (d->text.failed)
    return nprof_fail (h, NPROF_E_NOMEM, "no memory for a name");
  nprof_status s = nprof_span (w, track, name, e->start, e->duration);
  if (!s && e->kind->work)
    s = nprof_attr_str (w, d->work, nprof_intern (h, e->kind->work));
  if (!s && is_step)
    s = nprof_attr_int (w, d->step, e->number);
  if (!s && !is_step && e->number)
    s = nprof_attr_uint (w, d->launch, (uint64_t) e->number);
  if (!s && waits)
    s = nprof_attr (w, d->blocks, NPROF_BOOL, (nprof_value){ .u = 1 });
  return s;
}

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  static const char magic[] = "{\"events\": [{\"kind\": ";
  (void) size, (void) path;
  return len >= strlen (magic) && memcmp (head, magic, strlen (magic)) == 0 ? 90 : 0;
}

static nprof_status
open_events (void *self, const struct nprof_host *host)
{
  Events *d = self;
  d->host = host;
  d->work = nprof_intern (host, NPROF_KEY_WORK);
  d->launch = nprof_intern (host, NPROF_KEY_LAUNCH);
  d->step = nprof_intern (host, NPROF_KEY_STEP);
  d->blocks = nprof_intern (host, NPROF_KEY_BLOCKS);
  return NPROF_OK;
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  Events *d = self;
  const struct nprof_host *h = d->host;
  struct nprof_pull p = nprof_pull (data, len);
  nprof_status status = NPROF_OK;
  d->writer = h->writer (h);
  d->host_track = h->track (h, 0, NPROF_TRACK_PROCESS, nprof_intern (h, "host"), 0, 0);
  d->device
      = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "0"), nprof_intern (h, "device 0"), 0);
  if (!d->writer || !d->host_track || !d->device)
    return nprof_fail (h, NPROF_E_NOMEM, "no memory for rows");
  nprof_pull_next (&p);
  nprof_pull_enter (&p, NPROF_PULL_OBJECT);
  while (!status && nprof_pull_next (&p))
    if (nprof_pull_is (&p, "events") && nprof_pull_enter (&p, NPROF_PULL_ARRAY))
      while (!status && nprof_pull_next (&p)) {
        const uint64_t at = nprof_pull_at (&p);
        struct event e;
        const char *wrong
            = nprof_pull_enter (&p, NPROF_PULL_OBJECT) ? read_event (&p, &e) : "no event";
        status = wrong && !p.why ? nprof_damage (h, at, "%s", wrong)
                 : wrong         ? NPROF_OK
                                 : add_event (d, &e);
      }
  if (!status && !nprof_pull_end (&p))
    status = nprof_damage (h, nprof_pull_at (&p), "%s", p.why);
  return status ? status : h->progress (h, 0, len);
}

static void
close_events (void *self)
{
  nprof_buf_clear (&((Events *) self)->text);
}

static const struct nprof_component events = {
  .size = sizeof events,
  .kind = NPROF_DECODER,
  .name = "acme.events-json",
  .summary = "events in JSON, and what they mean",
  .formats = "JSON whose first member is \"events\"",
  .attributes = NPROF_ATTRIBUTES (
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_WORK, "", "what it is"),
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_LAUNCH, "", "joins a call and its work"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", "number of the step"),
      NPROF_ATTRIBUTE (NPROF_BOOL, NPROF_KEY_BLOCKS, "", "the call waits for work")),
  .instance_size = sizeof (Events),
  .probe = probe,
  .open = open_events,
  .decode = decode,
  .close = close_events,
};

NPROF_PLUGIN ("events-json", "1.0", "Apache-2.0", &events)
