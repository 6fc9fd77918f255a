/* SPDX-License-Identifier: Apache-2.0 */
/* suggest-option.c - says which option an unknown one was probably meant to be. */
#include "base/suggest.h"
#include "cli/cli.h"

#include <string.h>

/* What the same is called elsewhere. */
static const NpSynonym synonyms[] = {
  { "device", "--track" }, { "rank", "--track" },     { "stream", "--track" },
  { "filter", "--where" }, { "kernel", "--name" },    { "steps", "--step" },
  { "start", "--from" },   { "begin", "--from" },     { "since", "--from" },
  { "end", "--to" },       { "until", "--to" },       { "limit", "--top" },
  { "sort", "--by" },      { "group-by", "--by" },    { "order-by", "--by" },
  { "table", "--only" },   { "threads", "--jobs" },
  { "out", "--output" },   { "output-format", "--format" }, { "json", "--format json" },
  { "csv", "--format csv" }, { "html", "--format html" }, { "threshold", "--fail-over" },
  { "ranks", "--track" },  { "gpu", "--track" },      { "gpus", "--track" },
  { "order", "--by" },     { "metric", "--by" },      { "no-color", "--color never" },
  { "match", "--name" },   { "interval", "--from" },  { "rows", "--top" },
  { "format", "--json" },  { "tojson", "--format json" },
  { "ignore-inference", "--ignore-exec-errors" },
};

/* The help lists all options; a line begins with "-x, --word", "--word" or "--word=VALUE". */
static GStrv
words_of_help (GOptionContext *context)
{
  g_autofree char *help = g_option_context_get_help (context, FALSE, NULL);
  g_auto (GStrv) lines = g_strsplit (help, "\n", -1);
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  for (char **line = lines; *line; line++) {
    const char *word = g_str_has_prefix (*line, "  ") ? strstr (*line, "--") : NULL;
    if (!word || word - *line > (gssize) strlen ("  -x, "))
      continue;
    g_autofree char *name = g_strndup (word + 2, strcspn (word + 2, " =["));
    g_strv_builder_add (words, name);
  }
  return g_strv_builder_end (words);
}

/* Of "-f" the option --format; NULL: no word begins with the letter. */
static char *
word_of_letter (const char *said, GOptionContext *context)
{
  const char *dash = strrchr (said, '-');
  g_auto (GStrv) words = words_of_help (context);
  for (char **word = words; dash && dash[1] && *word; word++)
    if (**word == dash[1])
      return g_strdup (*word);
  return NULL;
}

/* GLib names the word and the option alone. */
static void
add_expected (GError **error)
{
  const char *said = (*error)->message;
  g_autofree char *text
      = g_strdup_printf ("%s: expected a %snumber", said,
                         g_str_has_prefix (said, "Cannot parse double") ? "" : "whole ");
  g_clear_error (error);
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
}

/* Of "sort-by" the option --by: a part of the word that is one; NULL: none is. */
static const char *
part_of_word (const char *word, const char *const *options)
{
  g_auto (GStrv) parts = g_strsplit (word, "-", -1);
  for (guint i = g_strv_length (parts); i > 0; i--)
    for (const char *const *option = options; *option; option++)
      if (g_str_equal (parts[i - 1], *option))
        return *option;
  return NULL;
}

gboolean
np_cli_suggest_option (GOptionContext *context, GError **error)
{
  if (g_error_matches (*error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE)
      && g_str_has_prefix ((*error)->message, "Cannot parse"))
    add_expected (error);
  if (!g_error_matches (*error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
    return FALSE;
  const char *given = strstr ((*error)->message, "--");
  if (!given) {
    g_autofree char *meant = word_of_letter ((*error)->message, context);
    if (meant)
      g_prefix_error (error, "did you mean --%s? ", meant);
    return FALSE;
  }
  g_autofree char *word = g_strndup (given + 2, strcspn (given + 2, "="));
  g_auto (GStrv) words = words_of_help (context);
  const char *ours = np_synonym (word, synonyms, G_N_ELEMENTS (synonyms));
  g_autofree char *ours_word = ours ? g_strndup (ours + 2, strcspn (ours + 2, " ")) : NULL;
  if (ours && !g_strv_contains ((const char *const *) words, ours_word))
    ours = NULL;
  const char *near = ours ? NULL : np_suggest (word, (const char *const *) words);
  if (!ours && !near)
    near = part_of_word (word, (const char *const *) words);
  g_autofree char *text
      = ours   ? g_strdup_printf ("%s: did you mean %s?", (*error)->message, ours)
        : near ? g_strdup_printf ("%s: did you mean --%s?", (*error)->message, near)
               : g_strdup ((*error)->message);
  g_clear_error (error);
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION, text);
  return FALSE;
}
