/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - keys and strings of JSON by their bytes, each with the number that it is interned as:
 * found without a copy of what is looked for.  Knows neither JSON nor Perfetto. */
#pragma once

#include <glib.h>
#include <string.h>

struct word {
  const char *text; /* without a NUL of its own           */
  guint32 len, hash;
  guint32 number; /* 0: none yet                        */
  guint32 after;  /* index of the one that last came behind it */
  gboolean plain; /* ASCII that JSON writes as it is    */
  gboolean own;   /* of a key: this sink puts such ones */
  guint64 row;    /* of a key: the last row that has it */
};

typedef struct words {
  GArray *all;   /* of struct word                          */
  guint32 *slot; /* 1 + index of a word; a power of two,    */
  guint32 mask;  /* twice as many as there are words        */
  GStringChunk *texts;
} Words;

static inline void
words_init (Words *words)
{
  words->all = g_array_new (FALSE, FALSE, sizeof (struct word));
  words->mask = 1023;
  words->slot = g_new0 (guint32, words->mask + 1);
  words->texts = g_string_chunk_new (16 << 10);
}

static inline void
words_clear (Words *words)
{
  g_array_unref (words->all);
  g_free (words->slot);
  g_string_chunk_free (words->texts);
}

static inline void
words_forget (Words *words)
{
  g_array_set_size (words->all, 0);
  memset (words->slot, 0, (words->mask + 1) * sizeof *words->slot);
  g_string_chunk_clear (words->texts);
}

static inline guint32
words_hash (const char *text, size_t len)
{
  const guint64 odd = G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  guint64 sum = len, eight;
  for (; len >= 8; len -= 8, text += 8) {
    memcpy (&eight, text, 8);
    sum = (sum ^ eight) * odd;
    sum ^= sum >> 29;
  }
  guint32 first = 0, last = 0;
  if (len >= 4) {
    memcpy (&first, text, 4);
    memcpy (&last, text + len - 4, 4);
  } else if (len) {
    first = (guint8) text[0];
    last = (guint32) (guint8) text[len / 2] << 8 | (guint8) text[len - 1];
  }
  eight = (guint64) first << 32 | last;
  return (guint32) (((sum ^ eight) * odd) >> 32);
}

static inline void
words_grow (Words *words)
{
  words->mask = words->mask * 2 + 1;
  g_free (words->slot);
  words->slot = g_new0 (guint32, words->mask + 1);
  for (guint32 k = 0; k < words->all->len; k++) {
    guint32 at = g_array_index (words->all, struct word, k).hash & words->mask;
    while (words->slot[at])
      at = (at + 1) & words->mask;
    words->slot[at] = k + 1;
  }
}

/* Returns the index of the word of these bytes; *fresh: it was added. */
static inline guint32
words_find (Words *words, const char *text, size_t len, gboolean *fresh)
{
  const guint32 hash = words_hash (text, len);
  guint32 at = hash & words->mask;
  for (; words->slot[at]; at = (at + 1) & words->mask) {
    const struct word *w = &g_array_index (words->all, struct word, words->slot[at] - 1);
    if (w->hash != hash || w->len != len || memcmp (w->text, text, len) != 0)
      continue;
    *fresh = FALSE;
    return words->slot[at] - 1;
  }
  const struct word word = { .text = g_string_chunk_insert_len (words->texts, text, (gssize) len),
                             .len = (guint32) len,
                             .hash = hash };
  *fresh = TRUE;
  g_array_append_val (words->all, word);
  words->slot[at] = words->all->len;
  if (2 * words->all->len > words->mask)
    words_grow (words);
  return words->all->len - 1;
}
