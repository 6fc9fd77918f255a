/* SPDX-License-Identifier: Apache-2.0 */
/* graph-keys.h - attributes of the work of graph replays, on which decoders and analyzers agree.
 * Only rows of replays have them, so they are columns of no other file. */
#ifndef GRAPH_KEYS_H
#define GRAPH_KEYS_H

#define GRAPH_KEY_OPERATOR "graph_operator" /* string: innermost operator around its launch, when
                                               the graph was captured; "(graph replay N)": not known
                                               */
#define GRAPH_KEY_MATCH "graph_match"   /* string: how surely, see nprof-decoder-chrome(7) */
#define GRAPH_KEY_REPLAY "graph_replay" /* int64: which replay of the file, from 0 */
#define GRAPH_KEY_CALL "graph_call" /* uint64: kernels of one call of the operator in one replay */

#define GRAPH_UNKNOWN "(graph replay " /* an operator that begins so is not known */

#endif
