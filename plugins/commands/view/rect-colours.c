/* SPDX-License-Identifier: Apache-2.0 */
/* rect-colours.c - finds colours of rectangles. The colour is a hash of the text, so that a value
 * looks the same in all profiles, and on the page that hashes the texts of labels alike
 * (share/viewer/base/hash.js). */

#include "rect-colours.h"

#include <nprof/keys.h>
#include <system/layer-path.h>

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

static const char *
text_of (NpAsk *ask, const struct nprof_event *e, const char *key)
{
  guint32 text = np_event_string (ask, e, key);
  return text == G_MAXUINT32 ? NULL : np_ask_string (ask, text);
}

/* Returns the layer that a row states, else that of the path of its operator; NULL: neither.
 * Transfer full. */
static char *
layer_of (NpAsk *ask, const struct nprof_event *e)
{
  const char *layer = text_of (ask, e, NPROF_KEY_LAYER);
  if (layer && *layer)
    return g_strdup (layer);
  const char *path = text_of (ask, e, NPROF_KEY_FRAMEWORK_OP);
  return path ? an_layer_of_path (path) : NULL;
}

/* Returns the operator of the framework; an instruction of Neuron, also one that waits for a
 * semaphore, states it as the end of its layer's path.  NULL: none. */
static const char *
operator_of (NpAsk *ask, const struct nprof_event *e)
{
  const char *stated = text_of (ask, e, NPROF_KEY_FRAMEWORK_OP);
  const char *category = np_label_category (ask, e->label);
  const bool instruction
      = g_str_equal (category, "instruction") || g_str_equal (category, "semaphore wait");
  return stated || !instruction ? stated : text_of (ask, e, NPROF_KEY_LAYER);
}

static guint8
colour_of (NpAsk *ask, const struct nprof_event *e, NpColouring by)
{
  g_autofree char *value
      = by == NP_COLOUR_LAYER
            ? layer_of (ask, e)
            : g_strdup (by == NP_COLOUR_OPERATOR ? operator_of (ask, e)
                                                 : text_of (ask, e, NPROF_KEY_SOURCE));
  return value && *value ? (guint8) (hash_of (value) % NP_COLOURS) : NP_COLOUR_NONE;
}

gboolean
np_put_colours (NpAsk *ask, const NpPicture *picture, const guint32 *rows, NpColouring by)
{
  for (guint k = 0; k < picture->lanes->len; k++)
    for (guint32 i = g_array_index (picture->from, guint32, k);
         i < g_array_index (picture->from, guint32, k + 1); i++) {
      struct nprof_event e;
      struct nprof_row row = { g_array_index (picture->lanes, guint32, k), rows[i] };
      if (np_ask_is_over (ask) || !nprof_store_event (ask->query, row, &e))
        return FALSE;
      guint8 colour = colour_of (ask, &e, by);
      nprof_put (&ask->reply->body, &colour, 1);
    }
  return TRUE;
}
