/* SPDX-License-Identifier: Apache-2.0 */
/* events-pb.c - decoder of protobuf by nprof/protobuf.h:
 *
 *   message Trace { repeated Event events = 1; }
 *   message Event { string name = 1; uint64 start_ns = 2; uint64 duration_ns = 3;
 *                   string lane = 4; } */
#include <nprof/protobuf.h>
#include <nprof/sdk.h>

struct event {
  uint64_t start, duration;
  struct nprof_pb_field name, lane;
};

struct events {
  const struct nprof_host *host;
};

/* Its file name says what it is: protobuf has no magic. */
static int
events_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const char *dot = path ? strrchr (path, '.') : NULL;
  (void) head, (void) len, (void) size;
  return dot && strcmp (dot, ".events-pb") == 0 ? 20 : 0;
}

static nprof_status
events_open (void *self, const struct nprof_host *host)
{
  ((struct events *) self)->host = host;
  return NPROF_OK;
}

static bool
read_event (struct nprof_cursor c, struct event *e)
{
  struct nprof_pb_field f;
  while (nprof_take_field (&c, &f))
    switch (f.tag) {
    case NPROF_PB_BYTES (1):
      e->name = f;
      break;
    case NPROF_PB_VARINT (2):
      e->start = f.value;
      break;
    case NPROF_PB_VARINT (3):
      e->duration = f.value;
      break;
    case NPROF_PB_BYTES (4):
      e->lane = f;
      break;
    }
  return !c.cut && e->start <= INT64_MAX / 2000 && e->duration <= INT64_MAX / 2000;
}

static nprof_str
intern (const struct nprof_host *h, const struct nprof_pb_field *f)
{
  return f->value ? h->intern (h, (const char *) f->span.p, (size_t) f->value) : 0;
}

static nprof_status
add_event (const struct nprof_host *h, struct nprof_writer *w, const struct event *e)
{
  nprof_track track = h->track (h, 0, NPROF_TRACK_THREAD, intern (h, &e->lane), 0, 0);
  if (!track)
    return nprof_fail (h, NPROF_E_NOMEM, "no memory for a track");
  return nprof_span (w, track, intern (h, &e->name), (int64_t) e->start * 1000,
                     (int64_t) e->duration * 1000);
}

static nprof_status
events_decode (void *self, const void *data, uint64_t len)
{
  const struct nprof_host *h = ((struct events *) self)->host;
  struct nprof_writer *w = h->writer (h);
  struct nprof_cursor c = nprof_cursor (data, len);
  struct nprof_pb_field f;
  nprof_status status = w ? NPROF_OK : nprof_fail (h, NPROF_E_NOMEM, "no memory for rows");
  while (!status && nprof_take_field (&c, &f)) {
    struct event e = { 0 };
    if (f.tag != NPROF_PB_BYTES (1))
      continue;
    status = read_event (nprof_cursor (f.span.p, f.value), &e)
                 ? add_event (h, w, &e)
                 : nprof_damage (h, (uint64_t) (f.span.p - (const uint8_t *) data),
                                 "expected an event whose times fit");
  }
  if (!status && c.cut)
    status = nprof_damage (h, nprof_cursor_at (&c, data), "a field that ends too early");
  return status ? status : h->progress (h, 0, len);
}

static const struct nprof_component events = {
  .size = sizeof events,
  .kind = NPROF_DECODER,
  .name = "acme.events-pb",
  .summary = "events in protobuf",
  .formats = "protobuf in files NAME.events-pb",
  .instance_size = sizeof (struct events),
  .probe = events_probe,
  .open = events_open,
  .decode = events_decode,
};

NPROF_PLUGIN ("events-pb", "1.0", "Apache-2.0", &events)
