/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - gives work of devices its launch and what its operator writes, and notes calls of hosts
 * that make something wait. */
#include "chances.h"

#include "devicekit/by-track.h"
#include "devicekit/bytes.h"
#include "devicekit/moved-bytes.h"

#include <string.h>

/* -- Hosts ------------------------------------------------------------------------------------- */

/* A copy may block, and an event may make a stream wait: either may be an edge. */
static bool
makes_wait (const char *name)
{
  static const char *const prefixes[] = { "cuda", "cu", "hip", "musa" },
                    *const words[] = { "Synchronize", "WaitEvent", "Memcpy" };
  bool vendor = false, waits = false;
  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    vendor |= g_str_has_prefix (name, prefixes[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    waits |= strstr (name, words[i]) != NULL;
  return vendor && waits;
}

enum { NO_WAIT = 1, A_WAIT };

void
chances_host_span (gpointer chances, const AnHostSpan *span)
{
  Chances *c = chances;
  guint8 *known = an_byte_of (c->waiting, span->name);
  if (!*known)
    *known = makes_wait (nprof_text (c->host, span->name)) ? A_WAIT : NO_WAIT;
  if (*known != A_WAIT)
    return;
  if (span->input >= c->waits->len)
    g_ptr_array_set_size (c->waits, (int) span->input + 1);
  if (!c->waits->pdata[span->input])
    c->waits->pdata[span->input] = np_large_array_new (sizeof (gint64));
  NpLargeArray *waits = c->waits->pdata[span->input];
  np_large_array_extend (waits, waits->len + 1);
  g_array_index (waits, gint64, waits->len - 1) = span->start;
}

/* Returns the number of an operator with such arguments. */
static guint
wrote (Chances *c, nprof_str operator, nprof_str arguments)
{
  const guint32 key[WROTE_WORDS] = { operator, arguments };
  const guint number = an_key_table_get (&c->wrote, key);
  if (number == c->bytes->len) {
    const gint64 bytes = !arguments ? -1
                                    : an_written_bytes (nprof_text (c->host, operator),
                                                        nprof_text (c->host, arguments));
    g_array_append_val (c->bytes, bytes);
  }
  return number;
}

guint32
chances_operator (gpointer chances, const AnHostSpan *span, guint32 outer)
{
  (void) outer; /* what lies around it wrote something else */
  return wrote (chances, span->name, span->shape) + 1;
}

/* -- Devices ----------------------------------------------------------------------------------- */

void
chances_device_free (gpointer device)
{
  Device *d = device;
  g_array_unref (d->communications);
  g_array_unref (d->chains);
  g_free (d);
}

static void
chain_clear (gpointer chain)
{
  g_array_unref (((Chain *) chain)->rows);
}

static Device *
device_of (Chances *c, const AnPlace *place)
{
  Device *d = an_of_track (c->by_track, place->device);
  if (d)
    return d;
  d = g_new0 (Device, 1);
  d->track = place->device;
  d->label = place->label;
  d->input = place->input;
  d->number = c->devices->len;
  d->communications = g_array_new (FALSE, FALSE, sizeof (Communication));
  d->chains = g_array_new (FALSE, FALSE, sizeof (Chain));
  g_array_set_clear_func (d->chains, chain_clear);
  g_ptr_array_add (c->devices, d);
  an_put_of_track (c->by_track, d->track, d);
  return d;
}

const char *
chances_family (Chances *c, nprof_str kernel)
{
  gpointer known = g_hash_table_lookup (c->family, GUINT_TO_POINTER (kernel));
  if (!known) {
    known = (gpointer) an_family (c->families, nprof_text (c->host, kernel));
    g_hash_table_insert (c->family, GUINT_TO_POINTER (kernel), known);
  }
  return known;
}

static Row
row_of (Chances *c, const AnPlace *place, AnTraits traits, const struct nprof_batch *batch,
        uint32_t i)
{
  const AnRowLaunch said = an_launch_of (traits, batch, i, c->launch_keys, c->collective);
  const AnGraphRow of_graph = an_graph_row (batch, i, &c->graph_keys);
  Row row = { .start = nprof_cut (&c->clip, batch->start[i]),
              .end = nprof_cut (&c->clip, batch->start[i] + batch->duration[i]),
              .launch = -1,
              .written = -1,
              .kernel = batch->name[i],
              .stream = place->track,
              .class = an_class_of (traits, said.collective),
              .hidden = nprof_hidden (batch, i) };
  AnLaunchSite launch;
  if (said.correlation
      && an_links_find (c->links, place->input, said.correlation, batch->start[i], &launch)) {
    row.launch = launch.start;
    row.operator= launch.operator;
    row.written = launch.call ? g_array_index (c->bytes, gint64, launch.call - 1) : -1;
  }
  if (of_graph.operator) {
    const guint number = wrote (c, of_graph.operator, of_graph.shape);
    row.operator= of_graph.operator;
    row.written = g_array_index (c->bytes, gint64, number);
  }
  return row;
}

nprof_status
chances_rows (Chances *c, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&c->traits, batch);
  batch = traits->rows;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    const AnPlace *place = an_place (c->places, batch->track[i]);
    if (!place->device) {
      an_links_host (c->links, place, (AnRole) traits->of[i].role, batch, i);
      continue;
    }
    if (!place->queue || traits->of[i].role != AN_WORK || batch->duration[i] < 0)
      continue;
    const Row row = row_of (c, place, traits->of[i], batch, i);
    if (row.class == AN_AROUND)
      continue;
    Device *d = device_of (c, place);
    d->work += row.hidden ? 0 : row.end - row.start;
    overlap_row (c, d, &row);
    patterns_row (c, d, &row);
  }
  return NPROF_OK;
}

void
chances_choose_rows (Chances *c, const struct nprof_batch *batch, uint8_t *rows)
{
  an_choose (c->places, AN_CHOOSE_WORK, batch, rows);
  an_links_choose (c->links, batch, rows);
}
