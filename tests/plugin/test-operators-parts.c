/* SPDX-License-Identifier: Apache-2.0 */
/* test-operators-parts.c - what names of operators say, and the window that orders spans. */
#include "devicekit/reorder-window.h"
#include "names.h"
#include "operators.h"
#include "system/layer-path.h"

static void
test_layers (void)
{
  static const struct {
    const char *path, *layer;
  } cases[] = {
    /* torch-neuronx */
    { "MLP[mlp]/Linear[fc1]/aten__addmm", "MLP[mlp]/Linear[fc1]" },
    { "Model[a/b]/aten__mul", "Model[a/b]" },
    /* JAX */
    { "jit(f)/jit(main)/add", NULL },
    { "jit(step)/jit(main)/transpose(jvp(Net))/dense_0/dot_general", "Net/dense_0" },
    { "jit(step)/jit(main)/jvp(Net)/layers_3/attention/while/body/exp", "Net/layers_3/attention" },
    { "jit(step)/vmap(jit(inner))/mul", NULL },
    { "pjit/remat/mul", NULL },
    { "jvp()/mul", NULL },
    /* TensorFlow */
    { "model/conv1/Conv2D:Conv2D", "model/conv1" },
    { "Conv2D:Conv2D", NULL },
    /* nothing to be found */
    { "", NULL },
    { "add", NULL },
    { "/add", NULL },
    { "a//add", "a" },
    { "a/", "a" },
    { "f((a/b", NULL },
    { "a)/b/c", "a)/b" },
    { ":", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *layer = an_layer_of_path (cases[i].path);
    g_test_message ("%s", cases[i].path);
    g_assert_cmpstr (layer, ==, cases[i].layer);
  }
}

static void
test_types (void)
{
  static const struct {
    const char *path, *type;
  } cases[] = {
    { "jit(f)/jit(main)/add", "add" },
    { "Net/dense/dot_general_12", "dot_general" },
    { "Net/dense/dot_general.12", "dot_general" },
    { "MLP[mlp]/aten__addmm", "aten__addmm" },
    { "model/conv1:Conv2D", "Conv2D" },
    { "model/conv1:", "conv1" },
    { "_1", "_1" },
    { "12", "12" },
    { "a/", NULL },
    { "", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *type = type_of_path (cases[i].path);
    g_test_message ("%s", cases[i].path);
    g_assert_cmpstr (type, ==, cases[i].type);
  }
}

static void
test_opcodes (void)
{
  static const struct {
    const char *text, *opcode;
  } cases[] = {
    { "%fusion.1 = f32[5,1024]{1,0:T(8,128)} fusion(f32[] %x), kind=kLoop", "fusion" },
    { "%s = (f32[2]{0:T(8)}, u32[]{:S(2)}) copy-start(f32[2] %x)", "copy-start" },
    { "ROOT %r = u8[0] custom-call()", "custom-call" },
    { "%r = ", NULL },
    { "%r = (f32[", NULL },
    { "%r = f32[] ", NULL },
    { "%r = f32[] add", NULL },
    { "%r = f32[] (", NULL },
    { "fusion", NULL },
    { "", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *opcode = opcode_of_text (cases[i].text);
    g_test_message ("%s", cases[i].text);
    g_assert_cmpstr (opcode, ==, cases[i].opcode);
  }
}

typedef struct {
  AnWindowSpan span;
  gint64 carried;
} Carrier;

static void
add_carrier (AnWindow *w, gint64 start, gint64 duration)
{
  Carrier *c = an_window_add (w, start, duration);
  c->carried = start;
}

/* Spans that are at most `far` places away from where they belong come out in order, with what
 * they carry. */
static void
test_window (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  for (guint round = 0; round < 300; round++) {
    guint max = (guint) g_rand_int_range (rand, 2, 40);
    gint64 far = g_rand_int_range (rand, 0, (gint32) max / 2 + 1), before = G_MININT64;
    guint n = (guint) g_rand_int_range (rand, 0, 300), taken = 0;
    AnWindow *w = an_window_new (max * sizeof (Carrier), sizeof (Carrier));
    const Carrier *c;
    for (guint i = 0; i <= n; i++) {
      if (i < n) {
        gint64 start = i + (far ? g_rand_int_range (rand, 0, (gint32) far + 1) : 0);
        add_carrier (w, start, i);
      }
      for (guint k; (c = an_window_take (w, i == n, &k));)
        for (taken += k; k > 0; k--, c++) {
          g_assert_false (c->span.late);
          g_assert_cmpint (c->span.start, >=, before);
          g_assert_cmpint (c->carried, ==, c->span.start);
          before = c->span.start;
        }
    }
    g_assert_cmpuint (taken, ==, n);
    an_window_add (w, -1000, 0); /* another track */
    g_assert_nonnull (c = an_window_take (w, true, &taken));
    g_assert_false (c->span.late);
    g_assert_cmpuint (taken, ==, 1);
    an_window_free (w);
  }
  an_window_free (NULL);
}

/* The same order as a sort of them all, of equal starts and spans too, and at each fill of the two
 * halves: what comes out depends on nothing else. */
static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const AnWindowSpan *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->duration != y->duration)
    return x->duration > y->duration ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

static void
test_ties (void)
{
  enum { FITS = 32 };
  AnWindow *w = an_window_new (FITS * sizeof (AnWindowSpan), sizeof (AnWindowSpan));
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  for (guint n = 0; n < 150; n++) {
    g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (AnWindowSpan)),
                       out = g_array_new (FALSE, FALSE, sizeof (AnWindowSpan));
    const AnWindowSpan *s;
    for (guint i = 0; i <= n; i++) {
      if (i < n) {
        gint64 start = i / 3 + (guint) g_rand_int_range (rand, 0, 2);
        g_array_append_vals (all, an_window_add (w, start, g_rand_int_range (rand, 0, 3)), 1);
      }
      for (guint k; (s = an_window_take (w, i == n, &k));)
        g_array_append_vals (out, s, k);
    }
    g_array_sort (all, compare_spans);
    g_assert_cmpmem (out->data, n * sizeof *s, all->data, n * sizeof *s);
  }
  an_window_free (w);
}

static void
test_late (void)
{
  AnWindow *w = an_window_new (4 * sizeof (AnWindowSpan), sizeof (AnWindowSpan));
  const AnWindowSpan *s;
  guint late = 0, taken = 0;
  for (guint i = 0; i < 20; i++) {
    an_window_add (w, i == 15 ? 2 : i, 0);
    for (guint n; (s = an_window_take (w, i == 19, &n));)
      for (taken += n; n > 0; n--, s++)
        late += s->late;
  }
  g_assert_cmpuint (late, ==, 1);
  g_assert_cmpuint (taken, ==, 20);
  an_window_free (w);
}

/* Rows that come after late ones are late by what was given away before them. */
static void
test_late_twice (void)
{
  const gint64 starts[] = { 10, 11, 12, 13, 1, 2, 5 };
  AnWindow *w = an_window_new (4 * sizeof (AnWindowSpan), sizeof (AnWindowSpan));
  guint late = 0, n;
  for (guint i = 0; i < G_N_ELEMENTS (starts); i++) {
    const AnWindowSpan *s = an_window_add (w, starts[i], 0);
    late += s->late;
    while (an_window_take (w, false, &n))
      g_assert_cmpuint (n, ==, 2);
  }
  g_assert_cmpuint (late, ==, 3);
  an_window_free (w);
}

/* Work of a call that has not begun, be it the very next one, is no call's: it is counted, and
 * writes nowhere. */
static void
test_work_of_no_call (void)
{
  Operators operators = { 0 };
  products_init (&operators);
  np_large_array_extend (operators.products.calls, 1);
  products_work (&operators, operators.products.first + 1, 1, 1, 10, 10);
  products_work (&operators, operators.products.first + 2, 1, 1, 10, 10);
  g_assert_cmpuint (operators.products.late, ==, 2);
  products_clear (&operators);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/operators-parts/layers", test_layers);
  g_test_add_func ("/operators-parts/types", test_types);
  g_test_add_func ("/operators-parts/opcodes", test_opcodes);
  g_test_add_func ("/operators-parts/window", test_window);
  g_test_add_func ("/operators-parts/ties", test_ties);
  g_test_add_func ("/operators-parts/late", test_late);
  g_test_add_func ("/operators-parts/late-twice", test_late_twice);
  g_test_add_func ("/operators-parts/work-of-no-call", test_work_of_no_call);
  return g_test_run ();
}
