/* SPDX-License-Identifier: Apache-2.0 */
/* idle.c - causes of gaps, and names of work that ends what was under way. */
#include "devicekit/idle.h"

#include "devicekit/bytes.h"

#include <nprof/sdk.h>
#include <string.h>

const char *
an_idle_name (AnIdleCause cause)
{
  static const char *const names[AN_IDLE_CAUSES]
      = { "host", "launch", "wait", "dma", "collective", "unlinked" };
  return names[cause];
}

static guint
add_part (AnIdlePart *parts, guint n, AnIdleCause cause, gint64 start, gint64 end)
{
  if (start >= end)
    return n;
  parts[n] = (AnIdlePart){ cause, start, end };
  return n + 1;
}

guint
an_idle_parts (const AnIdleEnd *by, gint64 start, gint64 end, AnIdlePart parts[AN_IDLE_PARTS])
{
  if (by->launched <= start)
    return add_part (parts, 0, by->linked ? AN_IDLE_WAIT : by->other, start, end);
  const gint64 launched = MIN (by->launched, end),
               program = by->linked ? start : CLAMP (by->program_end, start, launched);
  guint n = add_part (parts, 0, AN_IDLE_WAIT, start, program);
  n = add_part (parts, n, AN_IDLE_HOST, program, launched);
  return add_part (parts, n, by->linked ? AN_IDLE_LAUNCH : by->other, launched, end);
}

AnIdleEnd
an_idle_behind_all (const AnIdlePrograms *p, bool linked, bool launchable)
{
  if (linked)
    return (AnIdleEnd){ .linked = true, .launched = G_MAXINT64 };
  if (launchable || p->begun == G_MININT64)
    return (AnIdleEnd){ .launched = G_MININT64,
                        .program_end = G_MININT64,
                        .other = launchable ? AN_IDLE_UNLINKED : AN_IDLE_WAIT };
  return (AnIdleEnd){ .launched = p->begun > p->covered ? p->begun : G_MAXINT64,
                      .program_end = p->end,
                      .other = AN_IDLE_WAIT };
}

/* -- Work that has no launch ------------------------------------------------------------------ */

enum { ENDS = 1, BEGINS }; /* 0: not looked at */

struct _AnWaits {
  const struct nprof_host *host;
  GByteArray *texts; /* by handle */
};

AnWaits *
an_waits_new (const struct nprof_host *host)
{
  AnWaits *w = g_new0 (AnWaits, 1);
  w->host = host;
  w->texts = g_byte_array_new ();
  return w;
}

void
an_waits_free (AnWaits *w)
{
  if (!w)
    return;
  g_byte_array_unref (w->texts);
  g_free (w);
}

/* Recognises HLO's names of operators that wait for something that was started before, in names and
 * categories: "copy-done.3", "all-gather-done", "recv-done", "recv.1", "infeed". */
static bool
says_end (const char *text)
{
  return strstr (text, "-done") || g_ascii_strncasecmp (text, "recv", 4) == 0
         || g_ascii_strncasecmp (text, "host recv", 9) == 0
         || g_ascii_strncasecmp (text, "infeed", 6) == 0;
}

static __attribute__ ((noinline)) guint8
look_at (AnWaits *w, nprof_str text)
{
  guint8 *seen = an_byte_of (w->texts, text);
  return *seen = says_end (nprof_text (w->host, text)) ? ENDS : BEGINS;
}

static inline bool
ends (AnWaits *w, nprof_str text)
{
  guint8 seen = text < w->texts->len ? w->texts->data[text] : 0;
  return (seen ? seen : look_at (w, text)) == ENDS;
}

AnIdleCause
an_idle_behind_data (AnWaits *w, AnClass class, nprof_str category, nprof_str name)
{
  if (!ends (w, name) && !ends (w, category))
    return AN_IDLE_WAIT;
  return class == AN_COMMUNICATION ? AN_IDLE_COLLECTIVE : AN_IDLE_DMA;
}
