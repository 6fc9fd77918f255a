/* SPDX-License-Identifier: Apache-2.0 */
/* ascend-steps.h - table ascend_steps: how the vendor's tools split a step of an Ascend, by their
 * own rule from the rows of the file, and as they wrote it. rule: ascend.md 6 */
#ifndef PRODUCERS_ASCEND_STEPS_H
#define PRODUCERS_ASCEND_STEPS_H

#include <glib.h>
#include <nprof/table.h>

#define ASCEND_STEPS(C)                                                                            \
  C (INT_KEY, step, "number of the step")                                                          \
  C (KEY, device, "device whose rows they are")                                                    \
  C (KEY, figure,                                                                                  \
     "computing, not_overlapped, overlapped, communication, free, stage, bubble, "                 \
     "preparing")                                                                                  \
  C (PS, by_rule, "by the vendor's rule, of the rows of the file")                                 \
  C (PS, vendor, "as the vendor's tool wrote it")                                                  \
  C (COUNT, rows, "of the vendor that the figure of the file adds up")                             \
  C (NOTE, source, "where it wrote that")
NPROF_TABLE_ROW (ascend_steps, ASCEND_STEPS)
extern const struct nprof_table ascend_steps_table;

typedef enum {
  ASCEND_COMPUTING,
  ASCEND_NOT_OVERLAPPED, /* communication while nothing computes */
  ASCEND_OVERLAPPED,
  ASCEND_COMMUNICATION,
  ASCEND_FREE,      /* what is neither: copies are   */
  ASCEND_STAGE,     /* first to last row, without bubble */
  ASCEND_BUBBLE,    /* waits for what another stage of a pipeline sends */
  ASCEND_PREPARING, /* until the device begins     */
  ASCEND_FIGURES
} AscendFigure;

#define ASCEND_WHOLE INT64_MIN /* in place of a step's number: the whole file */

typedef struct {
  int64_t step;
  nprof_str device;   /* 0: the vendor does not say */
  const char *source; /* of `vendor`; a constant  */
  struct nprof_maybe_int by_rule[ASCEND_FIGURES], vendor[ASCEND_FIGURES]; /* ps */
  struct nprof_maybe_int
      rows[ASCEND_FIGURES]; /* that by_rule, or of the whole file vendor, adds up */
} AscendStep;

typedef struct {
  GArray *list;      /* of AscendStep */
  GHashTable *first; /* number -> 1 + the place of the first step that has it */
} AscendSteps;

void ascend_steps_init (AscendSteps *steps);
void ascend_steps_clear (AscendSteps *steps); /* or of cleared memory */
/* Returns the step, which is added where it is missing. */
AscendStep *ascend_step_of (AscendSteps *steps, int64_t number, nprof_str device);
/* Takes a figure as the vendor writes it: a number of us, as text; false: it is none that fits. */
bool ascend_step_vendor (AscendStep *step, AscendFigure figure, const char *source,
                         const char *text, size_t len);
/* Writes the table, which may have no row. */
nprof_status ascend_steps_write (const struct nprof_host *host, const AscendSteps *steps);

/* -- By the vendor's rule ---------------------------------------------------------------------- */

typedef struct {
  int64_t start, end;
} AscendSpan;

/* What lies in a step's window on a device; each array is of AscendSpan, in any order, in ps. */
typedef struct {
  GArray *computing, *communication;
  GArray *received; /* collectives that wait for another stage */
} AscendWindow;

/* Computes the figures of a step that begins at `begin` from unions of its rows. */
void ascend_step_by_rule (AscendStep *step, const AscendWindow *window, int64_t begin);
/* Sets the figures that follow from others. */
void ascend_step_settle (AscendStep *step, int64_t first, int64_t last, int64_t work,
                         int64_t begin);

#endif
