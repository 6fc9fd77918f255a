/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - puts spans that are nearly in order in order, within a bound of memory.  Knows
 * nothing of nprof. */
#ifndef AN_WINDOW_H
#define AN_WINDOW_H

#include <glib.h>
#include <stdbool.h>

typedef struct {
  gint64 start, duration;      /* ps, by which it is ordered: start up, duration down */
  guint64 number;              /* as it came: the last tie-break; set by the window   */
  gint64 row_start, row_end;   /* carried along                                       */
  gint64 flops, model_flops, bytes;
  guint32 op;
  bool has_flops, has_model, has_bytes;
  bool late;                   /* others behind it have been given away already       */
} WindowSpan;

typedef struct _Window Window;

/* Holds as many as fit into `bytes`, at least two. */
Window *window_new (guint64 bytes);
void window_free (Window *window);
void window_add (Window *window, WindowSpan span);
/* The next in order, when as many wait as fit, or `all`; FALSE: none yet. */
bool window_take (Window *window, bool all, WindowSpan *span);

#endif
