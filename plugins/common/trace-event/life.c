/* SPDX-License-Identifier: Apache-2.0 */
/* life.c - begins and ends the state of decoding trace events, for the decoders that do so. */
#include "trace-event/trace-event.h"

void
ch_open (Chrome *c, const struct nprof_host *host, const TeScanner *scanner)
{
  c->host = host;
  c->scanner = scanner;
  c->metas = g_array_new (FALSE, FALSE, sizeof (ChRange));
  c->slices = g_array_new (FALSE, FALSE, sizeof (ChHalf));
  c->asyncs = g_array_new (FALSE, FALSE, sizeof (ChHalf));
  c->parts = g_ptr_array_new ();
  c->noted = g_ptr_array_new ();
  c->properties = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  ch_labels_init (c);
  ch_names_init (&c->names, host);
  ch_wants (c);
  c->flow_begin = nprof_intern (host, "begin");
  c->flow_step = nprof_intern (host, "step");
  c->flow_end = nprof_intern (host, "end");
  c->unreadable = nprof_intern (host, "unreadable");
}

void
ch_close (Chrome *c)
{
  ch_names_clear (&c->names);
  g_clear_pointer (&c->labels, g_hash_table_unref);
  g_clear_pointer (&c->properties, g_hash_table_unref);
  g_clear_pointer (&c->parts, g_ptr_array_unref);
  g_clear_pointer (&c->noted, g_ptr_array_unref);
  g_clear_pointer (&c->asyncs, g_array_unref);
  g_clear_pointer (&c->slices, g_array_unref);
  g_clear_pointer (&c->metas, g_array_unref);
}

void
ch_begin (Chrome *c, const void *data, uint64_t len)
{
  c->data = data;
  c->end = c->data + len;
  c->input = c->host->input (c->host, c->host->own_input);
}

nprof_status
ch_take_part (Chrome *c, const ChPart *part, bool is_last)
{
  g_array_append_vals (c->slices, part->slices->data, part->slices->len);
  g_array_append_vals (c->asyncs, part->asyncs->data, part->asyncs->len);
  return ch_take_losses (c, part, is_last);
}
