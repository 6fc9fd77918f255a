/* SPDX-License-Identifier: Apache-2.0 */
/* other.c - writes otherData, which is true of the whole trace.  Viewers show it beside the
 * events. */
#include "chrome.h"

static void
put_label (struct chrome_sink *self, const char *key, nprof_track track)
{
  const struct nprof_track_info *info = track ? self->host->track_info (self->host, track) : NULL;
  if (info)
    chrome_put_str (self, &self->facts, key, nprof_track_label (info));
}

void
chrome_fact (struct chrome_sink *self, const struct nprof_batch *b, guint i)
{
  const struct nprof_host *host = self->host;
  struct nprof_buf *to = &self->facts;
  const struct nprof_track_info *info = host->track_info (host, b->track[i]);
  chrome_put_str (self, to, to->len ? ",\n{\"input\":\"" : "\n{\"input\":\"",
                  host->input (host, b->input)->label);
  put_label (self, ",\"process\":\"", info->process);
  put_label (self, ",\"track\":\"", b->track[i]);
  chrome_put_str (self, to, ",\"key\":\"", b->name[i]);
  for (guint k = 0; k < self->row_columns.n_unmapped; k++) {
    const struct nprof_field *field = self->row_columns.unmapped + k;
    if (field->type == NPROF_NULL || field->key != b->name[i])
      continue;
    nprof_put_text (to, ",\"value\":");
    chrome_put_value (self, to, field);
  }
  if (b->category[i])
    chrome_put_str (self, to, ",\"source\":\"", b->category[i]);
  nprof_put_char (to, '}');
}

static void
put_input (struct chrome_sink *self, struct nprof_buf *to, const struct nprof_input_info *input)
{
  chrome_put_str (self, to, input->number ? ",\n{\"input\":\"" : "\n{\"input\":\"", input->label);
  if (input->decoder) {
    nprof_put_text (to, ",\"decoder\":");
    nprof_put_json_string (to, input->decoder, strlen (input->decoder), NPROF_JSON_VIEWER);
  }
  nprof_put_text (to, ",\"bytes\":");
  nprof_put_json_u64 (to, input->bytes, NPROF_JSON_VIEWER);
  nprof_put_char (to, '}');
}

static void
put_count (struct nprof_buf *to, const char *key, guint64 count)
{
  if (!count)
    return;
  nprof_put_text (to, key);
  nprof_put_json_u64 (to, count, NPROF_JSON_VIEWER);
}

void
chrome_put_head (gpointer unused G_GNUC_UNUSED, struct nprof_buf *to)
{
  nprof_put_text (to, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

void
chrome_put_tail (gpointer sink, struct nprof_buf *to, guint part, guint parts)
{
  struct chrome_sink *self = sink;
  const struct nprof_host *host = self->host;
  const struct nprof_run_info *run = host->run (host);
  const struct nprof_input_info *input;
  nprof_put_text (to, "\n],\n\"otherData\":{\"generator\":");
  nprof_put_json_string (to, run->generator, strlen (run->generator), NPROF_JSON_VIEWER);
  if (run->origin_unix_ns != NPROF_NO_EPOCH) {
    nprof_put_text (to, ",\"origin_unix_ns\":");
    nprof_put_json_i64 (to, run->origin_unix_ns, NPROF_JSON_VIEWER);
  }
  nprof_put_text (to, ",\"ts_0_ns\":"); /* from the origin */
  nprof_put_json_i64 (to, self->base, NPROF_JSON_VIEWER);
  if (parts > 1) {
    put_count (to, ",\"part\":", part);
    put_count (to, ",\"parts\":", parts);
  }
  put_count (to, ",\"flows_between_parts\":", self->cut_arrows);
  put_count (to, ",\"flow_ends_alone\":", self->flows.alone);
  put_count (to, ",\"flow_ends_without_span\":", self->without_span);
  put_count (to, ",\"flow_ends_without_phase\":", self->without_phase);
  nprof_put_text (to, ",\n\"inputs\":[");
  for (guint k = 0; (input = host->input (host, k)); k++)
    put_input (self, to, input);
  nprof_put_text (to, "],\n\"facts\":[");
  nprof_put (to, self->facts.data, self->facts.len);
  to->failed |= self->facts.failed;
  nprof_put_text (to, "]}}\n");
}
