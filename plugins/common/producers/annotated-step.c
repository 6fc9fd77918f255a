/* SPDX-License-Identifier: Apache-2.0 */
/* annotated-step.c - reads the number of a step in the text of a range. */
#include "producers/annotated-step.h"
#include "producers/pytorch.h"

#include <glib.h>
#include <string.h>

/* People give these texts to the ranges of their steps: "step 12", "iteration_12",
 * "ProfilerStep#12". */
static const char *const words[]
    = { "step",       "iteration",   "iter",          "train_step", "training_step",
        "train step", "global_step", "training step", "train_iter", "train iteration" };

static bool
digits_at (const char *text, int64_t *number)
{
  size_t n = strspn (text, "0123456789");
  if (!n || n > 18 || text[n])
    return false;
  *number = g_ascii_strtoll (text, NULL, 10);
  return true;
}

static bool
by_word (const char *text, int64_t *number)
{
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++) {
    size_t len = strlen (words[i]);
    if (g_ascii_strncasecmp (text, words[i], len) == 0
        && digits_at (text + len + strspn (text + len, " _:#=-"), number))
      return true;
  }
  return pytorch_step_of_name (text, strlen (text), number);
}

/* Finds the last number of a text that the user's pattern matches. */
static bool
by_pattern (const char *pattern, const char *text, int64_t *number)
{
  if (!g_pattern_match_simple (pattern, text))
    return false;
  const char *end = text + strlen (text);
  while (end > text && !g_ascii_isdigit (end[-1]))
    end--;
  const char *at = end;
  while (at > text && g_ascii_isdigit (at[-1]))
    at--;
  g_autofree char *digits = g_strndup (at, (gsize) (end - at));
  return digits_at (digits, number);
}

bool
annotated_step (const char *pattern, const char *text, int64_t *number)
{
  return pattern && *pattern ? by_pattern (pattern, text, number) : by_word (text, number);
}
