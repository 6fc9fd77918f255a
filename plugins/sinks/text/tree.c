/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - orders tracks depth first and indents their names; plain.c prints them. */

#include "tree.h"

#include <nprof/sdk.h>
#include <string.h>

#define DEEPEST 20 /* levels that are set off; those below stand like the last of them */

static const struct nprof_table tree_table = {
  .size = sizeof tree_table,
  .name = "tracks",
  .title = "Tracks",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_TEXT, "name", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "kind", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "rows", "", ""),
                            NPROF_KEY_COLUMN (NPROF_UINT64, "track", "", "")),
};

/* A tree needs these columns of table `tracks`. */
enum { TRACK, PARENT, KIND, NAME, SORT, ROWS, NEEDED };
static const struct {
  const char *name;
  guint type;
} needed[NEEDED] = {
  { "track", NPROF_UINT64 },  { "parent", NPROF_UINT64 }, { "kind", NPROF_TEXT },
  { "thread", NPROF_STRING }, { "sort", NPROF_INT64 },    { "rows", NPROF_UINT64 },
};

typedef struct {
  const Table *tracks;
  int column[NEEDED];
  guint *up;    /* of each row: 1 + row of its parent, 0 for none */
  guint *depth; /* of each row                                    */
  guint *order; /* rows by parent, then by sort                   */
  guint *begin; /* where in `order` the children of 1 + row begin */
} Tree;

static const struct nprof_cell *
cell (const Tree *tree, guint row, guint what)
{
  return &((const Row *) g_ptr_array_index (tree->tracks->rows, row))->cells[tree->column[what]];
}

static gboolean
find_columns (Tree *tree)
{
  for (guint i = 0; i < NEEDED; i++) {
    tree->column[i] = table_column (tree->tracks, needed[i].name);
    if (tree->column[i] < 0 || tree->tracks->columns[tree->column[i]].type != needed[i].type)
      return FALSE;
  }
  return TRUE;
}

/* Finds the parents.  A parent stands before its children, so there is no cycle.  FALSE: one does
 * not. */
static gboolean
find_parents (Tree *tree)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint r = 0; r < tree->tracks->rows->len; r++) {
    const struct nprof_cell *parent = cell (tree, r, PARENT);
    if (parent->type != NPROF_NULL) {
      tree->up[r] = GPOINTER_TO_UINT (g_hash_table_lookup (seen, &parent->v.u));
      if (tree->up[r] == 0)
        return FALSE;
      tree->depth[r] = tree->depth[tree->up[r] - 1] + 1;
    }
    g_hash_table_insert (seen, (gpointer) &cell (tree, r, TRACK)->v.u, GUINT_TO_POINTER (r + 1));
  }
  return TRUE;
}

static int
compare_siblings (gconstpointer a_ptr, gconstpointer b_ptr, gpointer user)
{
  const Tree *tree = user;
  guint a = *(const guint *) a_ptr, b = *(const guint *) b_ptr;
  if (tree->up[a] != tree->up[b])
    return tree->up[a] < tree->up[b] ? -1 : 1;
  gint64 x = cell (tree, a, SORT)->v.i, y = cell (tree, b, SORT)->v.i;
  if (x != y)
    return x < y ? -1 : 1;
  return (a > b) - (a < b);
}

static void
order_siblings (Tree *tree)
{
  guint n = tree->tracks->rows->len;
  for (guint r = 0; r < n; r++) {
    tree->order[r] = r;
    tree->begin[tree->up[r] + 1]++;
  }
  for (guint i = 1; i < n + 2; i++)
    tree->begin[i] += tree->begin[i - 1];
  g_qsort_with_data (tree->order, (gint) n, sizeof (guint), compare_siblings, tree);
}

static nprof_status
add_row (const Tree *tree, guint row, Table *to)
{
  gsize len;
  const char *name = cell_text (to->host, cell (tree, row, NAME), &len);
  g_autoptr (GString) indented = g_string_new (NULL);
  g_string_append_printf (indented, "%*s", (int) (2 * MIN (tree->depth[row], DEEPEST)), "");
  g_string_append_len (indented, name, (gssize) len);
  struct nprof_cell shown = nprof_cell_text (indented->str);
  shown.len = (uint32_t) indented->len;
  const struct nprof_cell cells[]
      = { ((const Row *) g_ptr_array_index (tree->tracks->rows, row))->cells[0], shown,
          *cell (tree, row, KIND), *cell (tree, row, ROWS), *cell (tree, row, TRACK) };
  return table_add (to, cells);
}

static void
push_children (const Tree *tree, guint parent, GArray *stack)
{
  for (guint i = tree->begin[parent + 1]; i > tree->begin[parent]; i--)
    g_array_append_val (stack, tree->order[i - 1]);
}

static Table *
walk (const Tree *tree)
{
  Table *to = table_new (tree->tracks->host, &tree_table, 0, NULL);
  to->no_input = TRUE; /* it is the root */
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));
  push_children (tree, 0, stack);
  while (stack->len > 0) {
    guint row = g_array_index (stack, guint, stack->len - 1);
    g_array_set_size (stack, stack->len - 1);
    if (add_row (tree, row, to)) {
      table_free (to);
      return NULL; /* no memory: the table as it is will do */
    }
    push_children (tree, row + 1, stack);
  }
  to->n_rows += tree->tracks->n_rows - tree->tracks->rows->len;
  return to;
}

Table *
tree_new (const Table *tracks)
{
  guint n = tracks->rows->len;
  Tree tree = { .tracks = tracks };
  if (tracks->by >= 0 || n == 0 || !find_columns (&tree))
    return NULL;
  tree.up = g_new0 (guint, n);
  tree.depth = g_new0 (guint, n);
  tree.order = g_new0 (guint, n);
  tree.begin = g_new0 (guint, n + 2);
  Table *to = NULL;
  if (find_parents (&tree)) {
    order_siblings (&tree);
    to = walk (&tree);
  }
  g_free (tree.up);
  g_free (tree.depth);
  g_free (tree.order);
  g_free (tree.begin);
  return to;
}
