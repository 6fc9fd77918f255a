/* SPDX-License-Identifier: Apache-2.0 */
/* translated.c - reads the files into which torch-neuronx translates planes of the Neuron runtime,
 * RUN/neuron_op_timeline.json and those beside it, back into planes of one XSpace, so that a folder
 * of them is one profile by the same rules. Source: torch_neuronx translate_to_tb_neuron.py. */
#include "xplane.h"

#include <nprof/draft/input-file.h>
#include <string.h>

/* The first of them that a folder has is the input; the others are read with it. */
static const char *const files[]
    = { "neuron_op_timeline.json", "neuron_trace.json", "neuron_op_timeline_split.json",
        "neuron_hlo_op.json", "neuron_framework_op.json" };

/* Numbers of metadata within a plane; those of operators follow. */
enum { EVENT = 1, RECORD, FIRST_OP };

/* A record of the input itself, where it stands in the XSpace and where in its file. */
typedef struct {
  uint64_t at, in_file;
} Place;

typedef struct {
  const uint8_t *file; /* whose places are kept; NULL: those of a file beside the input */
  GByteArray *plane, *line;
  GArray *places; /* of Place, within the line */
  bool ops;
  uint64_t n;
} Making;

static guint
rank_of (const char *name)
{
  guint rank = 0;
  while (rank < G_N_ELEMENTS (files) && strcmp (name, files[rank]) != 0)
    rank++;
  return rank;
}

bool
xp_is_translated (const void *head, size_t len, const char *path)
{
  const char *p = head, *end = p + len;
  g_autofree char *name = path ? g_path_get_basename (path) : NULL;
  while (p < end && g_ascii_isspace (*p))
    p++;
  return name && p < end && *p == '{' && rank_of (name) < G_N_ELEMENTS (files);
}

/* -- Protobuf --------------------------------------------------------------------------------- */

static void
put_varint (GByteArray *to, uint64_t value)
{
  for (; value > 127; value >>= 7)
    g_byte_array_append (to, &(uint8_t){ (uint8_t) (value | 128) }, 1);
  g_byte_array_append (to, &(uint8_t){ (uint8_t) value }, 1);
}

static void
put_number (GByteArray *to, guint field, uint64_t value)
{
  put_varint (to, field << 3);
  put_varint (to, value);
}

static void
put_bytes (GByteArray *to, guint field, const void *bytes, size_t len)
{
  put_varint (to, field << 3 | 2);
  put_varint (to, len);
  g_byte_array_append (to, bytes, (guint) len);
}

/* Puts the name of metadata: an entry of the map that `field` of a plane is. */
static void
put_name (GByteArray *plane, guint field, uint64_t number, const void *name, size_t len)
{
  g_autoptr (GByteArray) meta = g_byte_array_new (), entry = g_byte_array_new ();
  put_number (meta, 1, number);
  put_bytes (meta, 2, name, len);
  put_number (entry, 1, number);
  put_bytes (entry, 2, meta->data, meta->len);
  put_bytes (plane, field, entry->data, entry->len);
}

/* -- Members of a file ------------------------------------------------------------------------ */

static void
put_stat (Making *m, const void *name, size_t len, PbSpan value)
{
  g_autoptr (GByteArray) stat = g_byte_array_new ();
  const uint64_t number = FIRST_OP + m->n++;
  put_name (m->plane, 5, number, name, len);
  put_number (stat, 1, number);
  g_autofree char *text = xp_json_text (value);
  guint64 whole;
  if (g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &whole, NULL))
    put_number (stat, 3, whole);
  else
    put_bytes (stat, 5, text, strlen (text));
  put_bytes (m->plane, 6, stat->data, stat->len);
}

static void
put_op (void *user, PbSpan record)
{
  Making *m = user;
  g_autoptr (GByteArray) stat = g_byte_array_new ();
  g_autofree char *name = g_strdup_printf ("op_%" G_GUINT64_FORMAT, m->n);
  const uint64_t number = FIRST_OP + m->n++;
  put_name (m->plane, 5, number, name, strlen (name));
  put_number (stat, 1, number);
  put_bytes (stat, 5, record.p, xp_len (record));
  put_bytes (m->plane, 6, stat->data, stat->len);
}

static void
put_event (void *user, PbSpan record)
{
  Making *m = user;
  g_autoptr (GByteArray) stat = g_byte_array_new (), event = g_byte_array_new ();
  put_number (stat, 1, RECORD);
  put_bytes (stat, 5, record.p, xp_len (record));
  put_number (event, 1, EVENT);
  put_bytes (event, 4, stat->data, stat->len);
  put_bytes (m->line, 4, event->data, event->len);
  const Place place = { m->line->len - xp_len (record), (uint64_t) (record.p - m->file) };
  if (m->file)
    g_array_append_val (m->places, place);
}

static void
put_member (void *user, PbSpan name, PbSpan value)
{
  Making *m = user;
  if (xp_is (name, m->ops ? "ops" : "traceEvents"))
    xp_json_items (value, m->ops ? put_op : put_event, m);
  else
    put_stat (m, name.p, xp_len (name), value);
}

/* -- Files ------------------------------------------------------------------------------------- */

/* Adds the plane of a file; FALSE: it is no JSON object. */
static bool
add_file (Xplane *x, const char *run, guint rank, PbSpan text, bool own)
{
  g_autoptr (GByteArray) plane = g_byte_array_new (), line = g_byte_array_new ();
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
  Making m = { own ? text.p : NULL, plane, line, places, rank >= 3, 0 };
  g_autofree char *name = g_strdup_printf ("/host:Neuron-runtime:profile//%s///plugins/neuron/0/%s",
                                           run, files[rank]);
  put_number (plane, 1, rank + 1);
  put_bytes (plane, 2, name, strlen (name));
  put_name (plane, 4, EVENT, "record", 6);
  put_name (plane, 5, RECORD, "event", 5);
  if (!xp_json_each (text, put_member, &m))
    return false;
  put_bytes (plane, 3, line->data, line->len);
  put_bytes (x->translated, 1, plane->data, plane->len);
  const uint64_t begin = x->translated->len - line->len;
  for (guint i = 0; i < places->len; i++) {
    Place place = g_array_index (places, Place, i);
    place.at += begin;
    g_array_append_val (x->places, place);
  }
  return true;
}

static int
note (void *user, const char *name)
{
  guint *there = user;
  if (rank_of (name) < G_N_ELEMENTS (files))
    *there |= 1u << rank_of (name);
  return 0;
}

static char *
own_path (const Xplane *x)
{
  const struct nprof_input_file *file = x->host->extension (x->host, NPROF_INPUT_FILE);
  const char *path = file ? file->path (x->host, x->host->own_input) : NULL;
  return g_strdup (path ? path : "");
}

bool
xp_translated_is_part (const Xplane *x)
{
  g_autofree char *path = own_path (x), *name = g_path_get_basename (path);
  const guint rank = rank_of (name);
  guint there = 0;
  return rank < G_N_ELEMENTS (files) && x->host->siblings (x->host, note, &there) == NPROF_OK
         && there & ((1u << rank) - 1);
}

/* Returns whether the user named a file of the same folder before this one, with which this one is
 * read. */
static bool
is_given_before (const Xplane *x, const char *folder)
{
  const struct nprof_input_file *file = x->host->extension (x->host, NPROF_INPUT_FILE);
  for (uint32_t i = 0; file && i < x->host->own_input; i++) {
    const char *other = file->path (x->host, i);
    g_autofree char *there = other ? g_path_get_dirname (other) : NULL,
                    *name = other ? g_path_get_basename (other) : NULL;
    if (there && !strcmp (there, folder) && rank_of (name) < G_N_ELEMENTS (files))
      return true;
  }
  return false;
}

static nprof_status
add_sibling (Xplane *x, const char *run, guint rank)
{
  uint64_t len;
  const uint8_t *bytes = x->host->sibling (x->host, files[rank], &len);
  if (!bytes)
    return NPROF_E_IO;
  if (!add_file (x, run, rank, (PbSpan){ bytes, bytes + len }, false))
    x->host->skip (x->host, "file of torch-neuronx", 0,
                   "a file beside the timeline is no whole JSON object");
  return NPROF_OK;
}

nprof_status
xp_translate (Xplane *x, PbSpan *bytes)
{
  g_autofree char *path = own_path (x), *name = g_path_get_basename (path),
                  *folder = g_path_get_dirname (path), *run = g_path_get_basename (folder);
  guint there = 0;
  if (!xp_is_translated (bytes->p, xp_len (*bytes), path))
    return NPROF_OK;
  const PbSpan own = *bytes;
  *bytes = (PbSpan){ NULL, NULL };
  if (is_given_before (x, folder))
    return NPROF_OK;
  x->translated = g_byte_array_new ();
  x->places = g_array_new (FALSE, FALSE, sizeof (Place));
  if (!add_file (x, run, rank_of (name), own, true))
    return nprof_fail (x->host, NPROF_E_FORMAT,
                       "byte 0: expected one JSON object, as torch-neuronx writes it: the file may "
                       "be cut off");
  nprof_status status = x->host->siblings (x->host, note, &there);
  for (guint i = 0; i < G_N_ELEMENTS (files) && status == NPROF_OK; i++)
    if (there >> i & 1)
      status = add_sibling (x, run, i);
  *bytes = (PbSpan){ x->translated->data, x->translated->data + x->translated->len };
  return status;
}

void
xp_translated_free (Xplane *x)
{
  g_clear_pointer (&x->translated, g_byte_array_unref);
  g_clear_pointer (&x->places, g_array_unref);
}

uint64_t
xp_translated_at (const Xplane *x, uint64_t at)
{
  guint low = 0, high = x->places->len;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (g_array_index (x->places, Place, middle).at <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? g_array_index (x->places, Place, low - 1).in_file : 0;
}
