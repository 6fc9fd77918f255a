/* SPDX-License-Identifier: Apache-2.0 */
/* ask-sums-two.c - answers route s2: the figures of two selections beside each other, such as of
 * two steps. */

#include "sums.h"

#include <string.h>

/* One of them. */
typedef struct {
  NpWindow window;
  GArray *tracks;
  NpParts *parts;
  GArray *sums;
} Part;

static void
part_clear (Part *part)
{
  g_clear_pointer (&part->tracks, g_array_unref);
  g_clear_pointer (&part->parts, np_parts_free);
  g_clear_pointer (&part->sums, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Part, part_clear)

/* Reads "t0..t1@tracks", or "t0..t1@parts", of a parameter; FALSE: the reply says what is wrong. */
static gboolean
read_part (NpAsk *ask, const char *name, Part *part)
{
  const char *text = np_request_param (ask->request, name);
  g_auto (GStrv) ends = text ? g_strsplit (text, "..", 2) : NULL;
  g_auto (GStrv) rest = ends && ends[0] && ends[1] ? g_strsplit (ends[1], "@", 2) : NULL;
  NpWindow *w = &part->window;
  if (!text) {
    np_ask_missing (ask, name);
    return FALSE;
  }
  if (!rest || !np_parse_i64 (ends[0], &w->t0) || !np_parse_i64 (rest[0], &w->t1)
      || w->t0 > w->t1) {
    np_ask_wrong (ask, name, "T0..T1, T0..T1@TRACKS or T0..T1@PARTS");
    return FALSE;
  }
  const char *of = rest[1] ? rest[1] : "";
  if (strchr (of, ':') && !np_parts_read (ask, of, &part->parts))
    return FALSE;
  part->tracks = part->parts ? g_array_ref ((GArray *) np_parts_tracks (part->parts))
                             : np_tracks_of (ask, name, of);
  w->tracks = part->tracks;
  w->parts = part->parts;
  part->sums = part->tracks ? np_sums (ask, w) : NULL;
  return part->sums != NULL;
}

/* Returns a - b, or what is nearest to it: anybody may ask for any window. */
static gint64
less (gint64 a, gint64 b)
{
  gint64 difference;
  if (__builtin_sub_overflow (a, b, &difference))
    return a < b ? G_MININT64 : G_MAXINT64;
  return difference;
}

/* Puts the difference of two members `totals`, where both are known. */
static void
put_delta (NpAsk *ask, const Part *a, const Part *b)
{
  gint64 inside[2] = { 0, 0 }, events[2] = { 0, 0 };
  const GArray *const sums[] = { a->sums, b->sums };
  for (guint k = 0; k < 2; k++)
    for (guint i = 0; i < sums[k]->len; i++) {
      inside[k] += g_array_index (sums[k], NpSum, i).inside;
      events[k] += (gint64) g_array_index (sums[k], NpSum, i).count;
    }
  NpJson *j = &ask->json;
  np_json_object (j, "delta");
  np_json_i64 (j, "start", less (b->window.t0, a->window.t0));
  np_json_object (j, "totals");
  np_json_i64 (j, "length",
               less (less (b->window.t1, b->window.t0), less (a->window.t1, a->window.t0)));
  np_json_i64 (j, "inside", inside[1] - inside[0]);
  np_json_i64 (j, "events", events[1] - events[0]);
  np_json_end_object (j);
  np_json_end_object (j);
}

static gboolean
put_part (NpAsk *ask, const char *key, const Part *part)
{
  np_json_object (&ask->json, key);
  gboolean good = np_json_totals (ask, &part->window, part->sums);
  np_json_end_object (&ask->json);
  return good;
}

/* -- Names of both --------------------------------------------------------------------- */

/* Sums of one name in both; a part without it has none of its rows. */
typedef struct {
  const NpSum *of[2];
  gint64 change; /* of the self time, ps */
} Pair;

static gint64
self_of (const NpSum *sum)
{
  return sum ? sum->self_inside : 0;
}

static guint32
key_of (const Pair *pair)
{
  return (pair->of[0] ? pair->of[0] : pair->of[1])->key;
}

static gint
by_change (gconstpointer a, gconstpointer b)
{
  gint64 x = ABS (((const Pair *) a)->change), y = ABS (((const Pair *) b)->change);
  guint32 key_a = key_of (a), key_b = key_of (b);
  return x != y ? (x > y ? -1 : 1) : (key_a > key_b) - (key_a < key_b);
}

/* Returns a pair for each name, what changed most first. */
static GArray *
pairs_of (const Part *a, const Part *b)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  const Part *const parts[] = { a, b };
  g_autoptr (GHashTable) at = g_hash_table_new (NULL, NULL);
  for (guint k = 0; k < 2; k++)
    for (guint i = 0; i < parts[k]->sums->len; i++) {
      const NpSum *sum = &g_array_index (parts[k]->sums, NpSum, i);
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (at, GUINT_TO_POINTER (sum->key)));
      if (!place) {
        place = pairs->len + 1;
        g_array_set_size (pairs, place);
        g_array_index (pairs, Pair, place - 1) = (Pair){ { NULL, NULL }, 0 };
        g_hash_table_insert (at, GUINT_TO_POINTER (sum->key), GUINT_TO_POINTER (place));
      }
      g_array_index (pairs, Pair, place - 1).of[k] = sum;
    }
  for (guint i = 0; i < pairs->len; i++) {
    Pair *pair = &g_array_index (pairs, Pair, i);
    pair->change = self_of (pair->of[1]) - self_of (pair->of[0]);
  }
  g_array_sort (pairs, by_change);
  return pairs;
}

static void
put_both (NpJson *j, const char *key, gint64 a, gint64 b)
{
  np_json_array (j, key);
  np_json_i64 (j, NULL, a);
  np_json_i64 (j, NULL, b);
  np_json_end_array (j);
}

static void
put_pair (NpAsk *ask, const Pair *pair)
{
  NpJson *j = &ask->json;
  const NpSum *a = pair->of[0], *b = pair->of[1];
  np_json_object (j, NULL);
  np_json_number (j, "key", key_of (pair));
  np_json_text (j, "name", np_ask_string (ask, key_of (pair)));
  put_both (j, "count", a ? (gint64) a->count : 0, b ? (gint64) b->count : 0);
  put_both (j, "inside", a ? a->inside : 0, b ? b->inside : 0);
  put_both (j, "self_inside", self_of (a), self_of (b));
  np_json_i64 (j, "self_change", pair->change);
  np_json_end_object (j);
}

static void
put_rows (NpAsk *ask, const Part *a, const Part *b, guint n)
{
  g_autoptr (GArray) pairs = pairs_of (a, b);
  np_json_number (&ask->json, "total", pairs->len);
  np_json_array (&ask->json, "rows");
  for (guint i = 0; i < pairs->len && i < n; i++)
    put_pair (ask, &g_array_index (pairs, Pair, i));
  np_json_end_array (&ask->json);
}

gboolean
np_ask_sums_of_two (NpAsk *ask)
{
  g_auto (Part) a = { 0 }, b = { 0 };
  guint32 n;
  if (!np_ask_u32 (ask, "n", 1000, 100000, &n) || !read_part (ask, "a", &a)
      || !read_part (ask, "b", &b))
    return FALSE;
  np_json_object (&ask->json, NULL);
  if (!put_part (ask, "a", &a) || !put_part (ask, "b", &b))
    return FALSE;
  put_delta (ask, &a, &b);
  put_rows (ask, &a, &b, n);
  np_json_end_object (&ask->json);
  return TRUE;
}
