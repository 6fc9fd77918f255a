/* SPDX-License-Identifier: Apache-2.0 */
/* expr.c - the parser of gate expressions: one token at a time, no backtracking. */

#include "gate/expr.h"
#include "gate/values.h"

#include "base/error.h"
#include "base/log.h"
#include "base/suggest.h"

#include <store/filter.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *text, *at;
  const GPtrArray *values;
  GError **error;
} Parser;

/* -- Words ------------------------------------------------------------------- */

static void
skip_blanks (Parser *p)
{
  while (g_ascii_isspace (*p->at))
    p->at++;
}

G_GNUC_PRINTF (2, 3)
static gboolean
expected (Parser *p, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return np_error_set (p->error, NP_EXIT_USAGE, "\"%s\": at character %d: expected %s", p->text,
                       (int) g_utf8_pointer_to_offset (p->text, p->at) + 1, what);
}

static gboolean
accept (Parser *p, const char *token)
{
  skip_blanks (p);
  if (!g_str_has_prefix (p->at, token))
    return FALSE;
  p->at += strlen (token);
  return TRUE;
}

static char *
word (Parser *p)
{
  skip_blanks (p);
  const char *start = p->at;
  while (g_ascii_isalnum (*p->at) || *p->at == '_')
    p->at++;
  return p->at > start ? g_strndup (start, (gsize) (p->at - start)) : NULL;
}

/* Parses 'text' or "text", which cannot hold its own quote. */
static char *
quoted (Parser *p)
{
  skip_blanks (p);
  char quote = *p->at;
  const char *end = quote == '\'' || quote == '"' ? strchr (p->at + 1, quote) : NULL;
  if (!end) {
    expected (p, "a glob in quotes, such as 'attention*'");
    return NULL;
  }
  char *inside = g_strndup (p->at + 1, (gsize) (end - p->at - 1));
  p->at = end + 1;
  return inside;
}

/* -- Values ------------------------------------------------------------------ */

#define SHORTS                                                                                     \
  "ops['GLOB'].COLUMN, mfu, hfu, mbu, busy, idle, idle.CAUSE, compute, exposed, hidden, overlap, " \
  "memory, step, between, bound, tpot, ttft or tokens_per_s"

static const struct {
  const char *name, *column;
} stats[] = { { "calls", "calls" },      { "count", "calls" },    { "total", "total_ns" },
              { "share", "share" },      { "min", "min_ns" },     { "mean", "mean_ns" },
              { "median", "median_ns" }, { "p50", "median_ns" },  { "p90", "p90_ns" },
              { "p95", "p95_ns" },       { "p97", "p97_ns" },     { "p99", "p99_ns" },
              { "p99_9", "p99_9_ns" },   { "p99.9", "p99_9_ns" }, { "max", "max_ns" } };

static void
match_free (gpointer data)
{
  NpGateMatch *match = data;
  g_free (match->key);
  g_free (match->glob);
  g_free (match);
}

static void
add_match (NpGateExpr *expr, const char *key, char *glob)
{
  NpGateMatch *match = g_new (NpGateMatch, 1);
  match->key = g_strdup (key);
  match->glob = glob;
  g_ptr_array_add (expr->matches, match);
}

/* Parses STAT('GLOB'[, track='GLOB']) or STAT(step), from behind the name and the bracket. */
static gboolean
parse_stat (Parser *p, NpGateExpr *expr, const char *column)
{
  expr->is_short = TRUE;
  expr->column = g_strdup (column);
  if (accept (p, "step")) {
    expr->table = g_strdup ("step_times");
    return accept (p, ")") || expected (p, "`)`");
  }
  expr->table = g_strdup ("latency");
  char *glob = quoted (p);
  if (!glob)
    return FALSE;
  add_match (expr, "name", glob);
  if (accept (p, ",")) {
    if (!accept (p, "track") || !accept (p, "="))
      return expected (p, "track='GLOB'");
    if (!(glob = quoted (p)))
      return FALSE;
    add_match (expr, "track", glob);
  }
  return accept (p, ")") || expected (p, "`)`");
}

/* Parses CONDITION], from behind the bracket. The table will say whether it has the columns. */
static gboolean
parse_condition (Parser *p, NpGateExpr *expr)
{
  const char *start = p->at;
  p->at = np_filter_end (start, ']');
  expr->condition = g_strchomp (g_strndup (start, (gsize) (p->at - start)));
  return accept (p, "]") || expected (p, "`]`");
}

/* Parses what stands in brackets behind a column: ['KEY=GLOB',...] or [CONDITION]. */
static gboolean
parse_matches (Parser *p, NpGateExpr *expr)
{
  skip_blanks (p);
  if (*p->at != '\'' && *p->at != '"' && *p->at != ']')
    return parse_condition (p, expr);
  do {
    g_autofree char *both = quoted (p);
    if (!both)
      return FALSE;
    char *equals = strchr (both, '=');
    if (!equals || equals == both)
      return expected (p, "'COLUMN=GLOB' or a condition in the brackets, not '%s'", both);
    *equals = '\0';
    add_match (expr, both, g_strdup (equals + 1));
  } while (accept (p, ","));
  return accept (p, "]") || expected (p, "`]`");
}

static gboolean
parse_table (Parser *p, NpGateExpr *expr, const char *table)
{
  expr->table = g_strdup (table);
  expr->column = word (p);
  if (!expr->column)
    return expected (p, "a column of table %s", table);
  return !accept (p, "[") || parse_matches (p, expr);
}

static void
take_value (NpGateExpr *expr, const NpDemandValue *from)
{
  expr->table = g_strdup (from->table);
  expr->column = g_strdup (from->column);
  expr->over = g_strdup (from->over);
  expr->plus = g_strdup (from->plus);
  expr->others = g_strdupv (from->others);
  expr->doubt = g_strdup (from->doubt);
  expr->sign = from->sign;
  expr->mean = from->mean;
  expr->or_span = from->or_span;
  expr->left = from->left;
  expr->between = from->between;
  expr->of_periods = from->of_periods;
  expr->of_devices = from->of_devices;
  expr->of_use = from->of_use;
  expr->of_words = from->of_words;
  expr->is_short = TRUE;
  if (from->of_key)
    add_match (expr, from->of_key, g_strdup (from->of_glob));
}

static const char *
stat_column (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (stats); i++)
    if (g_str_equal (name, stats[i].name))
      return stats[i].column;
  return NULL;
}

/* Says where a value is said in another shape, and what is wrong with it. */
static gboolean
refused (Parser *p, const char *why)
{
  g_autofree char *shown = np_printable (why, -1);
  return np_error_set (p->error, NP_EXIT_USAGE, "\"%s\": %s", p->text, shown);
}

static gboolean
parse_short (Parser *p, NpGateExpr *expr, const char *name, const char *start)
{
  const NpDemandValue *value = np_gate_values_find (p->values, name);
  if (value) {
    take_value (expr, value);
    return TRUE;
  }
  const char *why = np_gate_values_refused (p->values, start);
  if (why)
    return refused (p, why);
  if (stat_column (name))
    return expected (p, "a name: %s('GLOB'), or %s(step)", name, name);
  g_autofree const char **names = g_new0 (const char *, p->values->len + 1);
  for (guint i = 0, n = 0; i < p->values->len; i++) {
    const NpGateValue *one = p->values->pdata[i];
    if (one->is)
      names[n++] = one->name;
  }
  static const NpSynonym synonyms[] = { { "steptime", "step" },
                                        { "step_time", "step" },
                                        { "utilization", "busy" },
                                        { "latency", "p99('*')" },
                                        { "throughput", "tokens_per_s" } };
  const char *ours = np_synonym (name, synonyms, G_N_ELEMENTS (synonyms));
  g_autofree char *hint = np_suggestion (ours ? ours : np_suggest (name, names));
  p->at = start;
  return expected (p, "STAT('GLOB'), TABLE.COLUMN, " SHORTS "%s", hint);
}

/* Parses what stands behind the dot: the rest of a value's name, or a column of a table. A value
 * itself, as idle, is no table. */
static gboolean
parse_dotted (Parser *p, NpGateExpr *expr, const char *before, const char *first)
{
  const char *start = p->at;
  g_autofree char *part = word (p), *name = g_strconcat (before, ".", part, NULL),
                  *all = np_gate_values_behind (p->values, before);
  const NpDemandValue *value = part ? np_gate_values_find (p->values, name) : NULL;
  if (value) {
    take_value (expr, value);
    return expr->mean || !accept (p, "[") || parse_matches (p, expr);
  }
  const char *why = np_gate_values_refused (p->values, first);
  if (why)
    return refused (p, why);
  p->at = start;
  return all && np_gate_values_find (p->values, before) ? expected (p, "%s", all)
                                                        : parse_table (p, expr, before);
}

/* Parses NAME['GLOB'].COLUMN, from behind the first bracket: rows of devices whose key is like
 * that. The tables that there are say which one NAME is, and what its key is. */
static gboolean
parse_list (Parser *p, NpGateExpr *expr, const char *name)
{
  expr->table = g_strdup (name);
  expr->of_list = expr->of_devices = expr->is_short = TRUE;
  char *glob = quoted (p);
  if (!glob)
    return FALSE;
  add_match (expr, NULL, glob);
  if (!accept (p, "]"))
    return expected (p, "`]`");
  expr->column = accept (p, ".") ? word (p) : NULL;
  return expr->column || expected (p, "`.` and a column of %s", name);
}

static gboolean
unknown_stat (Parser *p, const char *name)
{
  const char *names[G_N_ELEMENTS (stats) + 1] = { NULL };
  for (guint i = 0; i < G_N_ELEMENTS (stats); i++)
    names[i] = stats[i].name;
  g_autofree char *hint = np_suggestion (np_suggest (name, names));
  g_autofree char *all = g_strjoinv (", ", (char **) names);
  return expected (p, "one of %s before the bracket, not \"%s\"%s", all, name, hint);
}

/* Parses "vendor.name".COLUMN: the table of a third party. */
static gboolean
parse_quoted (Parser *p, NpGateExpr *expr)
{
  g_autofree char *name = quoted (p);
  if (!name)
    return FALSE;
  return accept (p, ".") ? parse_table (p, expr, name)
                         : expected (p, "`.` and a column of table %s", name);
}

static gboolean
parse_one_value (Parser *p, NpGateExpr *expr)
{
  skip_blanks (p);
  const char *start = p->at;
  if (*start == '"')
    return parse_quoted (p, expr);
  g_autofree char *name = word (p);
  if (!name)
    return expected (p, "a value: STAT('GLOB'), TABLE.COLUMN, " SHORTS);
  if (g_str_equal (name, "p99") && g_str_has_prefix (p->at, ".9")) {
    p->at += strlen (".9");
    g_free (g_steal_pointer (&name));
    name = g_strdup ("p99.9");
  }
  if (accept (p, "["))
    return parse_list (p, expr, name);
  if (accept (p, "(")) {
    const char *column = stat_column (name);
    return column ? parse_stat (p, expr, column) : unknown_stat (p, name);
  }
  return accept (p, ".") ? parse_dotted (p, expr, name, start) : parse_short (p, expr, name, start);
}

/* Parses a value, of which every row has to meet the limit unless it is any(VALUE). */
static gboolean
parse_value (Parser *p, NpGateExpr *expr)
{
  gboolean any = accept (p, "any("), all = !any && accept (p, "all(");
  if (!parse_one_value (p, expr))
    return FALSE;
  expr->any = any;
  return (!any && !all) || accept (p, ")") || expected (p, "`)`");
}

/* -- Limits ------------------------------------------------------------------ */

static const struct {
  const char *name;
  NpGateUnit unit;
  long double size;
} units[] = {
  { "ps", NP_GATE_TIME, 1 },         { "ns", NP_GATE_TIME, 1e3L },
  { "us", NP_GATE_TIME, 1e6L },      { "ms", NP_GATE_TIME, 1e9L },
  { "s", NP_GATE_TIME, 1e12L },      { "min", NP_GATE_TIME, 60e12L },
  { "B", NP_GATE_BYTES, 1 },         { "kB", NP_GATE_BYTES, 1e3L },
  { "MB", NP_GATE_BYTES, 1e6L },     { "GB", NP_GATE_BYTES, 1e9L },
  { "TB", NP_GATE_BYTES, 1e12L },    { "KiB", NP_GATE_BYTES, 0x1p10L },
  { "MiB", NP_GATE_BYTES, 0x1p20L }, { "GiB", NP_GATE_BYTES, 0x1p30L },
  { "%", NP_GATE_RATIO, 0.01L },
};

long double
np_gate_unit_size (const char *unit)
{
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_equal (unit, units[i].name))
      return units[i].size;
  return *unit ? 0 : 1;
}

static gboolean
parse_unit (Parser *p, NpGateExpr *expr)
{
  skip_blanks (p);
  expr->limit_unit = g_strchomp (g_strdup (p->at));
  if (!*expr->limit_unit)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_equal (expr->limit_unit, units[i].name)) {
      expr->unit = units[i].unit;
      expr->limit *= units[i].size;
      return TRUE;
    }
  if (strpbrk (p->at, "<>=!"))
    return expected (p, "the end of the demand: each is a word of its own, "
                        "\"step < 1s\" \"idle < 5%%\", and all must be met");
  return expected (p, "nothing more, or a unit: ps, ns, us, ms, s, min, B, kB, MB, GB, TB, KiB, "
                      "MiB, GiB or %%");
}

/* Verdicts are told by their group, or by their code; the last four are what these were called. */
static const struct {
  const char *word, *column, *value; /* value: NULL: the word */
} verdicts[] = {
  { "compute", "group", NULL },       { "comm", "group", NULL },
  { "bubble", "group", NULL },        { "copy", "group", NULL },
  { "control", "group", NULL },       { "input", "group", NULL },
  { "preprocess", "group", NULL },    { "alloc", "group", NULL },
  { "capture", "group", NULL },
  { "first_use", "group", NULL },     { "stall", "group", NULL },
  { "host", "group", NULL },          { "wait", "group", NULL },
  { "data", "group", NULL },          { "mixed", "group", NULL },
  { "compute.gemm", "code", NULL },   { "compute.attention", "code", NULL },
  { "compute.memory", "code", NULL }, { "compute.bandwidth", "code", NULL },
  { "launch", "group", "host" },      { "communication", "group", "comm" },
  { "queue", "group", "wait" },       { "memory-bandwidth", "code", "compute.bandwidth" },
};

#define VERDICTS                                                                                   \
  "compute, comm, bubble, copy, control, input, preprocess, alloc, capture, first_use, stall, "    \
  "host, wait, data, mixed, compute.gemm, compute.attention, compute.memory or compute.bandwidth"

/* Parses a verdict, which is a word and has no order. */
static gboolean
parse_word (Parser *p, NpGateExpr *expr)
{
  if (expr->op != NP_GATE_EQ && expr->op != NP_GATE_NE)
    return expected (p, "== or != before a word");
  skip_blanks (p);
  g_autofree char *said = g_strchomp (g_strdup (p->at));
  expr->limit_unit = g_strdup ("");
  for (guint i = 0; i < G_N_ELEMENTS (verdicts); i++) {
    if (!g_str_equal (verdicts[i].word, said))
      continue;
    expr->word = g_strdup (verdicts[i].value ? verdicts[i].value : said);
    g_free (expr->column);
    expr->column = g_strdup (verdicts[i].column);
    return TRUE;
  }
  return expected (p, VERDICTS);
}

/* Parses what stands behind the word baseline: nothing, + SHARE% or - SHARE%. */
static gboolean
parse_of_base (Parser *p, NpGateExpr *expr)
{
  const gboolean more = accept (p, "+"), less = !more && accept (p, "-");
  expr->limit_unit = g_strdup ("");
  expr->of_base = 1;
  skip_blanks (p);
  if (more || less) {
    char *end;
    const long double share = g_ascii_isdigit (*p->at) ? strtold (p->at, &end) / 100 : NAN;
    if (less && share >= 1 && isfinite (share) && *end == '%')
      return expected (p, "a share below 100 %%");
    if (!isfinite (share) || *end != '%')
      return expected (p, "a share in %%, such as baseline %c 5%%", more ? '+' : '-');
    expr->of_base += more ? share : -share;
    p->at = end + 1;
    skip_blanks (p);
  }
  return !*p->at || expected (p, "nothing more, or + or - and a share, as baseline + 5%%");
}

static gboolean
parse_limit (Parser *p, NpGateExpr *expr)
{
  if (expr->of_words)
    return parse_word (p, expr);
  if (accept (p, "baseline"))
    return parse_of_base (p, expr);
  char *end;
  gboolean digits = g_ascii_isdigit (*p->at) || strchr ("+-.", *p->at);
  expr->limit = *p->at && digits ? strtold (p->at, &end) : 0;
  if (!*p->at || !digits || end == p->at || !isfinite (expr->limit))
    return expected (p, "a number, or baseline");
  p->at = end;
  return parse_unit (p, expr);
}

static gboolean
parse_op (Parser *p, NpGateExpr *expr)
{
  static const struct {
    const char *text;
    NpGateOp op;
  } ops[] = { { "<=", NP_GATE_LE }, { ">=", NP_GATE_GE }, { "==", NP_GATE_EQ },
              { "!=", NP_GATE_NE }, { "<", NP_GATE_LT },  { ">", NP_GATE_GT } };
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (accept (p, ops[i].text)) {
      expr->op = ops[i].op;
      return TRUE;
    }
  return expected (p, "<, <=, >, >=, == or !=");
}

/* -- All of it --------------------------------------------------------------- */

NpGateExpr *
np_gate_parse (const char *text, const GPtrArray *values, GError **error)
{
  Parser p = { text, text, values, error };
  g_autoptr (NpGateExpr) expr = g_new0 (NpGateExpr, 1);
  expr->text = g_strdup (text);
  expr->matches = g_ptr_array_new_with_free_func (match_free);
  if (!parse_value (&p, expr) || !parse_op (&p, expr) || !parse_limit (&p, expr))
    return NULL;
  return g_steal_pointer (&expr);
}

char *
np_gate_bare_name (const char *text, const GPtrArray *values)
{
  Parser p = { text, text, values, NULL };
  if (!accept (&p, "any("))
    accept (&p, "all(");
  g_autofree char *name = word (&p);
  skip_blanks (&p);
  gboolean ours = !name || !strchr ("<>=!)", *p.at) || stat_column (name)
                  || np_gate_values_find (values, name);
  return ours ? NULL : g_steal_pointer (&name);
}

void
np_gate_expr_free (NpGateExpr *expr)
{
  if (!expr)
    return;
  g_clear_pointer (&expr->matches, g_ptr_array_unref);
  g_free (expr->text);
  g_free (expr->table);
  g_free (expr->column);
  g_free (expr->over);
  g_free (expr->plus);
  g_strfreev (expr->others);
  g_free (expr->doubt);
  g_free (expr->limit_unit);
  g_free (expr->condition);
  g_free (expr->word);
  g_free (expr);
}
