/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - keeps the open frames of each thread in a stack. The caller of a frame is the one
 * around its start. */
#include "frames.h"

#include "devicekit/by-track.h"
#include "devicekit/bytes.h"
#include "producers/host-kind.h"

#include <nprof/sdk.h>

/* Ends that differ by so much were rounded. */
#define ROUNDED G_GINT64_CONSTANT (1000000000)

/* An open frame; `end` is cut at that of its caller. */
typedef struct {
  gint64 start, end; /* ps */
} Frame;

struct _Frames {
  const struct nprof_host *host;
  GByteArray *kinds;  /* by handle of a category: its AnHostKind; 0: not asked yet */
  GPtrArray *threads; /* of GArray of Frame, or NULL, by track                     */
  GArray *findings;   /* of AnSanityFinding                                        */
};

static void
thread_free (gpointer frames)
{
  if (frames)
    g_array_unref (frames);
}

Frames *
frames_new (const struct nprof_host *host)
{
  Frames *f = g_new0 (Frames, 1);
  f->host = host;
  f->kinds = g_byte_array_new ();
  f->threads = g_ptr_array_new_with_free_func (thread_free);
  f->findings = g_array_new (FALSE, FALSE, sizeof (AnSanityFinding));
  return f;
}

void
frames_free (Frames *f)
{
  g_byte_array_unref (f->kinds);
  g_ptr_array_unref (f->threads);
  g_array_unref (f->findings);
  g_free (f);
}

bool
frames_is (Frames *f, nprof_str category)
{
  guint8 *kind = an_byte_of (f->kinds, category);
  if (!*kind)
    *kind = (guint8) an_host_kind (nprof_text (f->host, category));
  return *kind == AN_HOST_FRAME;
}

static GArray *
thread_of (Frames *f, nprof_track track)
{
  GArray *open = an_of_track (f->threads, track);
  if (!open) {
    open = g_array_new (FALSE, FALSE, sizeof (Frame));
    an_put_of_track (f->threads, track, open);
  }
  return open;
}

static void
note (Frames *f, uint32_t input, gint64 over)
{
  guint k = 0;
  while (k < f->findings->len && g_array_index (f->findings, AnSanityFinding, k).input != input)
    k++;
  if (k == f->findings->len) {
    const AnSanityFinding none = { .rule = AN_SANITY_FRAMES_OUTLIVE, .input = input };
    g_array_append_val (f->findings, none);
  }
  AnSanityFinding *found = &g_array_index (f->findings, AnSanityFinding, k);
  found->rows++;
  found->worst = MAX (found->worst, over);
}

void
frames_add (Frames *f, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->duration[i] < 0)
    return;
  GArray *open = thread_of (f, batch->track[i]);
  Frame frame = { batch->start[i], batch->start[i] + batch->duration[i] };
  while (open->len && g_array_index (open, Frame, open->len - 1).end <= frame.start)
    g_array_set_size (open, open->len - 1);
  guint at = open->len; /* of frames that start at once the longer is the caller */
  while (at && g_array_index (open, Frame, at - 1).start == frame.start
         && g_array_index (open, Frame, at - 1).end < frame.end)
    at--;
  const gint64 until = at ? g_array_index (open, Frame, at - 1).end : frame.end;
  if (frame.end - until > ROUNDED)
    note (f, batch->input, frame.end - until);
  frame.end = MIN (frame.end, until);
  g_array_insert_val (open, at, frame);
}

const GArray *
frames_findings (const Frames *f)
{
  return f->findings;
}
