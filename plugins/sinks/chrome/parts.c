/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - writes the files of a trace that is split: each a whole trace, with the names of all
 * processes and threads, of the events that begin in its time. */
#include "chrome.h"

#define PARTS_AT_ONCE 8u /* each has buffers */

struct writer {
  struct chrome_sink *self;
  guint first; /* part of streams[0] */
  Stream streams[PARTS_AT_ONCE];
  guint64 events[PARTS_AT_ONCE], bytes[PARTS_AT_ONCE];
  nprof_status status;
};

/* Returns "trace-2.json.gz" for "trace.json.gz" and part 2. */
static char *
part_name (struct chrome_sink *self, guint part)
{
  const char *name = self->host->target (self->host)->name;
  const char *ending = strrchr (name, '.');
  if (ending && self->gzip)
    for (ending--; ending > name && *ending != '.'; ending--)
      ;
  if (!ending || ending <= name)
    ending = self->gzip ? name + strlen (name) - 3 : name + strlen (name);
  return g_strdup_printf ("%.*s-%u%s", (int) (ending - name), name, part, ending);
}

static gboolean
give_event (gpointer user, guint part, const char *text, gsize len)
{
  struct writer *w = user;
  guint k = part - w->first;
  Stream *stream = w->streams + k;
  nprof_put_text (&stream->buf, w->events[k]++ ? ",\n" : "\n");
  nprof_put (&stream->buf, text, len);
  w->bytes[k] += len + 2;
  w->status = stream_flush (stream);
  return w->status == NPROF_OK;
}

static nprof_status
open_part (struct writer *w, guint k)
{
  struct chrome_sink *self = w->self;
  guint part = w->first + k + 1;
  g_autofree char *name = part > 1 ? part_name (self, part) : NULL;
  chrome_put_head (&w->streams[k].buf);
  return stream_open (w->streams + k, self->host, name, self->gzip);
}

static nprof_status
close_part (struct writer *w, guint k, guint n_parts)
{
  struct chrome_sink *self = w->self;
  chrome_put_tail (self, &w->streams[k].buf, w->first + k + 1, n_parts);
  if (w->bytes[k] > self->split.limit)
    nprof_log (self->host, NPROF_WARNING,
               "part %u has %" G_GUINT64_FORMAT " MB: there is so much at one time, or of names",
               w->first + k + 1, w->bytes[k] / 1000000);
  return stream_finish (w->streams + k);
}

/* Writes the parts first..first + n - 1 of n_parts. */
static nprof_status
write_some (struct chrome_sink *self, guint first, guint n, guint n_parts)
{
  struct writer w = { .self = self, .first = first };
  for (guint k = 0; k < n && w.status == NPROF_OK; k++)
    w.status = open_part (&w, k);
  if (w.status == NPROF_OK && !split_replay (&self->split, first, first + n, give_event, &w)
      && !w.status)
    w.status = chrome_spill_failed (self, self->split.spill.failed);
  for (guint k = 0; k < n && w.status == NPROF_OK; k++)
    w.status = close_part (&w, k, n_parts);
  for (guint k = 0; k < n; k++)
    stream_clear (w.streams + k);
  return w.status;
}

nprof_status
chrome_write_parts (struct chrome_sink *self)
{
  nprof_status status = NPROF_OK;
  struct nprof_buf *buf = &self->out.buf;
  split_flush (&self->split, buf, TRUE);
  guint n = split_plan (&self->split);
  flows_finish (&self->flows);
  split_flush (&self->split, buf, TRUE);
  if (buf->failed)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for an event of this length");
  if (self->split.spill.failed)
    return chrome_spill_failed (self, self->split.spill.failed);
  for (guint first = 0; first < n && status == NPROF_OK; first += PARTS_AT_ONCE)
    status = write_some (self, first, MIN (PARTS_AT_ONCE, n - first), n);
  return status;
}
