/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer hang: which operation of a job does not end, and who is to blame, by the
 * dumps of PyTorch's Flight Recorder of its ranks. */
#include "devicekit/property.h"
#include "devicekit/row-bits.h"
#include "devicekit/row-keys.h"
#include "hang.h"
#include "profile/collective-keys.h"

#include <nprof/draft/clip.h>

#include <string.h>

#define DECODER "flight-recorder"

enum { STATE, GROUP, LABEL, RANKS, SEQUENCE, SHAPE, DTYPE, SOURCE, PEER, P2P, TIMEOUT };

static const char *const keys[] = { COLLECTIVE_KEY_STATE,
                                    COLLECTIVE_KEY_GROUP,
                                    COLLECTIVE_KEY_GROUP_LABEL,
                                    COLLECTIVE_KEY_GROUP_RANKS,
                                    COLLECTIVE_KEY_SEQUENCE,
                                    NPROF_KEY_SHAPE,
                                    COLLECTIVE_KEY_DTYPE,
                                    NPROF_KEY_SOURCE,
                                    COLLECTIVE_KEY_PEER,
                                    COLLECTIVE_KEY_P2P,
                                    COLLECTIVE_KEY_TIMEOUT,
                                    NULL };

NPROF_TABLE (hang, "What hung",
             "the first operation that not all ranks of its group have ended, and who is to blame "
             "for that.",
             HANG)

static nprof_status
hang_open (void *self, const struct nprof_host *host)
{
  Hang *h = self;
  h->host = host;
  nprof_window_of (host); /* there is nothing to cut: no times are added up */
  h->started = nprof_intern (host, "started");
  h->completed = nprof_intern (host, "completed");
  h->calls = g_array_new (FALSE, FALSE, sizeof (Call));
  h->dumps = g_array_new (FALSE, FALSE, sizeof (Dump));
  h->by_input = g_hash_table_new (NULL, NULL);
  hg_groups_init (h);
  return nprof_reader_init (&h->pick, host, keys);
}

static void
hang_close (void *self)
{
  Hang *h = self;
  g_clear_pointer (&h->calls, g_array_unref);
  g_clear_pointer (&h->dumps, g_array_unref);
  g_clear_pointer (&h->by_input, g_hash_table_unref);
  hg_groups_clear (h);
  g_free ((char *) h->strange);
  nprof_reader_clear (&h->pick);
}

/* -- Dumps ------------------------------------------------------------------------------------- */

static guint32
dump_of (Hang *h, guint32 input)
{
  guint32 at = GPOINTER_TO_UINT (g_hash_table_lookup (h->by_input, GUINT_TO_POINTER (input)));
  if (at)
    return at - 1;
  const Dump new = { .input = input, .rank = NO_RANK };
  g_array_append_val (h->dumps, new);
  g_hash_table_insert (h->by_input, GUINT_TO_POINTER (input), GUINT_TO_POINTER (h->dumps->len));
  return h->dumps->len - 1;
}

static gint64
rank_of (const struct nprof_input_info *input)
{
  const char *rank = an_property (input, "rank");
  return rank ? g_ascii_strtoll (rank, NULL, 10) : NO_RANK;
}

/* A dump without calls is one all the same: its rank has not crashed. */
static void
learn_ranks (Hang *h)
{
  const guint32 n = h->host->run (h->host)->n_inputs;
  for (guint32 i = 0; i < n; i++) {
    const struct nprof_input_info *input = h->host->input (h->host, i);
    if (!input->decoder || strcmp (input->decoder, DECODER) != 0)
      continue;
    const gint64 rank = rank_of (input);
    const char *label = nprof_text (h->host, input->label);
    const Dump *other = rank == NO_RANK ? NULL : hg_dump_of_rank (h, rank);
    if (rank == NO_RANK)
      hg_strange (h, "the name of %s does not end in the number of its rank", label);
    if (other)
      hg_strange (h, "%s and %s are both of rank %" G_GINT64_FORMAT ": name the dumps of one job",
                  nprof_text (h->host, h->host->input (h->host, other->input)->label), label, rank);
    const guint32 number = dump_of (h, i); /* may move the array */
    g_array_index (h->dumps, Dump, number).rank = rank;
  }
}

/* -- Rows -------------------------------------------------------------------------------------- */

static nprof_status
hang_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  const Hang *h = self;
  const nprof_str key = nprof_intern (h->host, COLLECTIVE_KEY_STATE);
  for (uint32_t i = 0; an_any_has_key (batch, key) && i < batch->n_rows; i++)
    if (an_has_key (batch, i, key))
      an_choose_row (rows, i);
  return NPROF_OK;
}

static gint64
number_of (const Hang *h, guint key)
{
  int64_t n;
  return nprof_reader_int (&h->pick, key, &n) ? n : -1;
}

static void
take_call (Hang *h, const struct nprof_batch *batch, uint32_t i)
{
  nprof_reader_row (&h->pick, batch, i);
  const nprof_str state = nprof_reader_str (&h->pick, STATE);
  const nprof_str group = nprof_reader_str (&h->pick, GROUP);
  if (!state || !group)
    return;
  const guint32 dump = dump_of (h, batch->input);
  const Call call = { .dump = dump,
                      .group = hg_group (h, group, nprof_reader_str (&h->pick, LABEL),
                                         nprof_reader_str (&h->pick, RANKS), dump),
                      .sequence = number_of (h, SEQUENCE),
                      .start = batch->start[i],
                      .timeout = number_of (h, TIMEOUT),
                      .name = batch->name[i],
                      .shape = nprof_reader_str (&h->pick, SHAPE),
                      .dtype = nprof_reader_str (&h->pick, DTYPE),
                      .source = nprof_reader_str (&h->pick, SOURCE),
                      .state = state,
                      .peer = number_of (h, PEER),
                      .id = batch->id ? batch->id[i] : 0,
                      .p2p = h->pick.field[P2P].type != NPROF_NULL };
  Dump *d = &g_array_index (h->dumps, Dump, dump);
  d->first = d->first ? MIN (d->first, call.id) : call.id;
  if (!h->calls->len || g_array_index (h->calls, Call, d->last).dump != dump
      || g_array_index (h->calls, Call, d->last).id <= call.id)
    d->last = h->calls->len;
  g_array_append_val (h->calls, call);
}

static nprof_status
hang_consume (void *self, const struct nprof_batch *batch)
{
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] == NPROF_SPAN)
      take_call (self, batch, i);
  return NPROF_OK;
}

static nprof_status
hang_finish (void *self)
{
  Hang *h = self;
  nprof_status status = h->host->table (h->host, &hang_table);
  learn_ranks (h);
  return status || !h->dumps->len ? status : hg_write (h);
}

/* clang-format off */
static const struct nprof_component hang = {
  .size = sizeof hang,
  .kind = NPROF_ANALYZER,
  .name = "hang",
  .summary = "which collective of a job hangs, and which rank is to blame",
  .tables = (const struct nprof_table *const[]) { &hang_table, NULL },
  .wants = (const char *const[]) { COLLECTIVE_KEY_STATE, COLLECTIVE_KEY_GROUP, COLLECTIVE_KEY_GROUP_LABEL,
                                   COLLECTIVE_KEY_GROUP_RANKS, COLLECTIVE_KEY_SEQUENCE, NPROF_KEY_SHAPE,
                                   COLLECTIVE_KEY_DTYPE, NPROF_KEY_SOURCE, COLLECTIVE_KEY_PEER,
                                   COLLECTIVE_KEY_P2P, COLLECTIVE_KEY_TIMEOUT, NULL },
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Hang),
  .open = hang_open,
  .consume = hang_consume,
  .finish = hang_finish,
  .close = hang_close,
  .choose = hang_choose,
};
/* clang-format on */

NPROF_PLUGIN ("hang", NPROF_VERSION, "Apache-2.0", &hang)
