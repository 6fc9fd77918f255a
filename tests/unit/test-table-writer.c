/* SPDX-License-Identifier: Apache-2.0 */
/* test-table-writer.c - what is handed on of rows of two tables that come mixed. */

#include "rows/table-writer.h"

#include <nprof/sdk.h>

static const struct nprof_table first
    = { .size = sizeof first, .name = "first", .columns = NPROF_COLUMNS (NULL) };
static const struct nprof_table second
    = { .size = sizeof second, .name = "second", .columns = NPROF_COLUMNS (NULL) };

typedef struct {
  GString *text; /* "first 3 " for each chunk */
  guint left;    /* chunks until it fails */
} Taker;

static nprof_status
take (gpointer user, NpChunk *chunk)
{
  Taker *taker = user;
  g_string_append_printf (taker->text, "%s %u ", chunk->table->name, chunk->n_rows);
  np_chunk_unref (chunk);
  return taker->left-- ? NPROF_OK : NPROF_CANCELLED;
}

static nprof_status
add (NpTableWriter *writer, const struct nprof_table *table)
{
  g_autofree char *problem = NULL;
  const struct nprof_cell cell = nprof_cell_str (1);
  return np_table_writer_add (writer, table, &cell, &problem);
}

static void
test_order (void)
{
  Taker taker = { g_string_new (NULL), G_MAXUINT };
  NpTableWriter writer;
  np_table_writer_init (&writer, take, &taker);
  writer.most = 2;
  g_assert_false (np_table_writer_has (&writer, &second));
  g_assert_cmpint (np_table_writer_announce (&writer, &second), ==, NPROF_OK);
  g_assert_cmpint (np_table_writer_announce (&writer, &second), ==, NPROF_OK);
  g_assert_true (np_table_writer_has (&writer, &second));
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpint (add (&writer, &first), ==, NPROF_OK); /* is not announced */
    g_assert_cmpint (add (&writer, &second), ==, NPROF_OK);
  }
  g_assert_cmpint (np_table_writer_flush (&writer), ==, NPROF_OK);
  g_assert_cmpint (np_table_writer_flush (&writer), ==, NPROF_OK);
  g_assert_cmpstr (taker.text->str, ==, "second 0 first 2 second 2 second 1 first 1 ");
  np_table_writer_clear (&writer);
  g_string_free (taker.text, TRUE);
}

/* A chunk that cannot be handed on is reported once; a wrong cell is a problem. */
static void
test_failure (void)
{
  Taker taker = { g_string_new (NULL), 1 };
  NpTableWriter writer;
  char *problem = NULL;
  const struct nprof_cell wrong = nprof_cell_int (1);
  np_table_writer_init (&writer, take, &taker);
  g_assert_cmpint (np_table_writer_add (&writer, &first, &wrong, &problem), ==, NPROF_E_CONTRACT);
  g_assert_nonnull (problem);
  g_free (problem);
  g_assert_cmpint (add (&writer, &first), ==, NPROF_OK);
  g_assert_cmpint (add (&writer, &second), ==, NPROF_OK);
  g_assert_cmpint (np_table_writer_announce (&writer, &first), ==, NPROF_OK);
  g_assert_cmpint (np_table_writer_flush (&writer), ==, NPROF_CANCELLED);
  g_assert_cmpstr (taker.text->str, ==, "first 1 second 1 ");
  np_table_writer_clear (&writer);
  g_string_free (taker.text, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table-writer/order", test_order);
  g_test_add_func ("/table-writer/failure", test_failure);
  return g_test_run ();
}
