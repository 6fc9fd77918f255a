/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - the candidate that a mistyped word was probably meant to be. */

#include "base/suggest.h"

#include <glib.h>
#include <string.h>

#define MAX_WORD 64u /* longer words are no typing errors */

/* People take letters for the same without case, and - for _. */
static char
plain (char c)
{
  return c == '_' ? '-' : g_ascii_tolower (c);
}

/* Counts the edits from a to b: insert, delete or replace a letter, or swap two neighbours. */
static guint
distance (const char *a, guint na, const char *b, guint nb)
{
  guint rows[3][MAX_WORD + 1];
  for (guint j = 0; j <= nb; j++)
    rows[0][j] = j;
  for (guint i = 1; i <= na; i++) {
    guint *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
    row[0] = i;
    for (guint j = 1; j <= nb; j++) {
      guint same = plain (a[i - 1]) == plain (b[j - 1]);
      row[j] = MIN (MIN (row[j - 1], above[j]) + 1, above[j - 1] + !same);
      if (i > 1 && j > 1 && plain (a[i - 1]) == plain (b[j - 2])
          && plain (a[i - 2]) == plain (b[j - 1]))
        row[j] = MIN (row[j], above2[j - 2] + 1);
    }
  }
  return rows[na % 3][nb];
}

static gboolean
starts_with (const char *text, const char *word, guint len)
{
  for (guint i = 0; i < len; i++)
    if (!text[i] || plain (text[i]) != plain (word[i]))
      return FALSE;
  return TRUE;
}

const char *
np_suggest (const char *word, const char *const *candidates)
{
  gsize len = strlen (word);
  if (len == 0 || len > MAX_WORD)
    return NULL;

  const char *best = NULL, *longer = NULL;
  guint best_distance = G_MAXUINT;
  for (guint i = 0; candidates[i]; i++) {
    gsize n = strlen (candidates[i]);
    if (len >= 2 && !longer && starts_with (candidates[i], word, (guint) len))
      longer = candidates[i];
    if (n == 0 || n > MAX_WORD)
      continue;
    guint d = distance (word, (guint) len, candidates[i], (guint) n);
    guint limit = MAX (1u, (guint) MAX (len, n) / 3);
    if (d <= limit && d < MIN (len, n) && d < best_distance) {
      best = candidates[i];
      best_distance = d;
    }
  }
  return best ? best : longer;
}

char *
np_suggestion (const char *near)
{
  return near ? g_strdup_printf (": did you mean %s?", near) : g_strdup ("");
}

const char *
np_synonym (const char *word, const NpSynonym *synonyms, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    if (g_ascii_strcasecmp (word, synonyms[i].theirs) == 0)
      return synonyms[i].ours;
  return NULL;
}
