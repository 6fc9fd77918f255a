/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - writes the files of a trace that is split, some at once. */
#include "parts.h"

#define PARTS_AT_ONCE 8u /* each has buffers */

struct writer {
  const struct parts *of;
  guint first; /* part of streams[0] */
  Stream streams[PARTS_AT_ONCE];
  guint64 events[PARTS_AT_ONCE], bytes[PARTS_AT_ONCE];
  nprof_status status;
};

/* Returns "trace-2.json.gz" for "trace.json.gz" and part 2. */
static char *
part_name (const struct parts *of, guint part)
{
  const char *name = of->host->target (of->host)->name;
  const char *ending = strrchr (name, '.');
  if (ending && of->gzip)
    for (ending--; ending > name && *ending != '.'; ending--)
      ;
  if (!ending || ending <= name)
    ending = of->gzip ? name + strlen (name) - 3 : name + strlen (name);
  return g_strdup_printf ("%.*s-%u%s", (int) (ending - name), name, part, ending);
}

static gboolean
give_event (gpointer user, guint part, const char *text, gsize len)
{
  struct writer *w = user;
  guint k = part - w->first;
  Stream *stream = w->streams + k;
  const char *between = w->events[k]++ ? w->of->separator : w->of->first;
  nprof_put_text (&stream->buf, between);
  nprof_put (&stream->buf, text, len);
  w->bytes[k] += len + strlen (between);
  w->status = stream_flush (stream);
  return w->status == NPROF_OK;
}

static nprof_status
open_part (struct writer *w, guint k)
{
  guint part = w->first + k + 1;
  g_autofree char *name = part > 1 ? part_name (w->of, part) : NULL;
  if (w->of->head)
    w->of->head (w->of->user, &w->streams[k].buf);
  return stream_open (w->streams + k, w->of->host, name, w->of->gzip);
}

static nprof_status
close_part (struct writer *w, guint k, guint n_parts)
{
  if (w->of->tail)
    w->of->tail (w->of->user, &w->streams[k].buf, w->first + k + 1, n_parts);
  if (w->bytes[k] > w->of->split->limit)
    nprof_log (w->of->host, NPROF_WARNING,
               "part %u has %" G_GUINT64_FORMAT " MB: there is so much at one time, or of names",
               w->first + k + 1, w->bytes[k] / 1000000);
  return stream_finish (w->streams + k);
}

/* Writes the parts first..first + n - 1 of n_parts. */
static nprof_status
write_some (const struct parts *of, guint first, guint n, guint n_parts)
{
  struct writer w = { .of = of, .first = first };
  for (guint k = 0; k < n && w.status == NPROF_OK; k++)
    w.status = open_part (&w, k);
  if (w.status == NPROF_OK && !split_replay (of->split, first, first + n, give_event, &w)
      && !w.status)
    w.status = NPROF_E_IO;
  for (guint k = 0; k < n && w.status == NPROF_OK; k++)
    w.status = close_part (&w, k, n_parts);
  for (guint k = 0; k < n; k++)
    stream_clear (w.streams + k);
  return w.status;
}

nprof_status
parts_write (const struct parts *of, guint n)
{
  nprof_status status = NPROF_OK;
  for (guint first = 0; first < n && status == NPROF_OK; first += PARTS_AT_ONCE)
    status = write_some (of, first, MIN (PARTS_AT_ONCE, n - first), n);
  return status;
}
