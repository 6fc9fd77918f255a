/* SPDX-License-Identifier: Apache-2.0 */
/* linked.c - reads what chakra_trace_link makes of an execution trace of PyTorch and its Kineto
 * trace: a graph whose nodes have the times of operators and of kernels.
 * shape: trace_linker.py of mlcommons/chakra */
#include "layers.h"

#include <nprof/keys.h>
#include <string.h>

#define SECOND G_GINT64_CONSTANT (1000000000)
#define FAR (G_GINT64_CONSTANT (90) * 24 * 3600 * SECOND)

typedef struct {
  nprof_str name, category;
  gint64 ts, lasts, tid, stream; /* ns, as us of Unix time are no ps; LT_NONE: it does not say */
} Node;

typedef struct {
  Layers *self;
  struct nprof_writer *w; /* NULL: only the first time is looked for */
  gint64 first, base;
  guint64 nodes;
} Linked;

static gint64
number_of (const struct nprof_pull *p, int places)
{
  int64_t number;
  const bool ok
      = p->kind == NPROF_PULL_NUMBER
        && nprof_read_scaled (p->text.at, p->text.len, places, &number) <= NPROF_DECIMAL_ROUNDED;
  return ok ? number : LT_NONE;
}

/* Of newer files the thread is one of a list of attributes. */
static void
take_attributes (struct nprof_pull *p, Node *n)
{
  if (!nprof_pull_enter (p, NPROF_PULL_ARRAY))
    return;
  while (nprof_pull_next (p)) {
    bool tid = false;
    gint64 value = LT_NONE;
    if (!nprof_pull_enter (p, NPROF_PULL_OBJECT))
      continue;
    while (nprof_pull_next (p)) {
      if (nprof_pull_is (p, "name"))
        tid = p->kind == NPROF_PULL_STRING && p->text.len == 3 && !memcmp (p->text.at, "tid", 3);
      else if (nprof_pull_is (p, "value"))
        value = number_of (p, 0);
    }
    n->tid = tid ? value : n->tid;
  }
}

static void
read_node (Linked *l, struct nprof_pull *p, Node *n)
{
  *n = (Node){ 0, 0, LT_NONE, LT_NONE, LT_NONE, LT_NONE };
  while (nprof_pull_next (p)) {
    if (nprof_pull_is (p, "name") && l->w)
      n->name = lt_text (l->self, p);
    else if (nprof_pull_is (p, "cat") && l->w)
      n->category = lt_text (l->self, p);
    else if (nprof_pull_is (p, "ts"))
      n->ts = number_of (p, 3);
    else if (nprof_pull_is (p, "inclusive_dur"))
      n->lasts = number_of (p, 3);
    else if (nprof_pull_is (p, "tid"))
      n->tid = number_of (p, 0);
    else if (nprof_pull_is (p, "stream"))
      n->stream = number_of (p, 0);
    else if (nprof_pull_is (p, "attrs"))
      take_attributes (p, n);
  }
}

/* Kernels have the stream that they ran on; all else is of a thread of the host. */
static nprof_track
track_of (const Linked *l, const Node *n)
{
  const struct nprof_host *host = l->self->host;
  const bool device = n->category && n->stream != LT_NONE;
  const gint64 number = device ? n->stream : n->tid == LT_NONE ? 0 : n->tid;
  g_autofree char *name
      = g_strdup_printf ("%s %" G_GINT64_FORMAT, device ? "stream" : "thread", number);
  const nprof_track above = host->track (host, 0, device ? NPROF_TRACK_DEVICE : NPROF_TRACK_PROCESS,
                                         nprof_intern (host, device ? "GPU" : "host"), 0, 0);
  return above ? host->track (host, above, device ? NPROF_TRACK_QUEUE : NPROF_TRACK_THREAD,
                              nprof_intern (host, name), 0, number)
               : 0;
}

static nprof_status
put_node (Linked *l, const Node *n)
{
  const struct nprof_host *host = l->self->host;
  const nprof_track track = track_of (l, n);
  if (!track || l->self->text.failed)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for a track or a name");
  const gint64 since = n->ts - l->base;
  if (since > FAR || n->lasts > FAR) {
    host->skip (host, "node", 0, "its times are months from those of the first");
    return NPROF_OK;
  }
  nprof_status status
      = nprof_span (l->w, track, n->name ? n->name : nprof_intern (host, "(unnamed)"), since * 1000,
                    n->lasts * 1000);
  if (!status)
    nprof_set_category (l->w, n->category ? n->category : nprof_intern (host, "cpu_op"));
  return status;
}

static nprof_status
take_node (Linked *l, struct nprof_pull *p)
{
  const uint64_t at = nprof_pull_at (p);
  Node n;
  if (!nprof_pull_enter (p, NPROF_PULL_OBJECT))
    return l->w ? nprof_damage (l->self->host, at, "a node of this graph is no object") : NPROF_OK;
  read_node (l, p, &n);
  if (p->why || n.ts == LT_NONE || n.lasts == LT_NONE || n.lasts < 0 || n.ts < 0)
    return NPROF_OK; /* a node without times */
  l->nodes++;
  l->first = MIN (l->first, n.ts);
  return l->w ? put_node (l, &n) : NPROF_OK;
}

static nprof_status
walk (Linked *l)
{
  struct nprof_pull p = nprof_pull (l->self->data, l->self->len);
  nprof_status status = NPROF_OK;
  if (nprof_pull_next (&p) && nprof_pull_enter (&p, NPROF_PULL_OBJECT))
    while (!status && nprof_pull_next (&p))
      if (nprof_pull_is (&p, "nodes") && nprof_pull_enter (&p, NPROF_PULL_ARRAY))
        while (!status && nprof_pull_next (&p))
          status = take_node (l, &p);
  if (!status && !nprof_pull_end (&p) && l->w)
    status
        = nprof_damage (l->self->host, nprof_pull_at (&p),
                        "this linked execution trace cannot be read on: %s; link it again", p.why);
  return status;
}

nprof_status
lt_linked (Layers *self)
{
  const struct nprof_host *host = self->host;
  Linked l = { .self = self, .first = G_MAXINT64 };
  nprof_status status = walk (&l);
  if (status)
    return status;
  if (!l.nodes)
    return nprof_fail (host, NPROF_E_FORMAT,
                       "byte 0: an execution trace, a graph of which no node has a time: link it "
                       "with its Kineto trace (chakra_trace_link), or read that trace");
  l.base = l.first - l.first % SECOND;
  l.w = host->writer (host);
  status = l.w ? host->origin (host, NPROF_NO_EPOCH) : NPROF_E_NOMEM;
  return status ? status : walk (&l);
}
