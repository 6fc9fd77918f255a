/* SPDX-License-Identifier: Apache-2.0 */
/* traces.h - finds which traces of devices served the requests of an input. Ranks of one server
 * each made all first tokens, replicas each a part of them. */
#pragma once

#include "join.h"
#include "served.h"

/* An input whose steps make first tokens. */
typedef struct {
  guint32 input;
  GArray *ends;               /* of gint64, sorted: when these steps ended */
  const ServedDevice *device; /* its busiest */
  Join alone;                 /* by its own clock */
} Trace;

typedef struct {
  const Served *served;
  GArray *traces; /* of Trace: one that made all first tokens, or several that each made a part */
  Join join;      /* of their clock; of none that is joined, how many agree at best */
  bool joined;
} Traces;

/* Times in ps, sorted. */
Traces traces_join (const Served *served, const GArray *first_tokens);
void traces_clear (Traces *traces);
/* Returns the device that made the first token of that moment; NULL: none did, or of several traces
 * each may have. */
const ServedDevice *traces_device (const Traces *traces, gint64 first_token);
