/* SPDX-License-Identifier: Apache-2.0 */
/* failures.c - keeps allocations that failed, and writes table memory_failures: what was asked for,
 * what was left and held, and whether it would have fitted. */
#include "devicekit/json-member.h"
#include "memory.h"

#include <nprof/table.h>
#include <nprof/units.h>
#include <string.h>

#define NPROF_MEMBER_AT struct nprof_maybe_int
#define NPROF_COLUMN_AT(m, help) NPROF_KEY_COLUMN (NPROF_INT64, #m "_ns", "ps", help)

/* clang-format off */
#define MEMORY_FAILURES(C)                                                                         \
  C (KEY, device, "whose memory it is")                                                            \
  C (AT, start, "when")                                                                            \
  C (BYTES, asked, "that were asked for")                                                          \
  C (BYTES, free, "that the device had left")                                                      \
  C (BYTES, held, "in use")                                                                        \
  C (BYTES, reserved, "held by the allocator")                                                     \
  C (BYTES, cached, "reserved and not in use: PyTorch gives whole segments back before, so that "  \
                    "these lie in segments in use")                                                \
  C (KEY, place, "that asked")                                                                     \
  C (NOTE, sentence, "the same in words, and whether it would fit without fragmentation")
/* clang-format on */

NPROF_TABLE_ROW (memory_failures, MEMORY_FAILURES)
NPROF_TABLE (memory_failures, "Out of memory", "Allocations that failed.", MEMORY_FAILURES)

static void
read_args (Failure *f, const char *json, gsize len)
{
  f->known = an_json_int (json, len, "Bytes", &f->asked);
  if (!an_json_int (json, len, "Device Free", &f->free))
    f->free = -1;
  if (!an_json_int (json, len, "Total Allocated", &f->held)
      || !an_json_int (json, len, "Total Reserved", &f->reserved))
    f->held = f->reserved = -1;
}

void
me_failure (Memory *m, const struct nprof_batch *batch, uint32_t i)
{
  Failure f = { .at = batch->start[i], .track = batch->track[i], .input = batch->input };
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++) {
    const nprof_value *value = &batch->attr_value[j];
    if (batch->attr_key[j] == m->key_source && batch->attr_type[j] == NPROF_STRING)
      f.place = value->s;
    else if (batch->attr_key[j] == m->key_args && batch->attr_type[j] == NPROF_JSON)
      read_args (&f, batch->bytes + value->bytes.at, value->bytes.len);
  }
  if (f.known && !nprof_hidden (batch, i) && nprof_touches (&m->clip, f.at, f.at))
    g_array_append_val (m->failures, f);
}

static struct nprof_maybe_int
bytes_if_known (gint64 bytes)
{
  return nprof_int_if (bytes >= 0, bytes);
}

static char *
sentence_of (const Memory *m, const Failure *f)
{
  GString *text = g_string_new (NULL);
  const gint64 cached = f->reserved - f->held;
  g_string_printf (text, "out of memory: asked %s", nprof_bytes ((double) f->asked).text);
  if (f->free >= 0)
    g_string_append_printf (text, ", free %s", nprof_bytes ((double) f->free).text);
  if (f->held >= 0) {
    g_string_append_printf (text, ", held %s", nprof_bytes ((double) f->held).text);
    g_string_append_printf (text, " of %s reserved", nprof_bytes ((double) f->reserved).text);
  }
  if (f->place)
    g_string_append_printf (text, ", at %s", nprof_text (m->host, f->place));
  if (f->free >= 0 && f->held >= 0 && f->asked <= f->free + cached)
    g_string_append_printf (text,
                            "; would fit without fragmentation: %s lies in segments in use: "
                            "expandable_segments, max_split_size_mb",
                            nprof_bytes ((double) cached).text);
  return g_string_free (text, FALSE);
}

static nprof_status
write_failure (Memory *m, const Failure *f)
{
  const struct nprof_host *h = m->host;
  const nprof_track device = h->track_info (h, f->track)->process;
  g_autofree char *sentence = sentence_of (m, f);
  const struct memory_failures_row row = {
    .device = nprof_some_str (nprof_track_label (h->track_info (h, device ? device : f->track))),
    .start = nprof_some_int (f->at),
    .asked = nprof_some_int (f->asked),
    .free = bytes_if_known (f->free),
    .held = bytes_if_known (f->held),
    .reserved = bytes_if_known (f->reserved),
    .cached = nprof_int_if (f->held >= 0, f->reserved - f->held),
    .place = nprof_some_str (f->place),
    .sentence = nprof_some_text (sentence),
  };
  const struct nprof_cell input = nprof_cell_str (h->input (h, f->input)->label);
  return h->row (h, &memory_failures_table, memory_failures_cells (input, &row).cells);
}

nprof_status
me_write_failures (Memory *m)
{
  nprof_status status = m->host->table (m->host, &memory_failures_table);
  for (guint i = 0; i < m->failures->len && status == NPROF_OK; i++)
    status = write_failure (m, &g_array_index (m->failures, Failure, i));
  return status;
}
