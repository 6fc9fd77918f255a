/* SPDX-License-Identifier: Apache-2.0 */
/* graph-match.h - how surely work of a graph's replay is the launch that it is said to be: the
 * words of GRAPH_KEY_MATCH. */
#ifndef GRAPH_MATCH_H
#define GRAPH_MATCH_H

/* The least sure first. NODE: an annotation of its node names the module alone; NAME: all launches
 * of that name have one operator; POSITION: the capture names no kernels, and counts and families
 * agree; ORDER: the n-th of a name is the n-th of that name; ALIGNED: by the least edits; EXACT:
 * the sequences are equal. */
typedef enum {
  GRAPH_NONE,
  GRAPH_NODE,
  GRAPH_NAME,
  GRAPH_POSITION,
  GRAPH_ORDER,
  GRAPH_ALIGNED,
  GRAPH_EXACT,
  N_GRAPH_MATCHES
} GraphMatch;

/* Returns the word; static. */
static inline const char *
graph_match_word (GraphMatch match)
{
  static const char *const words[N_GRAPH_MATCHES]
      = { "none", "node id", "name", "position", "order of name", "aligned", "exact" };
  return words[match];
}

#endif
