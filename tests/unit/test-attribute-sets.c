/* SPDX-License-Identifier: Apache-2.0 */
/* test-attribute-sets.c - sets are copies that stay where they are. */

#include "rows/attribute-sets.h"

#include <pthread.h>
#include <string.h>

static void
test_copy (void)
{
  char source[] = "....text....[1,2]...0123456789abcdef";
  nprof_str keys[] = { 1, 2, 3, 4, 5 };
  guint8 types[] = { NPROF_INT64, NPROF_TEXT, NPROF_JSON, NPROF_STRING, NPROF_ID128 };
  nprof_value values[5] = {
    { .i = -5 }, { .bytes = { 4, 4 } }, { .bytes = { 12, 5 } }, { .s = 77 }, { .bytes = { 20, 16 } }
  };
  struct nprof_attrs attrs = { sizeof attrs, 5, keys, types, values, source };
  NpAttrSets *sets = np_attrsets_new ();
  nprof_set set = np_attrsets_add (sets, &attrs);
  g_assert_cmpuint (set, ==, 1);
  g_assert_cmpuint (np_attrsets_add (sets, &attrs), ==, 2);
  memset (source, 'x', sizeof source);
  memset (keys, 0, sizeof keys);
  memset (types, 0, sizeof types);
  memset (values, 0, sizeof values);

  const struct nprof_attrs *copy = np_attrsets_get (sets, set);
  g_assert_cmpuint (copy->size, ==, sizeof *copy);
  g_assert_cmpuint (copy->n, ==, 5);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpuint (copy->key[i], ==, i + 1);
  g_assert_cmpuint (copy->type[4], ==, NPROF_ID128);
  g_assert_cmpint (copy->value[0].i, ==, -5);
  g_assert_cmpmem (copy->bytes + copy->value[1].bytes.at, copy->value[1].bytes.len, "text", 4);
  g_assert_cmpmem (copy->bytes + copy->value[2].bytes.at, copy->value[2].bytes.len, "[1,2]", 5);
  g_assert_cmpuint (copy->value[3].s, ==, 77);
  g_assert_cmpmem (copy->bytes + copy->value[4].bytes.at, 16, "0123456789abcdef", 16);
  np_attrsets_free (sets);
  np_attrsets_free (NULL);
}

static void
test_empty (void)
{
  NpAttrSets *sets = np_attrsets_new ();
  struct nprof_attrs none = { .size = sizeof none };
  g_assert_cmpuint (np_attrsets_add (sets, &none), ==, 0);
  g_assert_cmpuint (np_attrsets_get (sets, 0)->n, ==, 0);
  g_assert_cmpuint (np_attrsets_get (sets, 1)->n, ==, 0);
  g_assert_cmpuint (np_attrsets_get (sets, G_MAXUINT32)->n, ==, 0);
  np_attrsets_free (sets);
}

/* Together more than 32 bits can say: refused before anything is read. */
static void
test_too_large (void)
{
  nprof_str keys[] = { 1, 2 };
  guint8 types[] = { NPROF_TEXT, NPROF_TEXT };
  nprof_value values[2] = { { .bytes = { 0, G_MAXUINT32 } }, { .bytes = { 0, 1 } } };
  struct nprof_attrs attrs = { sizeof attrs, 2, keys, types, values, "" };
  NpAttrSets *sets = np_attrsets_new ();
  g_assert_cmpuint (np_attrsets_add (sets, &attrs), ==, 0);
  np_attrsets_free (sets);
}

static void *
work (void *user)
{
  NpAttrSets *sets = user;
  for (guint i = 0; i < 3000; i++) {
    nprof_str key = i + 1;
    guint8 type = NPROF_UINT64;
    nprof_value value = { .u = (guint64) i * 3 };
    struct nprof_attrs attrs = { sizeof attrs, 1, &key, &type, &value, NULL };
    const struct nprof_attrs *copy = np_attrsets_get (sets, np_attrsets_add (sets, &attrs));
    g_assert_cmpuint (copy->key[0], ==, i + 1);
    g_assert_cmpuint (copy->value[0].u, ==, (guint64) i * 3);
    np_attrsets_get (sets, i + 1);
  }
  return NULL;
}

static void
test_threads (void)
{
  NpAttrSets *sets = np_attrsets_new ();
  pthread_t threads[4];
  for (guint i = 0; i < 4; i++)
    pthread_create (&threads[i], NULL, work, sets);
  for (guint i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  g_assert_cmpuint (np_attrsets_get (sets, 12000)->n, ==, 1);
  g_assert_cmpuint (np_attrsets_get (sets, 12001)->n, ==, 0);
  np_attrsets_free (sets);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/attrsets/copy", test_copy);
  g_test_add_func ("/attrsets/empty", test_empty);
  g_test_add_func ("/attrsets/too-large", test_too_large);
  g_test_add_func ("/attrsets/threads", test_threads);
  return g_test_run ();
}
