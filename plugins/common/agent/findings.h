/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - what stands out, in one order: parts of the verdict that something reaches, and the
 * rows of table findings. */
#pragma once

#include "agent/agent.h"

/* Columns of np_findings. */
enum {
  NP_FINDING_CODE,
  NP_FINDING_STAKE, /* ps */
  NP_FINDING_GAIN,
  NP_FINDING_CAUSE,
  NP_FINDING_ACTION, /* the first, "" or NULL: none */
  NP_FINDING_NAME,
  NP_FINDING_OTHER,
  NP_FINDING_DEVICE,
  NP_FINDING_CERTAINTY /* of the gain */
};
/* Returns them from number `from` on, most time at stake first. */
sqlite3_stmt *np_findings (NpCall *call, gint64 from);
/* Returns our word for an action, static: "none" for those that we do not know. */
const char *np_action (const char *text);

/* A part of a step and its time. */
typedef struct {
  const char *part; /* as answers call it, static */
  gint64 ps, ns;
} NpPart;
/* Returns the parts of a device in their order, rounded so that they add up; of NpPart, transfer
 * full. */
GArray *np_parts (NpCall *call, const char *input, const char *device, gint64 base_ns);
gboolean np_part_is_idle (const NpPart *part);
