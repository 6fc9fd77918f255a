/* SPDX-License-Identifier: Apache-2.0 */
/* gate-expr.c - the parser of gate expressions: one token at a time, no backtracking. */

#include "cli/gate-expr.h"
#include "base/error.h"
#include "base/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *text, *at;
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
  g_set_error (p->error, NP_ERROR, NP_EXIT_USAGE, "\"%s\": at character %d: expected %s", p->text,
               (int) g_utf8_pointer_to_offset (p->text, p->at) + 1, what);
  return FALSE;
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

/* 'text' or "text"; the quote itself is not to be had within. */
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

static const struct {
  const char *name, *table, *column, *over, *plus;
  gboolean mean;
} shorts[] = { { .name = "mfu", .table = "devices", .column = "mfu" },
               { .name = "hfu", .table = "devices", .column = "hfu" },
               { .name = "mbu", .table = "devices", .column = "mbu" },
               { "busy", "devices", "busy_ns", "span_ns", NULL, FALSE },
               { "idle", "devices", "idle_ns", "span_ns", NULL, FALSE },
               { "exposed", "devices", "exposed_ns", "span_ns", NULL, FALSE },
               { "overlap", "devices", "overlap_ns", "overlap_ns", "exposed_ns", FALSE },
               { "step", "step_breakdown", "window_ns", NULL, NULL, TRUE } };

#define SHORTS "mfu, hfu, mbu, busy, idle, exposed, overlap or step"

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

/* STAT('GLOB'[, track='GLOB']), behind the name and the bracket */
static gboolean
parse_stat (Parser *p, NpGateExpr *expr, const char *column)
{
  expr->table = g_strdup ("latency");
  expr->is_short = TRUE;
  expr->column = g_strdup (column);
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

/* ['KEY=GLOB',...], behind the bracket */
static gboolean
parse_matches (Parser *p, NpGateExpr *expr)
{
  do {
    g_autofree char *both = quoted (p);
    if (!both)
      return FALSE;
    char *equals = strchr (both, '=');
    if (!equals || equals == both)
      return expected (p, "'COLUMN=GLOB' in the brackets, not '%s'", both);
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

static gboolean
parse_short (Parser *p, NpGateExpr *expr, const char *name, const char *start)
{
  for (guint i = 0; i < G_N_ELEMENTS (shorts); i++)
    if (g_str_equal (name, shorts[i].name)) {
      expr->table = g_strdup (shorts[i].table);
      expr->column = g_strdup (shorts[i].column);
      expr->over = shorts[i].over;
      expr->plus = shorts[i].plus;
      expr->mean = shorts[i].mean;
      expr->is_short = TRUE;
      return TRUE;
    }
  p->at = start;
  return expected (p, "STAT('GLOB'), TABLE.COLUMN, " SHORTS);
}

static const char *
stat_column (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (stats); i++)
    if (g_str_equal (name, stats[i].name))
      return stats[i].column;
  return NULL;
}

static gboolean
unknown_stat (Parser *p, const char *name)
{
  const char *names[G_N_ELEMENTS (stats) + 1] = { NULL };
  for (guint i = 0; i < G_N_ELEMENTS (stats); i++)
    names[i] = stats[i].name;
  const char *near = np_suggest (name, names);
  g_autofree char *all = g_strjoinv (", ", (char **) names);
  return expected (p, "one of %s before the bracket, not \"%s\"%s%s%s", all, name,
                   near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
}

static gboolean
parse_value (Parser *p, NpGateExpr *expr)
{
  skip_blanks (p);
  const char *start = p->at;
  g_autofree char *name = word (p);
  if (!name)
    return expected (p, "a value: STAT('GLOB'), TABLE.COLUMN, " SHORTS);
  if (g_str_equal (name, "p99") && g_str_has_prefix (p->at, ".9")) {
    p->at += strlen (".9");
    g_free (g_steal_pointer (&name));
    name = g_strdup ("p99.9");
  }
  if (accept (p, "(")) {
    const char *column = stat_column (name);
    return column ? parse_stat (p, expr, column) : unknown_stat (p, name);
  }
  return accept (p, ".") ? parse_table (p, expr, name) : parse_short (p, expr, name, start);
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
  return expected (p, "nothing more, or a unit: ps, ns, us, ms, s, min, B, kB, MB, GB, TB, KiB, "
                      "MiB, GiB or %%");
}

static gboolean
parse_limit (Parser *p, NpGateExpr *expr)
{
  skip_blanks (p);
  char *end;
  gboolean digits = g_ascii_isdigit (*p->at) || strchr ("+-.", *p->at);
  expr->limit = *p->at && digits ? strtold (p->at, &end) : 0;
  if (!*p->at || !digits || end == p->at || !isfinite (expr->limit))
    return expected (p, "a number");
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
np_gate_parse (const char *text, GError **error)
{
  Parser p = { text, text, error };
  g_autoptr (NpGateExpr) expr = g_new0 (NpGateExpr, 1);
  expr->text = g_strdup (text);
  expr->matches = g_ptr_array_new_with_free_func (match_free);
  if (!parse_value (&p, expr) || !parse_op (&p, expr) || !parse_limit (&p, expr))
    return NULL;
  return g_steal_pointer (&expr);
}

void
np_gate_expr_free (NpGateExpr *expr)
{
  if (!expr)
    return;
  g_ptr_array_unref (expr->matches);
  g_free (expr->text);
  g_free (expr->table);
  g_free (expr->column);
  g_free (expr->limit_unit);
  g_free (expr);
}
