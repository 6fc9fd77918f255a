/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer requests: the time to the first token, of spans that servers of inference
 * send to OpenTelemetry (told.c), and of those that SGLang's converter adds to a trace. sources:
 * convert_otel_2_perfetto.py; RequestStage and the setters of times of SGLang's
 * req_time_stats.py */
#include "devicekit/cells.h"
#include "devicekit/distribution.h"
#include "told.h"

#include <nprof/draft/clip.h>
#include <nprof/reader.h>
#include <nprof/sdk.h>

#define KEY_REQUEST "rid"
#define CATEGORY "sglang"
#define ARRIVAL "tokenize"        /* begins when the server created the request */
#define PREFILL "prefill_forward" /* ends when its first token is computed     */

NPROF_TABLE (requests, "Requests of inference",
             "ttft: from the arrival of a request to its first token, by the spans of its server.",
             REQUESTS)
NPROF_TABLE (request_list, "Each request",
             "by arrival; times that the server does not state are unknown.", REQUEST_LIST)

typedef struct {
  gint64 arrival, prefilled; /* ps; G_MAXINT64: not in the file  */
  guint32 input;
  bool shown; /* the selection shows one of its spans */
} Request;

typedef struct {
  const struct nprof_host *host;
  struct nprof_reader id;
  nprof_str category, arrival, prefill;
  GHashTable *requests; /* input and id to Request */
  Served served;
  ToldAll told;
} Requests;

static nprof_status
requests_open (void *self, const struct nprof_host *host)
{
  Requests *r = self;
  nprof_window_of (host); /* times of requests are whole: no sum is there to cut */
  r->host = host;
  r->category = nprof_intern (host, CATEGORY);
  r->arrival = nprof_intern (host, ARRIVAL);
  r->prefill = nprof_intern (host, PREFILL);
  r->requests = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, g_free);
  nprof_status status
      = nprof_reader_init (&r->id, host, (const char *const[]){ KEY_REQUEST, NULL });
  if (!status)
    status = served_init (&r->served, host);
  return status ? status : told_init (&r->told, host);
}

static void
requests_close (void *self)
{
  Requests *r = self;
  g_clear_pointer (&r->requests, g_hash_table_unref);
  served_clear (&r->served);
  nprof_reader_clear (&r->id);
  told_clear (&r->told);
}

/* -- Rows -------------------------------------------------------------------------------------- */

static bool
is_of_request (const Requests *r, const struct nprof_batch *batch, uint32_t i)
{
  return batch->category[i] == r->category && batch->kind[i] == NPROF_SPAN
         && batch->duration[i] >= 0;
}

/* Most batches have no row of a request. */
static bool
may_be_of_requests (const Requests *r, const struct nprof_batch *batch)
{
  return an_any_is (batch->category, batch->n_rows, r->category)
         || an_any_is (batch->category, batch->n_rows, r->told.request);
}

static nprof_status
requests_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  Requests *r = self;
  const bool any = may_be_of_requests (r, batch);
  served_choose (&r->served, batch, rows);
  for (uint32_t i = 0; any && i < batch->n_rows; i++)
    if (is_of_request (r, batch, i) || told_is (&r->told, batch, i))
      an_choose_row (rows, i);
  return NPROF_OK;
}

static Request *
request_of (const Requests *r, guint32 input, nprof_str id)
{
  gpointer key = GSIZE_TO_POINTER ((gsize) input << 32 | id);
  Request *request = g_hash_table_lookup (r->requests, key);
  if (request)
    return request;
  request = g_new0 (Request, 1);
  request->input = input;
  request->arrival = request->prefilled = G_MAXINT64;
  g_hash_table_insert (r->requests, key, request);
  return request;
}

/* Takes a span of a request.  The first of a kind counts, since each rank of tensor parallelism has
 * one, and a request that was retracted has several. */
static void
span_row (Requests *r, const struct nprof_batch *batch, uint32_t i)
{
  nprof_reader_row (&r->id, batch, i);
  nprof_str id = nprof_reader_str (&r->id, 0);
  if (!id)
    return;
  Request *request = request_of (r, batch->input, id);
  request->shown |= !nprof_hidden (batch, i);
  if (batch->name[i] == r->arrival)
    request->arrival = MIN (request->arrival, batch->start[i]);
  else if (batch->name[i] == r->prefill)
    request->prefilled = MIN (request->prefilled, batch->start[i] + batch->duration[i]);
}

static nprof_status
requests_consume (void *self, const struct nprof_batch *batch)
{
  Requests *r = self;
  const bool any = may_be_of_requests (r, batch);
  for (uint32_t i = 0; any && i < batch->n_rows; i++)
    if (is_of_request (r, batch, i))
      span_row (r, batch, i);
    else if (told_is (&r->told, batch, i) && !nprof_hidden (batch, i))
      told_take (&r->told, batch, i);
  served_take (&r->served, batch);
  return NPROF_OK;
}

/* -- The table --------------------------------------------------------------------------------- */

static bool
has_first_token (const Request *request)
{
  return request->prefilled != G_MAXINT64 && request->arrival <= request->prefilled;
}

/* Gathers the times of an input; returns how many requests it has. */
static gint64
gather (const Requests *r, guint32 input, Dist *ttft)
{
  GHashTableIter iter;
  gpointer value;
  gint64 n = 0;
  g_hash_table_iter_init (&iter, r->requests);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const Request *request = value;
    if (request->input != input || !request->shown)
      continue;
    n++;
    if (has_first_token (request))
      dist_add (ttft, request->prefilled - request->arrival);
  }
  return n;
}

/* -- The trace of a device beside them --------------------------------------------------------- */

/* Returns when the first tokens of an input came, sorted; transfer full. */
static GArray *
first_tokens_of (const Requests *r, guint32 input)
{
  GArray *first = g_array_new (FALSE, FALSE, sizeof (gint64));
  GHashTableIter iter;
  gpointer value;
  told_first_tokens (&r->told, input, first);
  g_hash_table_iter_init (&iter, r->requests);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const Request *request = value;
    if (request->input == input && has_first_token (request))
      g_array_append_val (first, request->prefilled);
  }
  g_array_sort (first, join_by_time);
  return first;
}

/* Returns what the traces that made first tokens are called. */
static nprof_str
names_of (const Requests *r, const GArray *traces)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < traces->len; i++) {
    const guint32 input = g_array_index (traces, Trace, i).input;
    g_string_append (names, i ? ", " : "");
    g_string_append (names, nprof_text (r->host, r->host->input (r->host, input)->label));
  }
  return nprof_intern (r->host, names->str);
}

/* Returns why no trace is joined; transfer full. */
static char *
reason_of (const Requests *r, const Traces *traces)
{
  GString *why = g_string_new (NULL);
  g_string_printf (
      why,
      "%u of %u first tokens come within 1 ms after the end of a step at one offset of "
      "the clocks; expected 95 %% of 8 or more",
      traces->join.n, traces->join.of);
  for (guint i = 0; i < traces->traces->len && traces->traces->len > 1; i++) {
    const Trace *trace = &g_array_index (traces->traces, Trace, i);
    g_string_append_printf (why, "%s%s %u", i ? ", " : "; alone ",
                            nprof_text (r->host, r->host->input (r->host, trace->input)->label),
                            trace->alone.n);
  }
  return g_string_free (why, FALSE);
}

/* Says which of the inputs' steps made the first tokens, and how the clocks lie. */
static Traces
join_input (const Requests *r, guint32 input, struct requests_row *row, char **apart)
{
  g_autoptr (GArray) first = first_tokens_of (r, input);
  const Traces traces = traces_join (&r->served, first);
  if (!traces.traces->len)
    return traces;
  if (traces.joined) {
    row->trace = nprof_some_str (names_of (r, traces.traces));
    row->ahead_least = nprof_some_int (traces.join.least);
    row->ahead_most = nprof_some_int (traces.join.most);
    return traces;
  }
  *apart = reason_of (r, &traces);
  row->apart = nprof_some_text (*apart);
  return traces;
}

static nprof_status
write_input (const Requests *r, guint32 input, gint64 n, const Dist *ttft, struct requests_row *row)
{
  static const guint milles[] = { 500, 990, 1000 };
  gint64 rank[G_N_ELEMENTS (milles)] = { -1, -1, -1 };
  if (ttft->count)
    dist_percentiles (ttft, milles, G_N_ELEMENTS (milles), false, rank);
  row->requests = nprof_some_int (n);
  row->first_tokens = nprof_some_int ((gint64) ttft->count);
  row->ttft_p50 = an_count (rank[0]);
  row->ttft_p99 = an_count (rank[1]);
  row->ttft_max = an_count (rank[2]);
  if (!ttft->count)
    row->reason = nprof_some_text (row->server.known
                                       ? "the server's spans do not say when the first token came"
                                       : "no request both arrives and is prefilled in the file");
  return r->host->row (
      r->host, &requests_table,
      requests_cells (nprof_cell_str (r->host->input (r->host, input)->label), row).cells);
}

static nprof_status
requests_finish (void *self)
{
  Requests *r = self;
  nprof_status status = r->host->table (r->host, &requests_table);
  guint32 n_inputs = r->host->run (r->host)->n_inputs;
  g_autofree Traces *traces = g_new0 (Traces, n_inputs + 1);
  served_end (&r->served);
  for (guint32 input = 0; input < n_inputs && status == NPROF_OK; input++) {
    Dist ttft = { 0 };
    struct requests_row row = { 0 };
    gint64 n = gather (r, input, &ttft) + told_sum (&r->told, input, &ttft, &row);
    g_autofree char *apart = NULL;
    if (n)
      traces[input] = join_input (r, input, &row, &apart);
    if (n)
      status = write_input (r, input, n, &ttft, &row);
    dist_clear (&ttft);
  }
  if (!status)
    status = r->host->table (r->host, &request_list_table);
  if (!status)
    status = told_list (&r->told, &request_list_table, traces);
  for (guint32 input = 0; input < n_inputs; input++)
    traces_clear (&traces[input]);
  return status;
}

/* clang-format off */
static const struct nprof_component requests = {
  .size = sizeof requests,
  .kind = NPROF_ANALYZER,
  .name = "requests",
  .summary = "requests of inference: time to the first token",
  .tables = (const struct nprof_table *const[]) { &requests_table, &request_list_table, NULL },
  .wants = (const char *const[]) { NPROF_KEY_WORK, KEY_REQUEST, "ttft", "queue_time",
                                   "prefill_time", "decode_time", "e2e", "tpot", "prompt_tokens", "output_tokens",
                                   "cached_tokens", "server", "error", NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Requests),
  .open = requests_open,
  .consume = requests_consume,
  .finish = requests_finish,
  .close = requests_close,
  .choose = requests_choose,
};
/* clang-format on */

NPROF_PLUGIN ("requests", NPROF_VERSION, "Apache-2.0", &requests)
