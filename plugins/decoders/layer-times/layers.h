/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h - what the decoders of sums share: of each layer or kernel how long it took, without a
 * time at which it ran. */
#pragma once

#include "columns.h"

#include <glib.h>
#include <nprof/decimal.h>
#include <nprof/json-pull.h>
#include <nprof/sdk.h>

#define LT_NONE G_MININT64 /* the file does not say */

typedef struct {
  nprof_str name, scope, type, device;
  gint64 calls, total, average, median, cpu; /* times: ps */
  double flops, bytes;                       /* NAN: the file does not say */
  bool around;                               /* its time is that of others, too: in no sum */
} LtLayer;

typedef struct {
  const struct nprof_host *host;
  const char *data;
  uint64_t len;
  GArray *layers; /* of LtLayer */
  struct nprof_buf text;
} Layers;

extern const struct nprof_table layer_times_table;

/* layers.c */
LtLayer lt_layer (nprof_str name);
/* Reads ms with 9, us with 6 places as ps; LT_NONE: it is no time, or is negative. */
gint64 lt_time (const char *text, size_t len, int places);
/* Returns the present text of a reader; 0: it is none. */
nprof_str lt_text (Layers *self, const struct nprof_pull *p);
/* Counts a layer that cannot be read; goes on where the user asked for that. */
nprof_status lt_damage (Layers *self, uint64_t at, const char *why);
/* Writes all layers, with their shares. */
nprof_status lt_write (Layers *self);

/* Each decodes a whole file. */
nprof_status lt_trtexec (Layers *self);
nprof_status lt_openvino (Layers *self);
nprof_status lt_proton (Layers *self);
nprof_status lt_chakra (Layers *self);
/* Returns whether a file begins as messages of Chakra do: a version, then a node with a name. */
bool lt_is_chakra (const void *head, size_t len);
/* linked.c: nodes with times of their own are spans. */
nprof_status lt_linked (Layers *self);
/* queries.c: times of queries of trtexec are spans. */
bool lt_has_queries (const char *head, size_t len);
nprof_status lt_queries (Layers *self);
