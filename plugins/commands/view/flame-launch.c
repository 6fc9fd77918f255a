/* SPDX-License-Identifier: Apache-2.0 */
/* flame-launch.c - makes a tree of the work of devices below the calls that launched it, of the
 * stacks of analyzer flame, so that the page and the terminal say the same. */

#include "console/text-number.h"
#include "ask-jobs.h"
#include "stored/cells.h"
#include "flame.h"

#include <string.h>

typedef struct {
  GArray *nodes;     /* of NpStack, whose name is a place in texts */
  GPtrArray *texts;  /* of frames, by number                       */
  GHashTable *names; /* frame -> 1 + number                        */
  GHashTable *find;
} Tree;

static guint32
child_of (Tree *t, guint32 parent, const char *frame)
{
  return np_stack_child (t->nodes, t->find, parent, np_text_number (t->names, t->texts, frame));
}

/* Adds a row of table stacks; `input` stands above its frames, NULL: there is one alone. */
static void
add_stack (Tree *t, const char *input, const char *stack, gint64 weight, gint64 count)
{
  g_auto (GStrv) frames = g_strsplit (stack, ";", -1);
  guint32 at = input ? child_of (t, 0, input) : 0;
  for (char **frame = frames; *frame; frame++)
    at = child_of (t, at, *frame);
  NpStack *node = &g_array_index (t->nodes, NpStack, at);
  node->self += weight;
  node->count += (guint64) count;
}

/* Returns the text; "" where it is unknown.  Texts of a report end in NUL. */
static const char *
text_at (const NpCells *stacks, guint64 row, int column)
{
  const char *text = np_table_text (stacks->table, row, column);
  return text ? text : "";
}

static void
add_stacks (Tree *t, const NpCells *stacks)
{
  const int input = np_cells_column (stacks, "input"), stack = np_cells_column (stacks, "stack"),
            weight = np_cells_column (stacks, "weight"), count = np_cells_column (stacks, "count");
  gboolean several = FALSE;
  for (guint64 i = 1; i < stacks->rows && !several; i++)
    several = strcmp (text_at (stacks, i, input), text_at (stacks, 0, input)) != 0;
  for (guint64 i = 0; i < stacks->rows; i++)
    add_stack (t, several ? text_at (stacks, i, input) : NULL, text_at (stacks, i, stack),
               np_table_cell (stacks->table, i, weight).v.i,
               np_table_cell (stacks->table, i, count).v.i);
}

static NpTableStore *
tables_of (NpAsk *ask, const gint64 *window)
{
  NpAnalysis *analysis = np_analysis_new (ask->view->modules, "");
  g_free (analysis->profile);
  analysis->profile = g_build_filename (ask->view->config->store, ask->id, NULL);
  analysis->alone = TRUE;
  g_ptr_array_add (analysis->analyzers, g_strdup ("flame:weight=device,steps=one"));
  if (window)
    np_analysis_clip (analysis, window[0], window[1]);
  return np_job_tables (ask, analysis);
}

GArray *
np_flame_launched (NpAsk *ask, const gint64 *window, GPtrArray *texts)
{
  g_autoptr (NpTableStore) tables = tables_of (ask, window);
  if (!tables)
    return NULL;
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (NpStack));
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal),
                         find = np_stack_finder ();
  Tree tree = { nodes, texts, names, find };
  const NpStack root = { 0 };
  g_array_append_val (nodes, root);
  g_auto (NpCells) stacks = { 0 };
  np_cells_lend (&stacks, tables, "stacks");
  add_stacks (&tree, &stacks);
  np_flame_sum (nodes);
  return g_steal_pointer (&nodes);
}
