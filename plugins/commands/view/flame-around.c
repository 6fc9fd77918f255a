/* SPDX-License-Identifier: Apache-2.0 */
/* flame-around.c - makes of a tree of stacks the two trees around a name: who called it, and what
 * it called. Of a name within itself the outermost occurrence counts alone, as its time holds that
 * of the others. */

#include "flame.h"

#define NONE G_MAXUINT32
#define FOCUS 1 /* the place of the name in both trees */

typedef struct {
  GArray *nodes;
  GHashTable *find;
} Tree;

static void
add (GArray *nodes, guint32 at, const NpStack *what, gint64 total)
{
  NpStack *node = &g_array_index (nodes, NpStack, at);
  node->self += what->self;
  node->total += total;
  node->count += what->count;
}

/* Adds the occurrence to each of the chain of frames around it. */
static void
add_callers (Tree *callers, const GArray *stacks, const NpStack *occurrence)
{
  guint32 at = FOCUS;
  add (callers->nodes, at, occurrence, occurrence->total);
  for (guint32 up = occurrence->parent; up;) {
    const NpStack *caller = &g_array_index (stacks, NpStack, up);
    at = np_stack_child (callers->nodes, callers->find, at, caller->name);
    add (callers->nodes, at, occurrence, occurrence->total);
    up = caller->parent;
  }
}

static Tree
tree_of (GArray *nodes, guint32 name)
{
  Tree tree = { nodes, np_stack_finder () };
  const NpStack root = { 0 };
  g_array_append_val (nodes, root);
  np_stack_child (nodes, tree.find, 0, name);
  return tree;
}

void
np_flame_around (const GArray *stacks, guint32 name, GArray *callers, GArray *callees)
{
  Tree above = tree_of (callers, name), below = tree_of (callees, name);
  g_autofree guint32 *place = g_new (guint32, stacks->len); /* of a stack among callees, or NONE */
  place[0] = NONE;
  for (guint32 i = 1; i < stacks->len; i++) { /* parents come before their children */
    const NpStack *stack = &g_array_index (stacks, NpStack, i);
    guint32 parent = place[stack->parent];
    place[i] = parent != NONE        ? np_stack_child (callees, below.find, parent, stack->name)
               : stack->name == name ? FOCUS
                                     : NONE;
    if (place[i] != NONE)
      add (callees, place[i], stack, stack->total);
    if (place[i] == FOCUS)
      add_callers (&above, stacks, stack);
  }
  g_hash_table_unref (above.find);
  g_hash_table_unref (below.find);
}
