/* SPDX-License-Identifier: Apache-2.0 */
/* sanity.c - keeps the work and the calls of one input at a time, and judges them when all of them
 * are there. Their arrays lie in files once they are large, so that memory does not grow with a
 * profile. */
#include "devicekit/sanity.h"

#include "devicekit/bytes.h"
#include "devicekit/sanity-rules.h"

#include <nprof/sdk.h>
#include <string.h>

/* A row that is left out or cut. */
typedef struct {
  AnSanityWork work;
  AnSanityMark mark;
} Marked;

struct _AnSanity {
  const struct nprof_host *host;
  GByteArray *calls;    /* by handle of a name: 1 + what an_call_is says of it  */
  AnSanityInput now;    /* the input whose rows come                            */
  GArray *findings;     /* of AnSanityFinding                                   */
  GHashTable *marked;   /* of Marked                                            */
  GByteArray *has_mark; /* by input: whether a row of it is in `marked`, or twice */
  GArray *same;         /* of AnSanityWork: the last ones that began at one time  */
};

enum { MARKS_SOME = 1, MARKS_TWICE = 2 };

static guint
marked_hash (gconstpointer key)
{
  const AnSanityWork *w = key;
  guint64 x = (guint64) w->start * 0x9e3779b97f4a7c15u ^ (guint64) w->end;
  x = (x ^ w->correlation) * 0x9e3779b97f4a7c15u ^ w->name ^ (guint64) w->queue << 32;
  return (guint) (x >> 32 ^ x);
}

static gboolean
marked_equal (gconstpointer a, gconstpointer b)
{
  return an_sanity_same (a, b);
}

AnSanity *
an_sanity_new (const struct nprof_host *host)
{
  AnSanity *s = g_new0 (AnSanity, 1);
  s->host = host;
  s->calls = g_byte_array_new ();
  s->findings = g_array_new (FALSE, FALSE, sizeof (AnSanityFinding));
  s->marked = g_hash_table_new_full (marked_hash, marked_equal, NULL, g_free);
  s->has_mark = g_byte_array_new ();
  s->same = g_array_new (FALSE, FALSE, sizeof (AnSanityWork));
  an_sanity_input_init (&s->now, 0);
  return s;
}

void
an_sanity_free (AnSanity *s)
{
  an_sanity_input_clear (&s->now);
  g_byte_array_unref (s->calls);
  g_array_unref (s->findings);
  g_hash_table_unref (s->marked);
  g_byte_array_unref (s->has_mark);
  g_array_unref (s->same);
  g_free (s);
}

/* -- Rows as they come ------------------------------------------------------------------------- */

static void
mark (gpointer user, const AnSanityWork *work, AnSanityMark mark)
{
  AnSanity *s = user;
  Marked *m = g_new (Marked, 1);
  *m = (Marked){ *work, mark };
  g_hash_table_replace (s->marked, m, m);
  *an_byte_of (s->has_mark, s->now.input) |= MARKS_SOME;
}

static void
found (gpointer user, const AnSanityFinding *finding)
{
  AnSanity *s = user;
  g_array_append_vals (s->findings, finding, 1);
  if (finding->rule == AN_SANITY_DUPLICATES)
    *an_byte_of (s->has_mark, finding->input) |= MARKS_TWICE;
}

void
an_sanity_end (AnSanity *s)
{
  const AnSanityTold told = { found, mark, s };
  an_sanity_judge (&s->now, &told);
  an_sanity_input_clear (&s->now);
}

void
an_sanity_rows (AnSanity *s, uint32_t input, guint n_rows)
{
  if (input != s->now.input) {
    an_sanity_end (s);
    an_sanity_input_init (&s->now, input);
  }
  s->now.n_rows += n_rows;
}

void
an_sanity_work (AnSanity *s, const AnSanityWork *work)
{
  NpLargeArray *all = s->now.work;
  np_large_array_extend (all, all->len + 1);
  AnSanityWork *w = &g_array_index (all, AnSanityWork, all->len - 1);
  *w = *work;
  w->call = w->next = AN_SANITY_NONE;
}

/* Returns what a call of that name is. */
static guint8
call_is (AnSanity *s, nprof_str name)
{
  guint8 *known = an_byte_of (s->calls, name);
  if (!*known)
    *known = (guint8) (1 + an_call_is (nprof_text (s->host, name)));
  return *known - 1;
}

bool
an_sanity_captures (AnSanity *s, nprof_str name)
{
  return call_is (s, name) & (AN_CALL_BEGINS_CAPTURE | AN_CALL_ENDS_CAPTURE);
}

void
an_sanity_call (AnSanity *s, nprof_str name, nprof_track thread, gint64 start, gint64 end,
                guint64 correlation)
{
  NpLargeArray *all = s->now.calls;
  np_large_array_extend (all, all->len + 1);
  g_array_index (all, AnSanityCall, all->len - 1) = (AnSanityCall){ .start = start,
                                                                    .end = end,
                                                                    .correlation = correlation,
                                                                    .thread = thread,
                                                                    .next = AN_SANITY_NONE,
                                                                    .is = call_is (s, name) };
}

void
an_sanity_host (AnSanity *s, gint64 start, gint64 end)
{
  s->now.first = MIN (s->now.first, start);
  s->now.last = MAX (s->now.last, end);
}

void
an_sanity_step (AnSanity *s, nprof_str name, nprof_track thread, gint64 start, gint64 end)
{
  const AnSanityStep step = { start, end, name, thread };
  g_array_append_val (s->now.steps, step);
}

/* -- Rows in order ----------------------------------------------------------------------------- */

const GArray *
an_sanity_findings (const AnSanity *s)
{
  return s->findings;
}

bool
an_sanity_marks (const AnSanity *s, uint32_t input)
{
  return input < s->has_mark->len && s->has_mark->data[input];
}

/* Returns whether the same row has come before; equal ones come one behind the other, but for
 * others of their time. */
static bool
is_again (AnSanity *s, const AnSanityWork *work)
{
  if (s->same->len && g_array_index (s->same, AnSanityWork, 0).start != work->start)
    g_array_set_size (s->same, 0);
  for (guint i = 0; i < s->same->len; i++)
    if (an_sanity_is_copy (&g_array_index (s->same, AnSanityWork, i), work))
      return true;
  g_array_append_vals (s->same, work, 1);
  return false;
}

AnSanityMark
an_sanity_mark (AnSanity *s, const AnSanityWork *work)
{
  const Marked *m = g_hash_table_lookup (s->marked, work);
  AnSanityMark mark = m ? m->mark : (AnSanityMark){ false, work->end };
  mark.left_out = mark.left_out || is_again (s, work);
  return mark;
}
