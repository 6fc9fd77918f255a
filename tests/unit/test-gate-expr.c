/* SPDX-License-Identifier: Apache-2.0 */
/* test-gate-expr.c - the texts of demands, and where each wrong one is wrong. */

#include "gate/expr.h"
#include "gate/values.h"

#include "base/error.h"

#include <string.h>

static const struct {
  const char *name, *parts[6];
} said[] = {
  { "mfu", { "mfu", "mfu", "use" } },
  { "idle", { "step_breakdown", "idle_ns/window_ns", "mean", "or_span" } },
  { "idle.host", { "step_breakdown", "idle_host_ns/window_ns", "mean", "doubt=idle_unlinked_ns" } },
  { "idle.wait", { "step_breakdown", "idle_wait_ns/window_ns", "mean" } },
  { "busy", { "step_breakdown", "window_ns-idle_ns-lost_ns/window_ns", "mean" } },
  { "overlap", { "devices", "overlap_ns/overlap_ns+exposed_ns" } },
  { "devices.busy", { "devices", "busy_ns/span_ns" } },
  { "tpot", { "phases", "tpot_ns", "phase=decode" } },
  { "bound", { "verdict", "group", "word" } },
};

/* Returns the values that these analyzers say; transfer full. */
static GPtrArray *
values_new (void)
{
  GPtrArray *values = np_gate_values_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (said); i++) {
    np_gate_values_add (values, "a", said[i].name, said[i].parts);
    g_assert_nonnull (np_gate_values_find (values, said[i].name));
  }
  return values;
}

static char *
describe (const NpGateExpr *e)
{
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "%s.%s", e->table, e->column);
  for (char **other = e->others; other && *other; other++)
    g_string_append_printf (text, "%c%s", e->sign < 0 ? '-' : '+', *other);
  if (e->over)
    g_string_append_printf (text, "/%s", e->over);
  if (e->plus)
    g_string_append_printf (text, "+%s", e->plus);
  for (guint i = 0; i < e->matches->len; i++) {
    const NpGateMatch *match = g_ptr_array_index (e->matches, i);
    g_string_append_printf (text, " %s=%s", match->key ? match->key : "", match->glob);
  }
  g_string_append_printf (text, " op%d %.17Lg u%d", e->op, e->limit, e->unit);
  return g_string_free (text, FALSE);
}

static void
test_forms (void)
{
  g_autoptr (GPtrArray) values = values_new ();
  static const char *const forms[][2] = {
    { "p99('attention*') < 2ms", "latency.p99_ns name=attention* op0 2000000000 u1" },
    { "p99.9(\"a b\",track='/device:*')<=1.5us",
      "latency.p99_9_ns name=a b track=/device:* op1 1500000 u1" },
    { "p50('') != 3", "latency.median_ns name= op5 3 u0" },
    { "  count ( 'x' )  ==  0 ", "latency.calls name=x op4 0 u0" },
    { "calls('x') == 0", "latency.calls name=x op4 0 u0" },
    { "share('*')>=5 %", "latency.share name=* op3 0.05 u3" },
    { "mfu > 40%", "mfu.mfu op2 0.4 u3" },
    { "idle<0.25", "step_breakdown.idle_ns/window_ns op0 0.25 u0" },
    { "idle.host<1%", "step_breakdown.idle_host_ns/window_ns op0 0.01 u3" },
    { "busy>1%", "step_breakdown.window_ns-idle_ns-lost_ns/window_ns op2 0.01 u3" },
    { "overlap>1%", "devices.overlap_ns/overlap_ns+exposed_ns op2 0.01 u3" },
    { "devices.busy['device=GPU*']>1%", "devices.busy_ns/span_ns device=GPU* op2 0.01 u3" },
    { "devices.busy_ns>1us", "devices.busy_ns op2 1000000 u1" },
    { "tpot<1ms", "phases.tpot_ns phase=decode op0 1000000000 u1" },
    { "bound != host", "verdict.group op5 0 u0" },
    { "operators.self_ns['operator=aten*','device=GPU 0'] < 1min",
      "operators.self_ns operator=aten* device=GPU 0 op0 60000000000000 u1" },
    { "dma_queues.bytes < 1.5GiB", "dma_queues.bytes op0 1610612736 u2" },
    { "ops['aten*'].share < 30%", "ops.share =aten* op0 0.3 u3" },
    { "t.c['k=a=b'] > -1e3", "t.c k=a=b op2 -1000 u0" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (NpGateExpr) expr = np_gate_parse (forms[i][0], values, &error);
    g_assert_no_error (error);
    g_autofree char *found = describe (expr);
    g_assert_cmpstr (found, ==, forms[i][1]);
    g_assert_cmpstr (expr->text, ==, forms[i][0]);
  }
}

static void
test_wrong (void)
{
  g_autoptr (GPtrArray) values = values_new ();
  static const char *const forms[][2] = {
    { "", "character 1: expected a value" },
    { "< 3", "character 1: expected a value" },
    { "p98('x') < 1", "not \"p98\": did you mean p9" },
    { "p99(x) < 1", "character 5: expected a glob in quotes" },
    { "p99('x) < 1", "character 5: expected a glob in quotes" },
    { "p99('x', thread='y') < 1", "character 10: expected track='GLOB'" },
    { "p99('x', track='y' < 1", "expected `)`" },
    { "speed < 1", "character 1: expected STAT('GLOB')" },
    { "devices. < 1", "expected a column of table devices" },
    { "idle.x < 1", "character 6: expected host or wait" },
    { "bound < host", "expected == or != before a word" },
    { "devices.mfu['x'] < 1", "'COLUMN=GLOB' or a condition in the brackets, not 'x'" },
    { "devices.mfu['a=b' < 1", "expected `]`" },
    { "mfu ~ 1", "character 5: expected <, <=" },
    { "mfu > x", "character 7: expected a number" },
    { "mfu > ", "expected a number" },
    { "mfu > inf", "expected a number" },
    { "mfu > +inf", "expected a number" },
    { "mfu > 1e999999", "expected a number" },
    { "mfu > 4 percent", "character 9: expected nothing more, or a unit" },
    { "mfu > 4ms 5", "or a unit" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (np_gate_parse (forms[i][0], values, &error));
    g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
    if (!strstr (error->message, forms[i][1]))
      g_error ("%s: no \"%s\" in \"%s\"", forms[i][0], forms[i][1], error->message);
  }
}

/* Every cut of a valid text gives an answer or an error that names a place. */
static void
test_cuts (void)
{
  g_autoptr (GPtrArray) values = values_new ();
  const char *whole = "operators.self_ns['operator=aten*', \"device=G\"] <= 1.5ms";
  for (gsize n = 0; whole[n]; n++) {
    g_autofree char *cut = g_strndup (whole, n);
    g_autoptr (GError) error = NULL;
    g_autoptr (NpGateExpr) expr = np_gate_parse (cut, values, &error);
    g_assert_true ((expr != NULL) != (error != NULL));
  }
}

#define COLUMN "a column beside each of \"+\", \"-\" and \"/\" was expected"
#define KEY "doubt=COLUMN or COLUMN=GLOB was expected, the column is empty"
#define NAME                                                                                       \
  "a name of letters, digits and _ was expected, with one \".\" at most: no demand could be "      \
  "written of it"

static void
test_values (void)
{
  static const struct {
    const char *name, *parts[4], *why;
  } wrong[] = {
    { "x", { "devices" }, "value.x: a table, \";\" and a column were expected" },
    { "x", { "devices", "mfu", "odd" }, "value.x: \"odd\" is no word of a value" },
    { "x", { "", "mfu" }, "value.x: a table, \";\" and a column were expected" },
    { "x", { "devices", "" }, "value.x: " COLUMN },
    { "x", { "devices", "/b" }, "value.x: " COLUMN },
    { "x", { "devices", "a/" }, "value.x: " COLUMN },
    { "x", { "devices", "a-/b" }, "value.x: " COLUMN },
    { "x", { "devices", "a-b-/c" }, "value.x: " COLUMN },
    { "x", { "devices", "+b" }, "value.x: " COLUMN },
    { "x", { "devices", "a/+c" }, "value.x: " COLUMN },
    { "x", { "devices", "a/b+" }, "value.x: " COLUMN },
    { "x", { "devices", "a", "=b" }, "value.x: " KEY },
    { "x", { "devices", "a", "doubt=" }, "value.x: " KEY },
    { "x.y.z", { "devices", "a" }, "value.x.y.z: " NAME },
    { "x-y", { "devices", "a" }, "value.x-y: " NAME },
    { "x.", { "devices", "a" }, "value.x.: " NAME },
    { "", { "devices", "a" }, "value.: " NAME },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autofree char *why = NULL;
    g_assert_null (np_demand_value_read (wrong[i].name, wrong[i].parts, &why));
    g_assert_cmpstr (why, ==, wrong[i].why);
  }
}

/* What was said first, and can be read, counts; a demand says why one was refused. */
static void
test_several_say_one (void)
{
  static const char *const odd[]
      = { "devices", "mfu", "odd", NULL },
      *const one[] = { "devices", "x_ns", NULL }, *const other[] = { "devices", "y_ns", NULL };
  g_autoptr (GPtrArray) values = values_new ();
  g_autoptr (GError) error = NULL;
  np_gate_values_add (values, "a", "z.x", odd);
  g_assert_null (np_gate_parse ("any( z.x ) > 1", values, &error));
  g_assert_cmpstr (error->message, ==,
                   "\"any( z.x ) > 1\": a: value.z.x: \"odd\" is no word of a value");
  np_gate_values_add (values, "b", "z.x", one);
  np_gate_values_add (values, "c", "z.x", other);
  np_gate_values_add (values, "d", "z.x", odd);
  g_assert_cmpuint (values->len, ==, G_N_ELEMENTS (said) + 1);
  g_autoptr (NpGateExpr) expr = np_gate_parse ("z.x > 1", values, NULL);
  g_assert_cmpstr (expr->column, ==, "x_ns");
  for (guint i = 1; i < values->len; i++)
    g_assert_cmpstr (((NpGateValue *) values->pdata[i - 1])->name, <,
                     ((NpGateValue *) values->pdata[i])->name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gate-expr/forms", test_forms);
  g_test_add_func ("/gate-expr/wrong", test_wrong);
  g_test_add_func ("/gate-expr/cuts", test_cuts);
  g_test_add_func ("/gate-expr/values", test_values);
  g_test_add_func ("/gate-expr/several-say-one", test_several_say_one);
  return g_test_run ();
}
