/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - sink report-neuron: prints what `neuron-profile view --output-format summary-text` and
 * summary-json print; and the plugin, whose other sink is in profile.c. */
#include "profile.h"
#include "summary.h"

#include <nprof/text-sink.h>

typedef struct {
  struct nprof_text_sink text; /* first */
  GPtrArray *summaries;        /* of Summary */
  int32_t format;
} Report;

enum { TEXT, JSON };

static nprof_status
report_open (void *self, const struct nprof_host *host)
{
  Report *r = self;
  r->summaries = summaries_new ();
  return nprof_text_sink_open (self, host);
}

static nprof_status
report_consume (void *self, const struct nprof_batch *batch)
{
  (void) self;
  (void) batch;
  return NPROF_OK;
}

static nprof_status
report_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
              uint32_t n_rows)
{
  Report *r = self;
  summaries_table (r->summaries, r->text.host, table, cells, n_rows);
  return NPROF_OK;
}

static nprof_status
report_finish (void *self)
{
  Report *r = self;
  summaries_end (r->summaries, r->text.host);
  if (r->summaries->len == 0)
    return nprof_fail (r->text.host, NPROF_E_OPTION,
                       "there is no summary of a NeuronCore to print: this style needs an NTFF, or "
                       "what neuron-profile wrote, and the analyzer neuron, as nprof report "
                       "--style runs it");
  for (guint i = 0; r->format == TEXT && i < r->summaries->len; i++)
    print_text (&r->text.text, r->summaries->pdata[i]);
  if (r->format == JSON)
    print_json (&r->text.text, r->summaries);
  nprof_status status = nprof_text_sink_write (&r->text);
  return status ? status : r->text.output->close (r->text.output);
}

static void
report_close (void *self)
{
  Report *r = self;
  g_clear_pointer (&r->summaries, g_ptr_array_unref);
  nprof_text_sink_close (self);
}

static const struct nprof_component sink = {
  .size = sizeof sink,
  .kind = NPROF_SINK,
  .name = "report-neuron",
  .summary = "the summary that neuron-profile view prints",
  .options = NPROF_OPTIONS (NPROF_CHOICE_OPTION (
      Report, format, "format", "plain", "plain|json",
      "plain: as --output-format summary-text prints it; json: as summary-json")),
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
  .default_name = "summary.txt",
  .instance_size = sizeof (Report),
  .open = report_open,
  .consume = report_consume,
  .table = report_table,
  .finish = report_finish,
  .close = report_close,
};

NPROF_PLUGIN ("report-neuron", NPROF_VERSION, "Apache-2.0", &sink, &neuron_json)
