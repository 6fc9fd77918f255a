/* SPDX-License-Identifier: Apache-2.0 */
/* semaphore-word.h - reads what an instruction of a NeuronCore says of semaphores and events, such
 * as "S[24]>=16 E[4]==1 S[5]++": attributes waits_for, signals and dma_signals. */
#ifndef AN_SEMAPHORE_WORD_H
#define AN_SEMAPHORE_WORD_H

#include <glib.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  guint id;
  gboolean semaphore; /* else an event                                    */
  char what;          /* '=' ==, '>' >=, '+' ++, 'a' +=, 0: any other     */
  gint64 value;       /* of == and >=                                     */
} AnSemaphoreWord;

/* Reads a word and returns what is behind it; NULL: there is none. */
static inline const char *
an_semaphore_word (const char *text, AnSemaphoreWord *w)
{
  char *end;
  text += strspn (text, " ");
  if ((*text != 'S' && *text != 'E') || text[1] != '[')
    return NULL;
  *w = (AnSemaphoreWord){ .id = (guint) strtoul (text + 2, &end, 10), .semaphore = *text == 'S' };
  const char *p = *end == ']' ? end + 1 : end;
  if (g_str_has_prefix (p, "==") || g_str_has_prefix (p, ">=") || g_str_has_prefix (p, "++"))
    w->what = *p;
  else if (g_str_has_prefix (p, "+="))
    w->what = 'a';
  if (w->what == '=' || w->what == '>')
    w->value = (gint64) MIN (strtoull (p + 2, NULL, 10), G_MAXUINT32);
  return p + strcspn (p, " ");
}

#endif
