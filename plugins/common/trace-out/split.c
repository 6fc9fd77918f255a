/* SPDX-License-Identifier: Apache-2.0 */
/* split.c - cuts a trace by time into parts. */
#include "split.h"

#include <errno.h>

#define WRITE_BYTES (1u << 20)
#define READ_BYTES (1u << 20)
#define EVERYWHERE G_MAXUINT32

/* This stands before each event on disk. */
struct record {
  guint32 len, place;
};

void
split_init (Split *split, const struct nprof_host *host, guint64 limit, gint64 span)
{
  *split = (Split){ .limit = limit, .width = MAX (span, 0) / SPLIT_PLACES + 1 };
  split->weight = g_new0 (guint64, SPLIT_PLACES);
  split->firsts = g_array_new (FALSE, FALSE, sizeof (guint32));
  spill_init (&split->spill, host);
}

void
split_clear (Split *split)
{
  if (!split->weight)
    return;
  g_clear_pointer (&split->weight, g_free);
  g_clear_pointer (&split->firsts, g_array_unref);
  spill_clear (&split->spill);
}

guint32
split_place (const Split *split, gint64 at)
{
  return (guint32) CLAMP (at / split->width, 0, SPLIT_PLACES - 1);
}

void
split_expect (Split *split, guint32 place, guint64 bytes)
{
  split->weight[place] += bytes;
}

/* -- Writing --------------------------------------------------------------- */

static void
end_record (Split *split, struct nprof_buf *buf)
{
  gsize from = split->record + sizeof (struct record);
  if (!split->open || buf->failed)
    return;
  split->open = FALSE;
  if (buf->len - from > SPLIT_RECORD_MAX) {
    buf->failed = true;
    return;
  }
  struct record record = { (guint32) (buf->len - from), split->place };
  memcpy (buf->data + split->record, &record, sizeof record);
  *(record.place == EVERYWHERE ? &split->common : split->weight + record.place) += record.len;
}

void
split_begin (Split *split, struct nprof_buf *buf, gint64 at)
{
  end_record (split, buf);
  split->open = TRUE;
  split->record = buf->len;
  split->place = at == SPLIT_EVERYWHERE ? EVERYWHERE : split_place (split, at);
  nprof_put (buf, &(struct record){ 0 }, sizeof (struct record));
}

void
split_flush (Split *split, struct nprof_buf *buf, gboolean all)
{
  if (buf->len < WRITE_BYTES && !all)
    return;
  end_record (split, buf);
  if (buf->failed)
    return;
  spill_append (&split->spill, buf->data, buf->len);
  buf->len = 0;
}

/* -- Parts ----------------------------------------------------------------- */

guint
split_plan (Split *split)
{
  guint64 bytes = split->common;
  g_array_set_size (split->firsts, 0);
  g_array_append_val (split->firsts, (guint32){ 0 });
  for (guint32 place = 0; place < SPLIT_PLACES; place++) {
    guint64 more = split->weight[place];
    if (more && bytes > split->common && bytes + more > split->limit) {
      g_array_append_val (split->firsts, place);
      bytes = split->common;
    }
    bytes += more;
  }
  return split->firsts->len;
}

guint
split_part (const Split *split, guint32 place)
{
  guint low = 0, high = split->firsts->len;
  while (high - low > 1) {
    guint middle = (low + high) / 2;
    if (g_array_index (split->firsts, guint32, middle) <= place)
      low = middle;
    else
      high = middle;
  }
  return low;
}

gboolean
split_replay (Split *split, guint from, guint to,
              gboolean (*give) (gpointer user, guint part, const char *text, gsize len),
              gpointer user)
{
  g_autoptr (GByteArray) buf = g_byte_array_new ();
  gsize used = 0;
  for (guint64 at = 0; at < split->spill.size;) {
    struct record record = { 0 };
    gsize have = buf->len - used;
    if (have >= sizeof record)
      memcpy (&record, buf->data + used, sizeof record);
    if (have < sizeof record || have - sizeof record < record.len) {
      g_byte_array_remove_range (buf, 0, (guint) used);
      g_byte_array_set_size (buf, (guint) (sizeof record + MAX (READ_BYTES, record.len)));
      gsize n = spill_read (&split->spill, at + have, buf->data + have, buf->len - have);
      if (!n)
        return FALSE;
      g_byte_array_set_size (buf, (guint) (have + n));
      used = 0;
      continue;
    }
    const char *text = (const char *) buf->data + used + sizeof record;
    guint only = record.place == EVERYWHERE ? from : split_part (split, record.place);
    guint last = record.place == EVERYWHERE ? to - 1 : only;
    for (guint part = only; part >= from && part < to && part <= last; part++)
      if (!give (user, part, text, record.len))
        return FALSE;
    used += sizeof record + record.len;
    at += sizeof record + record.len;
  }
  return TRUE;
}
