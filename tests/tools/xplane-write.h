/* SPDX-License-Identifier: Apache-2.0 */
/* xplane-write.h - writes XSpace messages field by field, in whatever order and shape a
 * test needs; shares nothing with the decoder.  A function that takes a GByteArray as part
 * of a message frees it. */
#pragma once

#include <glib.h>
#include <string.h>

static inline void
pb_raw (GByteArray *b, guint64 v)
{
  guint8 byte;
  for (; v >= 0x80; v >>= 7) {
    byte = (guint8) (v | 0x80);
    g_byte_array_append (b, &byte, 1);
  }
  byte = (guint8) v;
  g_byte_array_append (b, &byte, 1);
}

static inline void
pb_int (GByteArray *b, guint field, gint64 v)
{
  pb_raw (b, (guint64) field << 3);
  pb_raw (b, (guint64) v);
}

static inline void
pb_fixed64 (GByteArray *b, guint field, const void *eight)
{
  pb_raw (b, (guint64) field << 3 | 1);
  g_byte_array_append (b, eight, 8);
}

static inline void
pb_fixed32 (GByteArray *b, guint field, const void *four)
{
  pb_raw (b, (guint64) field << 3 | 5);
  g_byte_array_append (b, four, 4);
}

static inline void
pb_bytes (GByteArray *b, guint field, const void *data, gsize len)
{
  pb_raw (b, (guint64) field << 3 | 2);
  pb_raw (b, len);
  g_byte_array_append (b, data, (guint) len);
}

static inline void
pb_text (GByteArray *b, guint field, const char *text)
{
  pb_bytes (b, field, text, strlen (text));
}

static inline void
pb_message (GByteArray *b, guint field, GByteArray *message)
{
  pb_bytes (b, field, message->data, message->len);
  g_byte_array_unref (message);
}

/* Writes a field that a later version of the format may add. */
static inline void
pb_unknown (GByteArray *b)
{
  pb_int (b, 1000, -1);
  pb_text (b, 1001, "later");
  pb_fixed64 (b, 1002, "\1\2\3\4\5\6\7\10");
  pb_fixed32 (b, 1003, "\1\2\3\4");
}

/* -- XStat -------------------------------------------------------------------- */

static inline GByteArray *
xs_new (gint64 id)
{
  GByteArray *b = g_byte_array_new ();
  pb_int (b, 1, id);
  return b;
}

static inline GByteArray *
xs_double (gint64 id, double v)
{
  GByteArray *b = xs_new (id);
  pb_fixed64 (b, 2, &v);
  return b;
}

static inline GByteArray *
xs_uint (gint64 id, guint64 v)
{
  GByteArray *b = xs_new (id);
  pb_int (b, 3, (gint64) v);
  return b;
}

static inline GByteArray *
xs_int (gint64 id, gint64 v)
{
  GByteArray *b = xs_new (id);
  pb_int (b, 4, v);
  return b;
}

static inline GByteArray *
xs_text (gint64 id, const char *v)
{
  GByteArray *b = xs_new (id);
  pb_text (b, 5, v);
  return b;
}

static inline GByteArray *
xs_bytes (gint64 id, const void *v, gsize len)
{
  GByteArray *b = xs_new (id);
  pb_bytes (b, 6, v, len);
  return b;
}

static inline GByteArray *
xs_ref (gint64 id, guint64 v)
{
  GByteArray *b = xs_new (id);
  pb_int (b, 7, (gint64) v);
  return b;
}

/* -- XEvent, XLine, XPlane ------------------------------------------------------- */

/* Stats follow, field 4. */
static inline GByteArray *
xe_new (gint64 metadata_id, gint64 offset_ps, gint64 duration_ps)
{
  GByteArray *b = g_byte_array_new ();
  pb_int (b, 1, metadata_id);
  pb_int (b, 2, offset_ps);
  if (duration_ps)
    pb_int (b, 3, duration_ps);
  return b;
}

static inline GByteArray *
xe_aggregated (gint64 metadata_id, gint64 duration_ps, gint64 occurrences)
{
  GByteArray *b = g_byte_array_new ();
  pb_int (b, 1, metadata_id);
  pb_int (b, 3, duration_ps);
  pb_int (b, 5, occurrences);
  return b;
}

/* Events follow, field 4. */
static inline GByteArray *
xl_new (gint64 id, const char *name, gint64 timestamp_ns)
{
  GByteArray *b = g_byte_array_new ();
  pb_int (b, 1, id);
  pb_text (b, 2, name);
  if (timestamp_ns)
    pb_int (b, 3, timestamp_ns);
  return b;
}

/* Lines follow, field 3, then metadata. */
static inline GByteArray *
xp_new (gint64 id, const char *name)
{
  GByteArray *b = g_byte_array_new ();
  if (id)
    pb_int (b, 1, id);
  pb_text (b, 2, name);
  return b;
}

/* Stats follow, field 5. */
static inline GByteArray *
xm_new (gint64 id, const char *name, const char *display_name)
{
  GByteArray *b = g_byte_array_new ();
  pb_int (b, 1, id);
  pb_text (b, 2, name);
  if (display_name)
    pb_text (b, 4, display_name);
  return b;
}

static inline void
xp_entry (GByteArray *plane, guint field, gint64 id, GByteArray *value)
{
  GByteArray *b = g_byte_array_new ();
  pb_int (b, 1, id);
  pb_message (b, 2, value);
  pb_message (plane, field, b);
}

static inline void
xp_meta (GByteArray *plane, gint64 id, const char *name)
{
  xp_entry (plane, 4, id, xm_new (id, name, NULL));
}

static inline void
xp_stat (GByteArray *plane, gint64 id, const char *name)
{
  GByteArray *b = g_byte_array_new ();
  pb_int (b, 1, id);
  pb_text (b, 2, name);
  xp_entry (plane, 5, id, b);
}
