/* SPDX-License-Identifier: Apache-2.0 */
/* queries.c - reads what trtexec --exportTimes writes: when each query was enqueued, copied in,
 * computed and copied out, in ms from a common start.
 * shape: sampleReporting.cpp of TensorRT; until version 8.0 copies were called In and Out */
#include "layers.h"

#include <nprof/keys.h>
#include <string.h>

typedef enum { ENQUEUE, COPY_IN, COMPUTE, COPY_OUT, N_PHASES } Phase;

static const struct {
  const char *start[2], *end[2], *lasts[2]; /* names of members, of now and of before */
  const char *name, *category, *work;
} phases[N_PHASES] = {
  [ENQUEUE] = { { "startEnqMs" }, { "endEnqMs" }, { NULL }, "enqueue", "enqueue", NULL },
  [COPY_IN] = { { "startH2dMs", "startInMs" },
                { "endH2dMs", "endInMs" },
                { "h2dMs", "inMs" },
                "copy of inputs",
                "gpu_memcpy",
                "transfer" },
  [COMPUTE]
  = { { "startComputeMs" }, { "endComputeMs" }, { "computeMs" }, "inference", "kernel", "compute" },
  [COPY_OUT] = { { "startD2hMs", "startOutMs" },
                 { "endD2hMs", "endOutMs" },
                 { "d2hMs", "outMs" },
                 "copy of outputs",
                 "gpu_memcpy",
                 "transfer" },
};

typedef struct {
  gint64 start[N_PHASES], end[N_PHASES], lasts[N_PHASES];
} Query;

typedef struct {
  Layers *self;
  struct nprof_writer *w;
  nprof_track on[N_PHASES], queries;
  nprof_str name[N_PHASES], category[N_PHASES], work[N_PHASES], query;
  nprof_str key_work, key_step, key_launch;
  bool want_work, want_step, want_launch;
  gint64 n;
} Queries;

bool
lt_has_queries (const char *head, size_t len)
{
  return g_strstr_len (head, (gssize) MIN (len, 4096), "\"startComputeMs\"") != NULL;
}

/* -- Reading ----------------------------------------------------------------------------------- */

static void
take_member (const struct nprof_pull *p, Query *q)
{
  for (guint i = 0; i < N_PHASES; i++)
    for (guint k = 0; k < 2; k++) {
      gint64 *to = phases[i].start[k] && nprof_pull_is (p, phases[i].start[k])   ? &q->start[i]
                   : phases[i].end[k] && nprof_pull_is (p, phases[i].end[k])     ? &q->end[i]
                   : phases[i].lasts[k] && nprof_pull_is (p, phases[i].lasts[k]) ? &q->lasts[i]
                                                                                 : NULL;
      if (to)
        *to = lt_time (p->text.at, p->text.len, 9);
    }
}

/* Returns what is wrong. */
static const char *
read_query (struct nprof_pull *p, Query *q)
{
  for (guint i = 0; i < N_PHASES; i++)
    q->start[i] = q->end[i] = q->lasts[i] = LT_NONE;
  while (nprof_pull_next (p))
    if (p->kind == NPROF_PULL_NUMBER)
      take_member (p, q);
  if (q->start[COMPUTE] == LT_NONE)
    return "it has no startComputeMs";
  for (guint i = 0; i < N_PHASES; i++)
    if (q->start[i] != LT_NONE && q->end[i] < q->start[i])
      return "it ends before it starts, or its end is missing";
  return NULL;
}

/* -- Writing ----------------------------------------------------------------------------------- */

static nprof_track
track (const Queries *q, nprof_track above, uint32_t kind, const char *name)
{
  const struct nprof_host *host = q->self->host;
  return host->track (host, above, kind, nprof_intern (host, name), 0, 0);
}

static nprof_status
begin (Queries *q)
{
  const struct nprof_host *host = q->self->host;
  const nprof_track device = track (q, 0, NPROF_TRACK_DEVICE, "GPU"),
                    process = track (q, 0, NPROF_TRACK_PROCESS, "trtexec");
  q->w = host->writer (host);
  if (!device || !process)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for a track");
  q->on[ENQUEUE] = track (q, process, NPROF_TRACK_THREAD, "enqueue");
  q->queries = track (q, process, NPROF_TRACK_ASYNC, "queries");
  q->query = nprof_intern (host, "query");
  q->on[COPY_IN] = track (q, device, NPROF_TRACK_QUEUE, "H2D");
  q->on[COMPUTE] = track (q, device, NPROF_TRACK_QUEUE, "compute");
  q->on[COPY_OUT] = track (q, device, NPROF_TRACK_QUEUE, "D2H");
  for (guint i = 0; i < N_PHASES; i++) {
    if (!q->on[i] || !q->queries)
      return nprof_fail (host, NPROF_E_NOMEM, "no memory for a track");
    q->name[i] = nprof_intern (host, phases[i].name);
    q->category[i] = nprof_intern (host, phases[i].category);
    q->work[i] = phases[i].work ? nprof_intern (host, phases[i].work) : 0;
  }
  q->key_work = nprof_intern (host, NPROF_KEY_WORK);
  q->key_step = nprof_intern (host, NPROF_KEY_STEP);
  q->key_launch = nprof_intern (host, NPROF_KEY_LAUNCH);
  q->want_work = host->wanted (host, NPROF_KEY_WORK);
  q->want_step = host->wanted (host, NPROF_KEY_STEP);
  q->want_launch = host->wanted (host, NPROF_KEY_LAUNCH);
  return q->w ? host->origin (host, NPROF_NO_EPOCH)
              : nprof_fail (host, NPROF_E_NOMEM, "no memory for the columns");
}

/* Times have six digits: beyond a second the length that stands apart is the exact one. */
static nprof_status
put_phase (Queries *q, const Query *query, Phase i)
{
  if (query->start[i] == LT_NONE)
    return NPROF_OK;
  const gint64 lasts
      = query->lasts[i] != LT_NONE ? query->lasts[i] : query->end[i] - query->start[i];
  if (!lasts && i != COMPUTE)
    return NPROF_OK;
  nprof_status status = nprof_span (q->w, q->on[i], q->name[i], query->start[i], lasts);
  if (status)
    return status;
  nprof_set_category (q->w, q->category[i]);
  if (q->work[i] && q->want_work)
    status = nprof_attr_str (q->w, q->key_work, q->work[i]);
  if (!status && q->want_step)
    status = nprof_attr_int (q->w, q->key_step, q->n);
  if (!status && q->want_launch && (i == ENQUEUE || i == COMPUTE))
    status = nprof_attr_uint (q->w, q->key_launch, (guint64) q->n + 1);
  return status;
}

/* A query lies from the first to the last thing that the device does for it. */
static nprof_status
put_query (Queries *q, const Query *query)
{
  gint64 start = query->start[COMPUTE], end = query->end[COMPUTE];
  for (guint i = COPY_IN; i < N_PHASES; i++)
    if (query->start[i] != LT_NONE) {
      start = MIN (start, query->start[i]);
      end = MAX (end, query->end[i]);
    }
  nprof_status status = nprof_span (q->w, q->queries, q->query, start, end - start);
  if (status)
    return status;
  nprof_set_category (q->w, q->query);
  return q->want_step ? nprof_attr_int (q->w, q->key_step, q->n) : NPROF_OK;
}

static nprof_status
take_query (Queries *q, struct nprof_pull *p)
{
  const uint64_t at = nprof_pull_at (p);
  Query query;
  nprof_status status = NPROF_OK;
  const char *why
      = nprof_pull_enter (p, NPROF_PULL_OBJECT) ? read_query (p, &query) : "it is no object";
  if (p->why)
    return NPROF_OK; /* said by who called */
  if (why)
    status
        = nprof_damage (q->self->host, at,
                        "query %" G_GINT64_FORMAT " of these times of trtexec cannot be read: %s",
                        q->n, why);
  if (!why && !status)
    status = put_query (q, &query);
  for (guint i = 0; i < N_PHASES && !why && !status; i++)
    status = put_phase (q, &query, i);
  q->n++;
  return status;
}

nprof_status
lt_queries (Layers *self)
{
  struct nprof_pull p = nprof_pull (self->data, self->len);
  Queries q = { .self = self };
  nprof_status status = begin (&q);
  if (!status && nprof_pull_next (&p) && nprof_pull_enter (&p, NPROF_PULL_ARRAY))
    while (!status && nprof_pull_next (&p))
      status = take_query (&q, &p);
  if (status || nprof_pull_end (&p))
    return status;
  return nprof_damage (self->host, nprof_pull_at (&p),
                       "these times of trtexec cannot be read on: %s; export them again", p.why);
}
