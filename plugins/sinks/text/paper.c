/* SPDX-License-Identifier: Apache-2.0 */
/* paper.c - writes in large pieces and knows what the terminal can do. */

#include "paper.h"

#include <string.h>

#define PIECE 65536
#define WIDTH_UNKNOWN 100
#define WIDTH_LEAST 40 /* a table needs some room; narrower terminals wrap lines */

/* Returns whether colour is allowed. https://no-color.org: the variable is set and not empty. */
static gboolean
may_colour (gboolean terminal)
{
  const char *no_color = g_getenv ("NO_COLOR"), *term = g_getenv ("TERM");
  if (!terminal || (no_color && *no_color))
    return FALSE;
  return term && *term && strcmp (term, "dumb") != 0;
}

void
paper_init (Paper *paper, struct nprof_output *out, const struct nprof_target *target, guint width,
            int color, gboolean paged)
{
  *paper = (Paper){ .out = out, .text = g_string_sized_new (PIECE), .status = NPROF_OK };
  paper->colour
      = color == COLOR_ALWAYS || (color == COLOR_AUTO && may_colour (target->is_terminal || paged));
  paper->endless = width == 0 && !target->is_terminal;
  if (width == 0)
    width = target->columns ? target->columns : WIDTH_UNKNOWN;
  paper->width = MAX (width, WIDTH_LEAST);
}

void
paper_clear (Paper *paper)
{
  if (paper->text)
    g_string_free (paper->text, TRUE);
  paper->text = NULL;
}

nprof_status
paper_flush (Paper *paper, gboolean all)
{
  if (paper->status == NPROF_OK && paper->text->len > 0 && (all || paper->text->len >= PIECE)) {
    paper->status = paper->out->write (paper->out, paper->text->str, paper->text->len);
    g_string_truncate (paper->text, 0);
  }
  return paper->status;
}

const char *
paper_bold (const Paper *paper)
{
  return paper->colour ? "\033[1m" : "";
}

const char *
paper_dim (const Paper *paper)
{
  return paper->colour ? "\033[2m" : "";
}

const char *
paper_plain (const Paper *paper)
{
  return paper->colour ? "\033[0m" : "";
}

const char *
paper_mood (const Paper *paper, Mood mood)
{
  static const char *const escapes[] = { "", "\033[2m", "\033[33m", "\033[1;31m" };
  return paper->colour ? escapes[mood] : "";
}
