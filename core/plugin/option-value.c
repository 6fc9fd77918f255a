/* SPDX-License-Identifier: Apache-2.0 */
/* option-value.c - the value of one option: from text to its bytes in the instance, and
 * whether it lies in the option's range. */

#include "plugin/option-value.h"
#include "base/parse-time.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "plugin/option.h"

typedef union {
  gint64 i;
  guint64 u;
  double f;
} Number;

typedef struct {
  const char *name;
  guint size; /* in the instance, also its alignment */
} Type;

static const Type types[] = {
  [NPROF_OPT_INT] = { "int", sizeof (gint64) },
  [NPROF_OPT_DOUBLE] = { "double", sizeof (double) },
  [NPROF_OPT_BOOL] = { "bool", sizeof (guint8) },
  [NPROF_OPT_STRING] = { "string", sizeof (char *) },
  [NPROF_OPT_CHOICE] = { "choice", sizeof (gint32) },
  [NPROF_OPT_SIZE] = { "size", sizeof (guint64) },
  [NPROF_OPT_PATH] = { "path", sizeof (char *) },
  [NPROF_OPT_SECRET] = { "secret", sizeof (char *) },
  [NPROF_OPT_DURATION] = { "duration", sizeof (gint64) },
  [NPROF_OPT_LIST] = { "list", sizeof (char **) },
};

const char *
np_option_type_name (guint type)
{
  return type < G_N_ELEMENTS (types) ? types[type].name : "unknown";
}

guint
np_option_size (guint type)
{
  return type < G_N_ELEMENTS (types) ? types[type].size : 0;
}

/* -- Text to value --------------------------------------------------------- */

static gboolean
parse_int (const char *text, gint64 *value)
{
  char *end;
  errno = 0;
  *value = g_ascii_strtoll (text, &end, 10);
  return !errno && end != text && !*end && !g_ascii_isspace (*text);
}

/* A number near 0 that has lost digits is a number; one that is no longer told from 0, or that is
 * beyond the largest, is refused. */
static gboolean
parse_double (const char *text, double *value)
{
  char *end;
  errno = 0;
  *value = g_ascii_strtod (text, &end);
  gboolean lost = errno && (*value == 0 || isinf (*value));
  return !lost && end != text && !*end && !g_ascii_isspace (*text);
}

/* Parses 4096, 64k, 32M, 2G. */
static gboolean
parse_size (const char *text, guint64 *value)
{
  char *end;
  errno = 0;
  *value = g_ascii_strtoull (text, &end, 10);
  if (errno || !g_ascii_isdigit (*text))
    return FALSE;
  if (!*end)
    return TRUE;
  static const char units[] = "kmg";
  const char *unit = strchr (units, g_ascii_tolower (*end));
  if (!unit)
    return FALSE;
  guint shift = 10 * (guint) (unit - units + 1);
  if (end[1] || *value > G_MAXUINT64 >> shift)
    return FALSE;
  *value <<= shift;
  return TRUE;
}

static gboolean
parse_number (guint type, const char *text, Number *n)
{
  switch (type) {
  case NPROF_OPT_DURATION:
    return *text != '-' && np_parse_time (text, &n->i, NULL);
  case NPROF_OPT_INT:
    return parse_int (text, &n->i);
  case NPROF_OPT_DOUBLE:
    return parse_double (text, &n->f);
  default:
    return parse_size (text, &n->u);
  }
}

static gboolean
at_most (guint type, Number a, Number b)
{
  switch (type) {
  case NPROF_OPT_INT:
  case NPROF_OPT_DURATION:
    return a.i <= b.i;
  case NPROF_OPT_DOUBLE:
    return a.f <= b.f;
  default:
    return a.u <= b.u;
  }
}

/* The range is "LOW..HIGH"; either may be missing.  A NaN is in no range. */
static gboolean
in_range (const struct nprof_option *o, Number n)
{
  if (!o->range)
    return TRUE;
  if (o->type == NPROF_OPT_DOUBLE && !isfinite (n.f))
    return FALSE;
  g_auto (GStrv) ends = g_strsplit (o->range, "..", 2);
  Number low, high;
  return g_strv_length (ends) == 2
         && (!*ends[0] || (parse_number (o->type, ends[0], &low) && at_most (o->type, low, n)))
         && (!*ends[1] || (parse_number (o->type, ends[1], &high) && at_most (o->type, n, high)));
}

static gboolean
parse_bool (const char *text, guint8 *value)
{
  static const char *const words[] = { "no", "yes", "false", "true", "0", "1" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_ascii_strcasecmp (text, words[i]) == 0) {
      *value = i & 1;
      return TRUE;
    }
  return FALSE;
}

static gboolean
parse_choice (const char *range, const char *text, gint32 *value)
{
  g_auto (GStrv) choices = g_strsplit (range, "|", -1);
  for (gint32 i = 0; choices[i]; i++)
    if (strcmp (text, choices[i]) == 0) {
      *value = i;
      return TRUE;
    }
  return FALSE;
}

/* Returns the words of "a+b+c" and a NULL, in the chunk; "" has none. */
static const char *const *
split_list (GStringChunk *strings, const char *text)
{
  g_auto (GStrv) words = g_strsplit (*text ? text : "", "+", -1);
  gsize n = *text ? g_strv_length (words) : 0;
  gsize bytes = (n + 1) * sizeof (char *) + G_MEM_ALIGN;
  g_autofree char *room = g_malloc0 (bytes);
  char *at = g_string_chunk_insert_len (strings, room, (gssize) bytes);
  const char **list
      = (const char **) (((guintptr) at + G_MEM_ALIGN - 1) / G_MEM_ALIGN * G_MEM_ALIGN);
  for (gsize i = 0; i < n; i++)
    list[i] = g_string_chunk_insert (strings, words[i]);
  return list;
}

static gboolean
list_is_whole (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, "+", -1);
  for (guint i = 0; words[i]; i++)
    if (!*words[i])
      return FALSE;
  return TRUE;
}

/* Returns the secret that @FILE or $NAME stands for, else the text itself; NULL: it cannot be
 * had. */
static char *
secret_of (const char *text)
{
  g_autofree char *content = NULL;
  if (*text == '$')
    return g_strdup (g_getenv (text + 1));
  if (*text != '@')
    return g_strdup (text);
  if (!g_file_get_contents (text + 1, &content, NULL, NULL))
    return NULL;
  return g_strndup (content, strcspn (content, "\r\n"));
}

gboolean
np_option_store (const struct nprof_option *o, const char *text, void *at, GStringChunk *strings)
{
  Number n;
  switch (o->type) {
  case NPROF_OPT_BOOL:
    return parse_bool (text, at);
  case NPROF_OPT_CHOICE:
    return parse_choice (o->range, text, at);
  case NPROF_OPT_SECRET: {
    g_autofree char *secret = secret_of (text);
    const char *copy = strings && secret ? g_string_chunk_insert (strings, secret) : NULL;
    memcpy (at, &copy, sizeof copy);
    return secret || !strings; /* a preset may name what only its user has */
  }
  case NPROF_OPT_LIST: {
    const char *const *list = strings ? split_list (strings, text) : NULL;
    memcpy (at, &list, sizeof list);
    return list_is_whole (text) || !*text;
  }
  case NPROF_OPT_PATH:
  case NPROF_OPT_STRING: {
    const char *copy = strings ? g_string_chunk_insert_const (strings, text) : NULL;
    memcpy (at, &copy, sizeof copy);
    return TRUE;
  }
  default:
    if (!parse_number (o->type, text, &n) || !in_range (o, n))
      return FALSE;
    memcpy (at, &n, sizeof n);
    return TRUE;
  }
}

/* -- What an option takes --------------------------------------------------- */

char *
np_option_expected (const struct nprof_option *o)
{
  const char *in = o->range ? " in " : "", *range = o->range ? o->range : "";
  switch (o->type) {
  case NPROF_OPT_INT:
    return g_strdup_printf ("a whole number%s%s", in, range);
  case NPROF_OPT_DOUBLE:
    return g_strdup_printf ("a number%s%s", in, range);
  case NPROF_OPT_SIZE:
    return g_strdup_printf ("a number of bytes%s%s, written as 4096, 64k, 32M or 2G", in, range);
  case NPROF_OPT_DURATION:
    return g_strdup_printf ("a duration%s%s, written as 20us, 1.5ms or 3s", in, range);
  case NPROF_OPT_LIST:
    return g_strdup ("words joined by +");
  case NPROF_OPT_SECRET:
    return g_strdup ("a secret, or @FILE or $NAME where it can be read");
  case NPROF_OPT_BOOL:
    return g_strdup ("yes or no");
  default:
    break;
  }
  g_auto (GStrv) choices = g_strsplit (range, "|", -1);
  g_autofree char *list = g_strjoinv (", ", choices);
  return g_strdup_printf ("one of %s", list);
}

char *
np_option_range_problem (const struct nprof_option *o)
{
  if (o->type == NPROF_OPT_CHOICE) {
    g_auto (GStrv) choices = g_strsplit (o->range ? o->range : "", "|", -1);
    for (guint i = 0; choices[i]; i++)
      if (!*choices[i] || g_strv_contains ((const char *const *) choices + i + 1, choices[i]))
        return g_strdup ("its range is not a list \"a|b|c\" of different words");
    return *choices ? NULL : g_strdup ("it is a choice without a range \"a|b|c\"");
  }
  if (!o->range)
    return NULL;
  if (o->type != NPROF_OPT_INT && o->type != NPROF_OPT_DOUBLE && o->type != NPROF_OPT_SIZE
      && o->type != NPROF_OPT_DURATION)
    return g_strdup_printf ("it has a range, which an option of type %s cannot have",
                            types[o->type].name);
  g_auto (GStrv) ends = g_strsplit (o->range, "..", 2);
  Number low, high;
  if (g_strv_length (ends) != 2 || (*ends[0] && !parse_number (o->type, ends[0], &low))
      || (*ends[1] && !parse_number (o->type, ends[1], &high))
      || (*ends[0] && *ends[1] && !at_most (o->type, low, high)))
    return g_strdup_printf ("its range \"%s\" is not LOW..HIGH", o->range);
  return NULL;
}
