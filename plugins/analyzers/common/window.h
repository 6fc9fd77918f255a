/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - puts spans that are nearly in order in order, within a bound of memory.  Knows
 * nothing of nprof. */
#ifndef AN_WINDOW_H
#define AN_WINDOW_H

#include <glib.h>
#include <stdbool.h>

typedef struct {
  gint64 start, duration; /* ps, by which it is ordered: start up, duration down */
  guint64 number;         /* as it came: the last tie-break                      */
  bool late;              /* others behind it have been given away already       */

  /* carried along */
  bool has_flops, has_model, has_bytes;
  guint32 op;
  gint64 row_start, row_end;
  gint64 flops, model_flops, bytes;
} WindowSpan;

typedef struct _Window Window;

/* Holds as many as fit into `bytes`, at least two. */
Window *window_new (guint64 bytes);
void window_free (Window *window);
/* What it carries is the caller's to fill in, before the next call. */
WindowSpan *window_add (Window *window, gint64 start, gint64 duration);
/* The next in order, when as many wait as fit, or `all`; NULL: none yet.  Good until the next call. */
const WindowSpan *window_take (Window *window, bool all);

#endif
