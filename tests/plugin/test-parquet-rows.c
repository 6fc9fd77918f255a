/* SPDX-License-Identifier: Apache-2.0 */
/* test-parquet-rows.c - columns of a row group put together from sets and own values, by the fast
 * loops and by a plain one that goes value by value. */
#include "assemble.h"

#include <glib.h>

#define N_SETS 40

static struct pq_text
text_of (const void *user, guint32 ref)
{
  const GPtrArray *texts = user;
  const char *text = g_ptr_array_index ((GPtrArray *) texts, ref);
  return (struct pq_text){ text, (guint32) strlen (text) };
}

static void
put_text (const void *user, struct nprof_buf *to, guint32 how, guint64 value)
{
  (void) user;
  nprof_put_u64 (to, value);
  nprof_put_char (to, (char) ('a' + how));
}

static GPtrArray *
make_texts (void)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; k < 9000; k++)
    g_ptr_array_add (texts, g_strdup_printf ("text %u", k));
  return texts;
}

static char *
shown (struct pq_text text)
{
  return g_strndup (text.data, text.len);
}

/* -- Flat columns ---------------------------------------------------------- */

static guint64
any_value (GRand *rand, enum pq_kind kind, guint few)
{
  return kind == PQ_BOOL ? (guint64) g_rand_boolean (rand)
                         : (guint64) g_rand_int_range (rand, 0, few ? 50 : 9000);
}

static void
put_own (struct pq_values *v, gsize row, guint64 value)
{
  void *to = pq_values_add (v, row);
  if (v->kind == PQ_TEXT && value % 2) {
    g_autofree char *text = g_strdup_printf ("own %u", (guint) value);
    value = pq_values_own (v, text, (guint32) strlen (text));
  }
  memcpy (to, &value, pq_width (v->kind));
}

static char *
show_value (const struct pq_values *v, const struct pq_texts *texts, guint64 value)
{
  if (v->kind == PQ_TEXT)
    return shown (pq_values_text (v, (guint32) value, texts->of, texts->user));
  return g_strdup_printf ("%" G_GUINT64_FORMAT, value);
}

/* Value k of data. */
static guint64
value_at (const struct pq_values *v, gsize k)
{
  guint64 value = 0;
  memcpy (&value, v->data.data + k * pq_width (v->kind), pq_width (v->kind));
  return value;
}

static void
check_flat (GRand *rand, enum pq_kind kind, gsize n_rows, guint few)
{
  g_autoptr (GPtrArray) all = make_texts ();
  g_autoptr (GPtrArray) expected = g_ptr_array_new_with_free_func (g_free); /* by row; NULL: none */
  struct pq_texts texts = { text_of, all, put_text };
  struct pq_values v = { .kind = kind };
  struct pq_rows rows = { 0 };
  struct pq_dict dict = { 0 };
  struct pq_assembled w = { 0 };
  guint64 of_set[N_SETS];
  for (guint k = 0; k < N_SETS; k++) {
    of_set[k] = any_value (rand, kind, few);
    g_assert_cmpuint (pq_rows_add_set (&rows), ==, k);
    if (k % 4)
      pq_values_share (&v, k, of_set[k]);
  }
  pq_rows_pad (&rows, n_rows);
  for (gsize row = 0; row < n_rows; row++) {
    guint set = (guint) g_rand_int_range (rand, 0, N_SETS * 2);
    char *value = NULL;
    if (set < N_SETS) {
      pq_rows_use_set (&rows, row, set);
      value = set % 4 ? show_value (&v, &texts, of_set[set]) : NULL;
    }
    if (!value && g_rand_boolean (rand)) {
      put_own (&v, row, any_value (rand, kind, few));
      value = show_value (&v, &texts, value_at (&v, v.n - 1));
    }
    g_ptr_array_add (expected, value);
  }
  g_assert_true (pq_rows_pad (&rows, n_rows) && pq_values_pad (&v, n_rows));
  g_assert_true (pq_assemble (&w, &dict, &v, &rows, n_rows, texts));
  g_assert_true (w.numbered == (few && kind != PQ_BOOL));
  g_assert_true (pq_assemble_values (&w, &dict));
  gsize n = 0;
  for (gsize row = 0; row < n_rows; row++) {
    const char *value = g_ptr_array_index (expected, row);
    g_assert_cmpint (w.v.bits.data[row / 8] >> row % 8 & 1, ==, value != NULL);
    g_autofree char *found = value ? show_value (&w.v, &w.texts, value_at (&w.v, n++)) : NULL;
    g_assert_cmpstr (found, ==, value);
  }
  g_assert_cmpuint (n, ==, w.v.n);
  pq_values_clear (&v);
  pq_rows_clear (&rows);
  pq_dict_clear (&dict);
  pq_assembled_clear (&w);
}

static void
test_flat (void)
{
  static const enum pq_kind kinds[] = { PQ_INT64, PQ_UINT32, PQ_TEXT, PQ_BOOL };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    check_flat (rand, kinds[k], 9000, 1);
    for (gsize n = 120; n < 130; n++)
      check_flat (rand, kinds[k], n, 1);
    check_flat (rand, kinds[k], 30000, 0);
  }
}

/* -- The map --------------------------------------------------------------- */

static struct pq_entry
any_entry (GRand *rand, struct pq_rows *rows, gint distinct)
{
  struct pq_entry e
      = { (guint64) g_rand_int_range (rand, 0, distinct), (guint32) g_rand_int_range (rand, 0, 9),
          (guint32) g_rand_int_range (rand, 0, 3) };
  if (e.how == PQ_ENTRY_OWN) {
    g_autofree char *text = g_strdup_printf ("%ua", (guint) e.value);
    e.value = pq_rows_own (rows, text, (guint32) strlen (text));
  }
  return e;
}

static void
show_entry (GString *to, const struct pq_rows *rows, const GPtrArray *texts, enum pq_kind kind,
            const struct pq_entry *e)
{
  struct nprof_buf made = { 0 };
  struct pq_text text;
  if (e->how == PQ_ENTRY_OWN) {
    text = pq_rows_text (rows, e->value);
  } else {
    put_text (NULL, &made, e->how, e->value);
    text = (struct pq_text){ made.data, (guint32) made.len };
  }
  text = kind == PQ_MAP_KEY ? text_of (texts, e->key) : text;
  g_string_append_len (to, text.data, text.len);
  g_string_append_c (to, ' ');
  nprof_buf_clear (&made);
}

static void
check_map (GRand *rand, gsize n_rows, gint distinct)
{
  g_autoptr (GPtrArray) all = make_texts ();
  g_autoptr (GString) keys = g_string_new (NULL);
  g_autoptr (GString) values = g_string_new (NULL);
  GString *expected[] = { keys, values };
  struct pq_texts texts = { text_of, all, put_text };
  struct pq_rows rows = { 0 };
  struct pq_entry of_set[N_SETS][3];
  for (guint k = 0; k < N_SETS; k++) {
    pq_rows_add_set (&rows);
    for (guint i = 0; i < k % 4; i++) {
      of_set[k][i] = any_entry (rand, &rows, distinct);
      pq_rows_share_entry (&rows, &of_set[k][i]);
    }
  }
  pq_rows_pad (&rows, n_rows);
  for (gsize row = 0; row < n_rows; row++) {
    guint set = (guint) g_rand_int_range (rand, 0, N_SETS * 2),
          own = (guint) g_rand_int_range (rand, 0, 3);
    for (guint k = 0; set < N_SETS && k < 2; k++)
      for (guint i = 0; i < set % 4; i++)
        show_entry (expected[k], &rows, all, PQ_MAP_KEY + k, &of_set[set][i]);
    if (set < N_SETS)
      pq_rows_use_set (&rows, row, set);
    for (guint i = 0; i < own; i++) {
      struct pq_entry e = any_entry (rand, &rows, distinct);
      pq_rows_add_entry (&rows, row, e);
      show_entry (keys, &rows, all, PQ_MAP_KEY, &e);
      show_entry (values, &rows, all, PQ_MAP_VALUE, &e);
    }
    g_string_append_c (keys, '\n');
    g_string_append_c (values, '\n');
  }
  g_assert_true (pq_rows_pad (&rows, n_rows));
  for (guint k = 0; k < 2; k++) {
    struct pq_values v = { .kind = PQ_MAP_KEY + k };
    struct pq_dict dict = { 0 };
    struct pq_assembled w = { 0 };
    g_autoptr (GString) found = g_string_new (NULL);
    g_assert_true (pq_assemble (&w, &dict, &v, &rows, n_rows, texts)
                   && pq_assemble_values (&w, &dict));
    g_assert_true (w.numbered == (k == 0 || distinct < 1000));
    const struct pq_list *list = (const void *) w.lists.data,
                         *end = list + w.lists.len / sizeof *list;
    gsize n = 0;
    for (gsize row = 0; row < n_rows; row++) {
      for (guint32 i = 0; list < end && list->row == row && i < list->n; i++) {
        struct pq_text text
            = pq_values_text (&w.v, (guint32) value_at (&w.v, n++), w.texts.of, w.texts.user);
        g_string_append_len (found, text.data, text.len);
        g_string_append_c (found, ' ');
      }
      list += list < end && list->row == row;
      g_string_append_c (found, '\n');
    }
    g_assert_cmpuint (n, ==, w.v.n);
    g_assert_cmpstr (found->str, ==, expected[k]->str);
    pq_dict_clear (&dict);
    pq_assembled_clear (&w);
  }
  pq_rows_clear (&rows);
}

static void
test_map (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  check_map (rand, 5000, 20);
  check_map (rand, 9000, G_MAXINT); /* nothing comes twice: no dictionary */
  for (gsize n = 50; n < 60; n++)
    check_map (rand, n, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parquet-rows/flat", test_flat);
  g_test_add_func ("/parquet-rows/map", test_map);
  return g_test_run ();
}
