/* SPDX-License-Identifier: Apache-2.0 */
/* batch-notes.c - calls the makers of notes, which each remember something from batch to batch. */

#include "pipeline/batch-notes.h"

typedef struct {
  guint number; /* among the makers of the run   */
  void *state;  /* NULL: no batch has come yet */
} Maker;

struct NpBatchNotes {
  NpRun *run;
  GArray *makers; /* of Maker */
};

NpBatchNotes *
np_batch_notes_new (NpRun *run)
{
  NpBatchNotes *self = g_new0 (NpBatchNotes, 1);
  self->run = run;
  self->makers = g_array_new (FALSE, FALSE, sizeof (Maker));
  return self;
}

void
np_batch_notes_free (NpBatchNotes *self)
{
  if (!self)
    return;
  for (guint i = 0; i < self->makers->len; i++) {
    const Maker *m = &g_array_index (self->makers, Maker, i);
    if (m->state)
      np_note_makers_get (self->run->note_makers, m->number)->maker->close (m->state);
  }
  g_array_unref (self->makers);
  g_free (self);
}

void
np_batch_notes_add (NpBatchNotes *self, const NpInstance *analyzer)
{
  if (!analyzer->note)
    return;
  const Maker new = { .number = analyzer->note - 1 };
  for (guint i = 0; i < self->makers->len; i++)
    if (g_array_index (self->makers, Maker, i).number == new.number)
      return;
  g_array_append_val (self->makers, new);
}

static gboolean
no_memory (const char *what, GError **error)
{
  return np_error_set (error, NP_EXIT_ROOM, "no memory for %s beside the rows", what);
}

/* A maker of an earlier version ends before it. */
static gboolean
has_look (const struct nprof_note_maker *maker)
{
  return maker->size >= offsetof (struct nprof_note_maker, look) + sizeof maker->look
         && maker->look;
}

/* Returns the functions of a maker that remembers something now; NULL: there is no memory for
 * that. */
static const NpNoteMaker *
ready (NpBatchNotes *self, Maker *m, GError **error)
{
  const NpNoteMaker *of = np_note_makers_get (self->run->note_makers, m->number);
  if (m->state || (m->state = of->maker->open (of->host)))
    return of;
  no_memory (of->maker->name, error);
  return NULL;
}

gboolean
np_batch_notes_look (NpBatchNotes *self, const NpBatch *batch, GError **error)
{
  for (guint i = 0; i < self->makers->len; i++) {
    Maker *m = &g_array_index (self->makers, Maker, i);
    const NpNoteMaker *of = ready (self, m, error);
    if (!of)
      return FALSE;
    if (has_look (of->maker))
      of->maker->look (m->state, &batch->view);
  }
  return TRUE;
}

gboolean
np_batch_notes_make (NpBatchNotes *self, NpBatch *batch, GError **error)
{
  if (!self->makers->len)
    return TRUE;
  char *notes = np_batch_notes (batch, np_note_makers_bytes (self->run->note_makers));
  if (!notes)
    return no_memory ("the notes", error);
  for (guint i = 0; i < self->makers->len; i++) {
    Maker *m = &g_array_index (self->makers, Maker, i);
    const NpNoteMaker *of = ready (self, m, error);
    if (!of)
      return FALSE;
    of->maker->make (m->state, &batch->view, notes + of->at);
  }
  return TRUE;
}
