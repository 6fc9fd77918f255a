/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - a summary of neuron-profile: its lines, and how they are printed; knows no table. */
#pragma once

#include <glib.h>
#include <nprof/format.h>

typedef struct {
  char *name, *text; /* text: NULL, a number that was computed */
  double number;
  gboolean is_number;
} Line;

typedef struct {
  guint32 input, device; /* handles; 0: none */
  gboolean stated;       /* by the file, not computed */
  guint unknown;         /* metrics that are left out */
  char *bucket;
  GArray *lines; /* of Line */
} Summary;

void print_text (struct nprof_buf *to, const Summary *summary);
void print_json (struct nprof_buf *to, const GPtrArray *summaries);
