/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - prints text for terminals, markdown for comments, JUnit's XML for CI servers. */

#include "gate/print.h"

#include "base/error.h"
#include "base/log.h"
#include "console/markdown.h"
#include "gate/rows.h"
#include "system/json-writer.h"

#include <nprof/sdk.h>
#include <string.h>

static const char *
state_name (NpGateState state)
{
  return state == NP_GATE_MET ? "met" : state == NP_GATE_NOT_MET ? "NOT MET" : "UNDECIDED";
}

static guint
count (GPtrArray *verdicts, NpGateState state)
{
  guint n = 0;
  for (guint i = 0; i < verdicts->len; i++)
    n += ((const NpGateVerdict *) g_ptr_array_index (verdicts, i))->state == state;
  return n;
}

static NpGateState
worse (NpGateState a, NpGateState b)
{
  gboolean bad = a == NP_GATE_NOT_MET || b == NP_GATE_NOT_MET;
  return bad ? NP_GATE_NOT_MET : a == NP_GATE_MET ? b : a;
}

/* Appends how many demands are met: those of which every row is. Where they have several rows,
 * these are counted behind it. */
static void
print_sum (GString *out, GPtrArray *verdicts)
{
  guint demands[] = { [NP_GATE_MET] = 0, [NP_GATE_NOT_MET] = 0, [NP_GATE_UNDECIDED] = 0 };
  guint n = 0;
  for (guint i = 0; i < verdicts->len; n++) {
    const NpGateVerdict *first = g_ptr_array_index (verdicts, i), *v = first;
    NpGateState state = first->state;
    for (; i < verdicts->len && (v = g_ptr_array_index (verdicts, i))->expr == first->expr; i++)
      state = worse (state, v->state);
    demands[state]++;
  }
  g_string_append_printf (out, "%u met, %u not met, %u undecided", demands[NP_GATE_MET],
                          demands[NP_GATE_NOT_MET], demands[NP_GATE_UNDECIDED]);
  if (n < verdicts->len)
    g_string_append_printf (out, " (rows: %u met, %u not met, %u undecided)",
                            count (verdicts, NP_GATE_MET), count (verdicts, NP_GATE_NOT_MET),
                            count (verdicts, NP_GATE_UNDECIDED));
  g_string_append_c (out, '\n');
}

/* Returns "1.25ms", or "1.25ms, baseline 1.2ms"; transfer full. */
static char *
value_text (const NpGateVerdict *v)
{
  const char *value = v->value ? v->value : "unknown";
  return v->base ? g_strdup_printf ("%s, baseline %s", value, v->base) : g_strdup (value);
}

/* Returns "1.25ms (matmul, /device:TPU:0)", with the reason where there is one. */
static char *
describe (const NpGateVerdict *v)
{
  g_autofree char *value = value_text (v);
  GString *text = g_string_new (value);
  if (*v->what)
    g_string_append_printf (text, " (%s)", v->what);
  if (v->why)
    g_string_append_printf (text, ": %s", v->why);
  return g_string_free (text, FALSE);
}

/* -- Text ------------------------------------------------------------------------ */

#define MANY 20 /* verdicts, of which those that are met are counted only */

static gboolean
is_told (const GPtrArray *verdicts, const NpGateVerdict *v)
{
  return verdicts->len <= MANY || v->state != NP_GATE_MET;
}

static void
print_line (GString *out, const NpGateVerdict *v)
{
  g_autofree char *described = describe (v), *line = np_printable (described, -1);
  g_string_append_printf (out, "%-9s  %s  is %s\n", state_name (v->state), v->expr->text, line);
}

static void
print_row (GString *out, const NpGateVerdict *v, int width)
{
  g_autofree char *of = np_printable (v->what, -1), *why = np_printable (v->why ? v->why : "", -1),
                  *value = value_text (v);
  g_string_append_printf (out, "%-9s  %s  %*s  %s%s%s\n", state_name (v->state), v->expr->text,
                          width, value, of, *of && *why ? ": " : "", why);
}

/* Prints several rows of one demand, `n` from `from` on, one below the other. */
static void
print_rows (GString *out, const GPtrArray *told, guint from, guint n)
{
  const NpGateVerdict *first = g_ptr_array_index (told, from);
  int width = (int) strlen ("value");
  for (guint i = from; i < from + n; i++) {
    g_autofree char *value = value_text (g_ptr_array_index (told, i));
    width = MAX (width, (int) strlen (value));
  }
  int demand = (int) g_utf8_strlen (first->expr->text, -1);
  g_string_append_printf (out, "%-9s  %-*s  %*s  %s\n", "", MAX (demand, 6), "demand", width,
                          "value", "of");
  for (guint i = from; i < from + n; i++)
    print_row (out, g_ptr_array_index (told, i), width);
}

static void
print_text (GString *out, GPtrArray *verdicts)
{
  g_autoptr (GPtrArray) told = g_ptr_array_new ();
  for (guint i = 0; i < verdicts->len; i++)
    if (is_told (verdicts, g_ptr_array_index (verdicts, i)))
      g_ptr_array_add (told, g_ptr_array_index (verdicts, i));
  for (guint i = 0, n; i < told->len; i += n) {
    const NpGateVerdict *first = g_ptr_array_index (told, i);
    for (n = 1; i + n < told->len; n++)
      if (((const NpGateVerdict *) g_ptr_array_index (told, i + n))->expr != first->expr)
        break;
    if (n == 1)
      print_line (out, first);
    else
      print_rows (out, told, i, n);
  }
  print_sum (out, verdicts);
}

/* -- Markdown -------------------------------------------------------------------- */

static void
print_markdown (GString *out, GPtrArray *verdicts)
{
  g_string_append (out, "| | demand | value | of |\n|---|---|---:|---|\n");
  for (guint i = 0; i < verdicts->len; i++) {
    const NpGateVerdict *v = g_ptr_array_index (verdicts, i);
    if (!is_told (verdicts, v))
      continue;
    g_autofree char *demand = np_markdown_cell (v->expr->text);
    g_autofree char *of = np_markdown_cell (v->why ? v->why : v->what), *value = value_text (v);
    g_string_append_printf (out, "| %s | %s | %s | %s |\n", state_name (v->state), demand, value,
                            of);
  }
}

/* -- JUnit ----------------------------------------------------------------------- */

/* Escapes for XML; what XML 1.0 cannot hold (control characters) has become printable before. */
static char *
xml (const char *text)
{
  g_autofree char *shown = np_printable (text, -1);
  return g_markup_escape_text (shown, -1);
}

static void
print_case (GString *out, const NpGateVerdict *v, const char *input)
{
  g_autofree char *described = describe (v), *message = xml (described),
                  *name = xml (v->expr->text), *what = xml (v->what), *of = xml (input);
  g_string_append_printf (out, "  <testcase classname=\"%s\" name=\"%s%s%s\"", of, name,
                          *what ? ": " : "", what);
  if (v->state == NP_GATE_MET)
    g_string_append (out, "/>\n");
  else
    g_string_append_printf (out, ">\n    <failure type=\"%s\" message=\"%s\"/>\n  </testcase>\n",
                            v->state == NP_GATE_NOT_MET ? "not met" : "undecided", message);
}

static void
print_junit (GString *out, GPtrArray *verdicts, const char *input)
{
  g_string_append_printf (out,
                          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<testsuite name=\"nprof gate\" tests=\"%u\" failures=\"%u\">\n",
                          verdicts->len, verdicts->len - count (verdicts, NP_GATE_MET));
  for (guint i = 0; i < verdicts->len; i++)
    print_case (out, g_ptr_array_index (verdicts, i), input);
  g_string_append (out, "</testsuite>\n");
}

/* -- JSON ------------------------------------------------------------------------ */

/* Puts a value, or that of the baseline, as a number with all its digits and the unit of the text,
 * and a verdict as its word; an unknown one has its reason. */
static void
put_value (NpJson *j, const char *key, const NpGateVerdict *v, const char *text, long double number)
{
  const gboolean is_number = text && v->unit;
  np_json_object (j, key);
  if (is_number)
    np_json_double (j, "value", (double) (number / v->unit_size));
  else
    np_json_text (j, "value", text);
  np_json_text (j, "unit", is_number ? v->unit : "");
  np_json_text (j, "reason", text ? "" : v->why ? v->why : "it is unknown");
  np_json_text (j, "source", "nprof gate");
  np_json_end_object (j);
}

/* Puts which table decides, and the key columns of its row; of what is of all rows of a device that
 * alone, with its input.  A key that is not known is null. */
static void
put_place (NpJson *j, const NpGateVerdict *v)
{
  np_json_text (j, "table", v->stored ? v->stored->schema->name : NULL);
  np_json_object (j, "keys");
  for (guint c = 0; v->stored && c < v->stored->n_columns; c++) {
    const struct nprof_table_column *column = v->stored->schema->columns[c];
    gboolean of_device
        = g_str_equal (column->name, "input") || g_str_equal (column->name, "device");
    if (!nprof_is_key (column) || (v->of_device && !of_device))
      continue;
    const struct nprof_cell cell = np_table_cell (v->stored, v->row, (int) c);
    g_autofree char *text = np_gate_cell_text (&cell);
    np_json_text (j, column->name, cell.type == NPROF_NULL ? NULL : text);
  }
  np_json_end_object (j);
}

/* Prints a verdict a line. */
static void
print_json (GString *out, GPtrArray *verdicts)
{
  struct nprof_buf buf = { 0 };
  NpJson j = { .buf = &buf };
  np_json_array (&j, NULL);
  for (guint i = 0; i < verdicts->len; i++) {
    const NpGateVerdict *v = g_ptr_array_index (verdicts, i);
    if (i)
      np_json_line (&j, 0);
    np_json_object (&j, NULL);
    np_json_text (&j, "demand", v->expr->text);
    np_json_text (&j, "state",
                  v->state == NP_GATE_MET       ? "met"
                  : v->state == NP_GATE_NOT_MET ? "not met"
                                                : "undecided");
    put_value (&j, "value", v, v->value, v->number);
    if (v->expr->of_base > 0)
      put_value (&j, "baseline", v, v->base, v->base_number);
    np_json_text (&j, "key", v->what);
    np_json_text (&j, "reason", v->why ? v->why : "");
    put_place (&j, v);
    np_json_end_object (&j);
  }
  np_json_end_array (&j);
  nprof_put_char (&buf, '\n');
  np_json_move (&buf, out);
}

GString *
np_gate_print (GPtrArray *verdicts, const char *format, const char *input)
{
  GString *out = g_string_new (NULL);
  if (g_str_equal (format, "junit"))
    print_junit (out, verdicts, input);
  else if (g_str_equal (format, "markdown"))
    print_markdown (out, verdicts);
  else if (g_str_equal (format, "json"))
    print_json (out, verdicts);
  else
    print_text (out, verdicts);
  return out;
}
