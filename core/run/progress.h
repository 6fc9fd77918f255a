/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - how far a run is: on stderr when it is a terminal, and to whoever listens. */
#pragma once

#include "base/log.h"

typedef struct NpProgress NpProgress;

typedef enum { NP_READS, NP_ANALYZES, NP_FINISHES } NpStage;

typedef struct {
  NpStage stage;
  guint64 done, total; /* bytes of all inputs; total 0: unknown */
  double bytes_per_s;  /* 0: unknown */
} NpProgressNow;

/* It is called by one thread at a time, a few times a second and when the stage changes. */
typedef struct {
  void (*told) (gpointer user, const NpProgressNow *now); /* NULL: nobody listens */
  gpointer user;
} NpProgressListener;

/* Where nothing is shown and nobody listens (NULL will do), every call does nothing. */
NpProgress *np_progress_new (NpLog *log, gboolean shown, const NpProgressListener *listener);
void np_progress_free (NpProgress *progress);
void np_progress_expect (NpProgress *progress, guint64 bytes); /* of all inputs; 0: unknown */
void np_progress_total (NpProgress *progress, const char *what, guint64 bytes); /* of this input */
/* Says of an input that is unpacked, before any of it is read, how far it is; size 0: unknown. */
void np_progress_unpack (NpProgress *progress, const char *what, guint64 taken, guint64 size,
                         guint64 made); /* [any-thread] */
void np_progress_add (NpProgress *progress, guint64 bytes, guint64 rows);       /* [any-thread] */
void np_progress_stage (NpProgress *progress, NpStage stage);
void np_progress_end (NpProgress *progress);

/* Returns the line that is shown; total 0: unknown.  Transfer full. */
char *np_progress_text (const char *what, guint64 total, guint64 bytes, guint64 rows,
                        double seconds);
