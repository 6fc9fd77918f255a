/* SPDX-License-Identifier: Apache-2.0 */
/* graph-row.h - reads what work of a graph's replay states of the launch that it had when the graph
 * was captured. It goes before what lies around the launch of the replay, which runs hundreds of
 * kernels; step, phase, queue and delay stay with that. */
#ifndef AN_GRAPH_ROW_H
#define AN_GRAPH_ROW_H

#include "devicekit/row-keys.h"
#include "profile/graph-keys.h"
#include "profile/graph-match.h"
#include "profile/product-names.h"

#include <nprof/sdk.h>

#define AN_GRAPH_KEYS GRAPH_KEY_OPERATOR, GRAPH_KEY_CALL, GRAPH_KEY_MATCH

typedef struct {
  nprof_str operator, call, shape, match;
  nprof_str words[N_GRAPH_MATCHES]; /* of match */
} AnGraphKeys;

typedef struct {
  nprof_str operator; /* 0: the row is of no replay                                      */
  nprof_str shape;    /* arguments of the operator; 0: not told                          */
  uint64_t call;      /* kernels of one call share it; 0: the operator is not known      */
  GraphMatch match;   /* how surely it is the operator's                                 */
} AnGraphRow;

static inline AnGraphKeys
an_graph_keys (const struct nprof_host *host)
{
  AnGraphKeys keys = { .operator= nprof_intern (host, GRAPH_KEY_OPERATOR),
                       .call = nprof_intern (host, GRAPH_KEY_CALL),
                       .shape = nprof_intern (host, KEY_ARGUMENTS),
                       .match = nprof_intern (host, GRAPH_KEY_MATCH) };
  for (unsigned i = 0; i < N_GRAPH_MATCHES; i++)
    keys.words[i] = nprof_intern (host, graph_match_word ((GraphMatch) i));
  return keys;
}

/* Returns the match of a word; one that is not known is the least sure. */
static inline GraphMatch
an_graph_match (const AnGraphKeys *keys, nprof_str word)
{
  GraphMatch match = N_GRAPH_MATCHES - 1;
  while (match > GRAPH_NONE && keys->words[match] != word)
    match--;
  return match;
}

static inline AnGraphRow
an_graph_row (const struct nprof_batch *batch, uint32_t i, const AnGraphKeys *keys)
{
  AnGraphRow row = { 0 };
  if (!batch->attr_at)
    return row;
  for (uint32_t j = batch->attr_at[i], end = batch->attr_at[i + 1]; j < end; j++) {
    const nprof_str key = batch->attr_key[j];
    if (key == keys->operator && batch->attr_type[j] == NPROF_STRING)
      row.operator= batch->attr_value[j].s;
    else if (key == keys->call && batch->attr_type[j] == NPROF_UINT64)
      row.call = batch->attr_value[j].u;
    else if (key == keys->shape && batch->attr_type[j] == NPROF_STRING)
      row.shape = batch->attr_value[j].s;
    else if (key == keys->match && batch->attr_type[j] == NPROF_STRING)
      row.match = an_graph_match (keys, batch->attr_value[j].s);
  }
  return row;
}

#endif
