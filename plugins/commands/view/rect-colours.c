/* SPDX-License-Identifier: Apache-2.0 */
/* rect-colours.c - finds colours of rectangles. The colour is a hash of the text, so that a value
 * looks the same in all profiles, and on the page that hashes the texts of labels alike
 * (share/viewer/base/hash.js). Of values whose hashes agree the later ones have the next colours
 * that none has; when none is left colours come again in their order, so that values which follow
 * each other differ: the page is told these. */

#include "rect-colours.h"

#include <nprof/keys.h>
#include <system/layer-path.h>

/* Of the palette (share/viewer/timeline/colours.js): hues in three shades, each with a grey behind
 * it, which no value has. */
enum { HUES = 7, COLOURS = 3 * HUES, MOST = 1000 /* values that are looked at */ };

static guint8
place_of (guint colour)
{
  return (guint8) (colour + colour / HUES);
}

/* FNV-1a over the UTF-16 letters. */
static guint32
hash_of (const char *text)
{
  g_autofree gunichar2 *letters = g_utf8_to_utf16 (text, -1, NULL, NULL, NULL);
  guint32 hash = 2166136261u;
  for (const gunichar2 *at = letters; at && *at; at++)
    hash = (hash ^ *at) * 16777619u;
  return hash ^ (hash >> 15);
}

/* Returns the layer that a row states, else that of the path of its operator; NULL: neither.
 * Transfer full. */
static char *
layer_of (NpAsk *ask, const struct nprof_event *e)
{
  const char *layer = np_event_text (ask, e, NPROF_KEY_LAYER);
  if (layer && *layer)
    return g_strdup (layer);
  const char *path = np_event_text (ask, e, NPROF_KEY_FRAMEWORK_OP);
  return path ? an_layer_of_path (path) : NULL;
}

static bool
is_instruction (const char *category)
{
  return g_str_equal (category, "instruction") || g_str_equal (category, "semaphore wait");
}

/* Returns the operator of the framework; an instruction of Neuron, also one that waits for a
 * semaphore, states it as the end of its layer's path.  NULL: none. */
static const char *
operator_of (NpAsk *ask, const struct nprof_event *e)
{
  const char *stated = np_event_text (ask, e, NPROF_KEY_FRAMEWORK_OP);
  const bool instruction = is_instruction (np_label_category (ask, e->label));
  return stated || !instruction ? stated : np_event_text (ask, e, NPROF_KEY_LAYER);
}

static gboolean
has_instructions (NpAsk *ask)
{
  const guint32 n = (guint32) nprof_store_n (ask->store, NPROF_STORE_S_LABELS);
  for (guint32 i = 0; i < n; i++)
    if (is_instruction (np_label_category (ask, i)))
      return TRUE;
  return FALSE;
}

typedef struct {
  bool taken[COLOURS];
  guint order[COLOURS]; /* as they were taken */
  guint n;              /* values            */
  GHashTable *seen, *moved;
} Places;

static void
take_text (Places *p, const char *text)
{
  if (!*text || p->n == MOST || !g_hash_table_add (p->seen, g_strdup (text)))
    return;
  const guint own = hash_of (text) % COLOURS;
  guint at = p->n < COLOURS ? own : p->order[p->n % COLOURS];
  while (p->n < COLOURS && p->taken[at])
    at = (at + 1) % COLOURS;
  p->taken[at] = true;
  p->order[p->n++ % COLOURS] = at;
  if (at != own)
    g_hash_table_insert (p->moved, g_strdup (text), GUINT_TO_POINTER (1 + place_of (at)));
}

static void
take_values (Places *p, NpAsk *ask, NpStated what, gboolean layers)
{
  const GArray *values = np_stated_values (ask, what);
  for (guint i = 0; values && i < values->len && p->n < MOST; i++) {
    const char *text = np_ask_string (ask, g_array_index (values, guint32, i));
    g_autofree char *layer = layers ? an_layer_of_path (text) : NULL;
    if (!layers || layer)
      take_text (p, layers ? layer : text);
  }
}

GHashTable *
np_moved_colours (NpAsk *ask, NpColouring by)
{
  static const NpStated of[] = { [NP_COLOUR_LAYER] = NP_STATED_LAYER,
                                 [NP_COLOUR_OPERATOR] = NP_STATED_OPERATOR,
                                 [NP_COLOUR_SOURCE] = NP_STATED_SOURCE };
  const gboolean paths = by == NP_COLOUR_LAYER && np_stated_values (ask, NP_STATED_OPERATOR),
                 ends = by == NP_COLOUR_OPERATOR && np_stated_values (ask, NP_STATED_LAYER)
                        && has_instructions (ask);
  Places p = { 0 };
  if (!np_stated_values (ask, of[by]) && !paths && !ends)
    return NULL;
  p.seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  p.moved = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  take_values (&p, ask, of[by], FALSE);
  if (paths)
    take_values (&p, ask, NP_STATED_OPERATOR, TRUE);
  if (ends)
    take_values (&p, ask, NP_STATED_LAYER, FALSE);
  g_hash_table_unref (p.seen);
  return p.moved;
}

static guint8
colour_of (NpAsk *ask, const struct nprof_event *e, NpColouring by, GHashTable *moved)
{
  g_autofree char *value
      = by == NP_COLOUR_LAYER
            ? layer_of (ask, e)
            : g_strdup (by == NP_COLOUR_OPERATOR ? operator_of (ask, e)
                                                 : np_event_text (ask, e, NPROF_KEY_SOURCE));
  if (!value || !*value)
    return NP_COLOUR_NONE;
  const guint own = moved ? GPOINTER_TO_UINT (g_hash_table_lookup (moved, value)) : 0;
  return own ? (guint8) (own - 1) : place_of (hash_of (value) % COLOURS);
}

gboolean
np_put_colours (NpAsk *ask, const NpPicture *picture, const guint32 *rows, NpColouring by)
{
  g_autoptr (GHashTable) moved = np_moved_colours (ask, by);
  for (guint k = 0; k < picture->lanes->len; k++)
    for (guint32 i = g_array_index (picture->from, guint32, k);
         i < g_array_index (picture->from, guint32, k + 1); i++) {
      struct nprof_event e;
      struct nprof_row row = { g_array_index (picture->lanes, guint32, k), rows[i] };
      if (np_ask_is_over (ask) || !nprof_store_event (ask->query, row, &e))
        return FALSE;
      guint8 colour = colour_of (ask, &e, by, moved);
      nprof_put (&ask->reply->body, &colour, 1);
    }
  return TRUE;
}
