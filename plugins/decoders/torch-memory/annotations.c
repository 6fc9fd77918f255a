/* SPDX-License-Identifier: Apache-2.0 */
/* annotations.c - writes ranges that the program marked (optimizer steps): a START and the next END
 * of its name and device. */

#include "snapshot.h"

typedef struct {
  const PkValue *start;
  guint32 number;
} Open;

static nprof_str
name_of (Snapshot *s, const PkValue *mark)
{
  const PkValue *name = pk_get (mark, "name");
  return name && name->type == PK_TEXT ? s->host->intern (s->host, name->text, name->len) : 0;
}

static gboolean
is_stage (const PkValue *mark, const char *stage)
{
  const PkValue *value = pk_get (mark, "stage");
  return value && pk_is (value, stage);
}

/* Takes the latest START of the same name and device out of `open`. */
static gboolean
take_start (Snapshot *s, GArray *open, const PkValue *end, Open *found)
{
  for (guint i = open->len; i > 0; i--) {
    *found = g_array_index (open, Open, i - 1);
    if (name_of (s, found->start) != name_of (s, end)
        || pk_int (found->start, "device", 0) != pk_int (end, "device", 0))
      continue;
    g_array_remove_index (open, i - 1);
    return TRUE;
  }
  return FALSE;
}

static nprof_status
put_range (Snapshot *s, const Open *open, gint64 duration)
{
  const struct nprof_host *host = s->host;
  nprof_track device = tm_device_track (s, (guint32) pk_int (open->start, "device", 0));
  nprof_track track
      = host->track (host, device, NPROF_TRACK_THREAD, nprof_intern (host, "annotations"), 0, 3);
  if (!device || !track)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for the track of annotations");
  nprof_status status = nprof_span (s->w, track, name_of (s, open->start),
                                    tm_time (s, open->start, open->number), duration);
  if (!status)
    nprof_set_category (s->w, nprof_intern (host, "user_annotation"));
  return status;
}

static nprof_status
put_mark (Snapshot *s, GArray *open, const PkValue *mark, guint32 i)
{
  Open this = { mark, i }, start;
  if (is_stage (mark, "START")) {
    if (open->len >= 1000)
      return tm_damaged (s, "external_annotations[%u]: more than 1000 ranges are open", i);
    g_array_append_val (open, this);
    return NPROF_OK;
  }
  if (is_stage (mark, "END") && take_start (s, open, mark, &start))
    return put_range (s, &start,
                      MAX (tm_time (s, mark, i) - tm_time (s, start.start, start.number), 0));
  s->host->skip (s->host, "annotation", 0,
                 is_stage (mark, "END") ? "an END without a START" : "a stage of no known name");
  return NPROF_OK;
}

nprof_status
tm_annotations (Snapshot *s)
{
  const PkItems *marks = pk_list (&s->root, "external_annotations");
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Open));
  nprof_status status = NPROF_OK;
  for (guint32 i = 0; marks && i < marks->n && !status; i++)
    status = put_mark (s, open, &marks->value[i], i);
  for (guint i = 0; i < open->len && !status; i++)
    status = put_range (s, &g_array_index (open, Open, i), -1);
  return status;
}
