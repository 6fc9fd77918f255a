/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer sanity: the table of what cannot be true in a file, and of what is
 * unknown then. The rules of work are devicekit/sanity.h: its rows are left out and cut for all
 * analyzers alike, whether this one takes part or not. */
#include "columns.h"
#include "devicekit/property.h"
#include "devicekit/row-bits.h"
#include "devicekit/row-launch.h"
#include "devicekit/table-rows.h"
#include "devicekit/traits.h"
#include "frames.h"
#include "sentences.h"

#include <nprof/draft/clip.h>
#include <nprof/keys.h>
#include <string.h>

NPROF_TABLE (sanity, "What cannot be true in the file",
             "A row a rule that fired. Rows that are left out are in no number of other "
             "tables.",
             SANITY)

static const struct nprof_table *const tables[] = { &sanity_table, NULL };

typedef struct {
  AnRows rows; /* first, for table-rows.h */
  const struct nprof_host *host;
  AnTraitsReader traits;
  Frames *frames;
  GArray *findings; /* of AnSanityFinding, of work                 */
  uint32_t next;    /* input of which no row was chosen yet        */
} Sanity;

static nprof_status
write_finding (Sanity *s, const AnSanityFinding *f)
{
  g_autofree char *sentence = sentence_of (f), *unknown = sentence_unknown (f->unknown);
  const struct sanity_row row = {
    .rule = nprof_some_text (sentence_rule (f->rule)),
    .rows = nprof_some_int ((gint64) f->rows),
    .worst = nprof_int_if (f->worst, f->worst),
    .left_out = nprof_some_int ((gint64) f->left_out),
    .unknown = nprof_some_text (unknown),
    .sentence = nprof_some_text (sentence),
  };
  return an_rows_add (
      &s->rows, &sanity_table,
      sanity_cells (nprof_cell_str (s->host->input (s->host, f->input)->label), &row).cells);
}

/* Says of an input by which ranks its decoder parted it, if it did. */
static nprof_status
write_ranks (Sanity *s, const struct nprof_input_info *input)
{
  const char *ranks = an_property (input, "merged_ranks");
  if (!ranks)
    return NPROF_OK;
  gint64 n = 1;
  for (const char *p = ranks; (p = strchr (p, ',')); p++)
    n++;
  g_autofree char *sentence = sentence_ranks (n, ranks);
  const struct sanity_row row = {
    .rule = nprof_some_text (sentence_rule (AN_SANITY_MERGED_RANKS)),
    .rows = nprof_some_int (n),
    .left_out = nprof_some_int (0),
    .unknown = nprof_some_text (""),
    .sentence = nprof_some_text (sentence),
  };
  return an_rows_add (&s->rows, &sanity_table,
                      sanity_cells (nprof_cell_str (input->label), &row).cells);
}

static nprof_status
write_own (void *self)
{
  Sanity *s = self;
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; i < s->host->run (s->host)->n_inputs && status == NPROF_OK; i++)
    status = write_ranks (s, s->host->input (s->host, i));
  for (guint i = 0; i < s->findings->len && status == NPROF_OK; i++)
    status = write_finding (s, &g_array_index (s->findings, AnSanityFinding, i));
  const GArray *frames = frames_findings (s->frames);
  for (guint i = 0; i < frames->len && status == NPROF_OK; i++)
    status = write_finding (s, &g_array_index (frames, AnSanityFinding, i));
  return status;
}

static bool
is_frame (Sanity *s, const struct nprof_batch *batch, uint32_t i)
{
  return batch->kind[i] == NPROF_SPAN && frames_is (s->frames, batch->category[i]);
}

static nprof_status
sanity_open (void *self, const struct nprof_host *host)
{
  Sanity *s = self;
  nprof_window_of (host); /* rows are judged as they lie in the file: no sum is there to cut */
  s->host = host;
  an_rows_init (&s->rows, host, "sanity", tables, NULL, write_own);
  s->frames = frames_new (host);
  s->findings = g_array_new (FALSE, FALSE, sizeof (AnSanityFinding));
  nprof_status status = an_traits_init (&s->traits, host, false);
  return status ? status : host->table (host, &sanity_table);
}

static void
sanity_close (void *self)
{
  Sanity *s = self;
  an_rows_clear (&s->rows);
  an_traits_clear (&s->traits);
  g_clear_pointer (&s->frames, frames_free);
  g_clear_pointer (&s->findings, g_array_unref);
}

/* One row of each input is enough to be told what was found of its work; frames are looked at
 * here. */
static nprof_status
sanity_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  Sanity *s = self;
  if (batch->input >= s->next && batch->n_rows) {
    s->next = batch->input + 1;
    an_choose_row (rows, 0);
  }
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (is_frame (s, batch, i))
      an_choose_row (rows, i);
  return NPROF_OK;
}

static nprof_status
sanity_consume (void *self, const struct nprof_batch *batch)
{
  Sanity *s = self;
  const AnBatchTraits *traits = an_traits_of (&s->traits, batch);
  const GArray *all = traits->findings;
  if (all && !s->findings->len) /* all of them beside any batch */
    g_array_append_vals (s->findings, all->data, all->len);
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (traits->of[i].role == AN_HOST && is_frame (s, batch, i))
      frames_add (s->frames, batch, i);
  return NPROF_OK;
}

/* clang-format off */
static const struct nprof_component sanity = {
  .size = sizeof sanity,
  .kind = NPROF_ANALYZER,
  .name = "sanity",
  .summary = "what cannot be true in the file, and what is unknown then",
  .tables = tables,
  .wants = (const char *const[]) { AN_LAUNCH_KEYS, NPROF_KEY_COLLECTIVE, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Sanity),
  .open = sanity_open,
  .consume = sanity_consume,
  .finish = an_rows_finish,
  .close = sanity_close,
  .choose = sanity_choose,
  .save = an_rows_save,
  .merge = an_rows_merge,
};
/* clang-format on */

NPROF_PLUGIN ("sanity", NPROF_VERSION, "Apache-2.0", &sanity)
