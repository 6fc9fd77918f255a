/* SPDX-License-Identifier: Apache-2.0 */
/* paper.h - the output that tables are printed to, with a buffer, its width, its colours. */
#pragma once

#include "mood.h"

#include <glib.h>
#include <nprof/plugin.h>

typedef struct {
  struct nprof_output *out;
  GString *text;       /* not written yet                       */
  nprof_status status; /* of the first write that failed        */
  guint width;         /* terminal columns of a line            */
  gboolean colour;
  gboolean endless; /* nobody said how wide a line may be    */
  gboolean rounded; /* a number was printed with lost digits */
} Paper;

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* `paged` means that what is written goes to a terminal by way of a pager. */
void paper_init (Paper *paper, struct nprof_output *out, const struct nprof_target *target,
                 guint width, int color, gboolean paged);
void paper_clear (Paper *paper);
/* Writes the gathered text once it is much; all of it when `all`. */
nprof_status paper_flush (Paper *paper, gboolean all);

/* These return how text looks: escapes, or "" where there is no colour. */
const char *paper_bold (const Paper *paper);
const char *paper_dim (const Paper *paper);
const char *paper_plain (const Paper *paper);
const char *paper_mood (const Paper *paper, Mood mood);
