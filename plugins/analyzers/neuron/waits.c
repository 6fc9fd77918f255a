/* SPDX-License-Identifier: Apache-2.0 */
/* waits.c - adds up how long each engine of a NeuronCore waited for which semaphores, and says who
 * raises these: what its instructions name, in table neuron_waits. */
#include "devicekit/by-track.h"
#include "devicekit/semaphore-word.h"
#include "neuron.h"

NPROF_TABLE (neuron_waits, "What engines wait for",
             "Of an instruction that names semaphores: the time from the end of the one before it "
             "on its engine, and all of a row that only waits. The longest first.",
             NEURON_WAITS)

/* Who raises a semaphore is a set: of engines, by their numbers, and of transfers. */
#define BY_DMA (1u << NE_ENGINES)

/* This is what an engine waits for: semaphores by number, whatever their values. */
typedef struct {
  nprof_track track; /* of the engine */
  nprof_str input, device, engine;
  guint by_itself;  /* its bit in the set of who raises a semaphore */
  char *semaphores; /* "S[9] S[26]" */
  gboolean barrier; /* for exact values alone, as where the runtime has engines meet */
  guint64 calls;
  gint64 time, start, longest; /* ps */
} Wait;

typedef struct {
  nprof_track track;
  gboolean any; /* a row was there */
  gint64 end;
} Last;

static void
wait_free (gpointer wait)
{
  Wait *w = wait;
  g_free (w->semaphores);
  g_free (w);
}

void
ne_waits_open (NeWaits *w)
{
  w->all = g_ptr_array_new_with_free_func (wait_free);
  w->by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  w->raised = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  w->ends = g_ptr_array_new_with_free_func (g_free);
}

void
ne_waits_close (NeWaits *w)
{
  g_ptr_array_unref (w->ends);
  g_hash_table_unref (w->raised);
  g_hash_table_unref (w->by_key);
  g_ptr_array_unref (w->all);
}

/* A core counts its semaphores on its own. */
static char *
key_of (nprof_track core, guint id)
{
  return g_strdup_printf ("%" G_GUINT32_FORMAT " %u", core, id);
}

static void
note_raised (NeWaits *w, nprof_track core, const char *text, guint by)
{
  AnSemaphoreWord word;
  for (const char *p = text; (p = an_semaphore_word (p, &word));)
    if (word.semaphore && (by == BY_DMA || word.what == '+' || word.what == 'a')) {
      char *key = key_of (core, word.id);
      guint known = GPOINTER_TO_UINT (g_hash_table_lookup (w->raised, key));
      g_hash_table_insert (w->raised, key, GUINT_TO_POINTER (known | by));
    }
}

static int
by_id (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  return x < y ? -1 : x > y;
}

/* Returns the semaphores that a text waits for, in order; NULL: none. */
static char *
semaphores_in (const char *text, gboolean *barrier)
{
  AnSemaphoreWord word;
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint));
  *barrier = TRUE;
  for (const char *p = text; (p = an_semaphore_word (p, &word));)
    if (word.semaphore && (word.what == '=' || word.what == '>')) {
      g_array_append_val (ids, word.id);
      *barrier &= word.what == '=';
    }
  if (!ids->len)
    return NULL;
  g_array_sort (ids, by_id);
  GString *all = g_string_new (NULL);
  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (all, "%sS[%u]", i ? " " : "", g_array_index (ids, guint, i));
  return g_string_free (all, FALSE);
}

static Last *
last_of (NeWaits *w, nprof_track track)
{
  Last *last = an_of_track (w->ends, track);
  if (!last) {
    last = g_new0 (Last, 1);
    an_put_of_track (w->ends, track, last);
  }
  return last;
}

static Wait *
wait_of (Neuron *n, const AnPlace *place, guint engine, nprof_str input, char *semaphores)
{
  NeWaits *w = &n->semaphores;
  char *key = g_strdup_printf ("%" G_GUINT32_FORMAT " %s", place->track, semaphores);
  Wait *found = g_hash_table_lookup (w->by_key, key);
  if (found) {
    g_free (key);
    g_free (semaphores);
    return found;
  }
  found = g_new (Wait, 1);
  *found = (Wait){ .track = place->device,
                   .input = input,
                   .device = place->label,
                   .engine = n->engines[engine],
                   .by_itself = 1u << engine,
                   .semaphores = semaphores,
                   .barrier = TRUE };
  g_hash_table_insert (w->by_key, key, found);
  g_ptr_array_add (w->all, found);
  return found;
}

static void
add (const Neuron *n, Wait *wait, gint64 from, gint64 until)
{
  const gint64 time = nprof_inside (&n->clip, from, until - from);
  wait->calls++;
  wait->time += time;
  if (time <= wait->longest)
    return;
  wait->longest = time;
  wait->start = nprof_cut (&n->clip, from);
}

void
ne_waits_row (Neuron *n, const struct nprof_batch *batch, uint32_t i, guint engine,
              const NeSays *says)
{
  NeWaits *w = &n->semaphores;
  const AnPlace *place = an_place (n->places, batch->track[i]);
  Last *last = last_of (w, place->track);
  const gint64 start = batch->start[i], end = start + batch->duration[i];
  gboolean barrier;
  char *semaphores
      = says->waits ? semaphores_in (nprof_text (n->host, says->waits), &barrier) : NULL;
  if (says->signals)
    note_raised (w, place->device, nprof_text (n->host, says->signals), 1u << engine);
  if (says->dma)
    note_raised (w, place->device, nprof_text (n->host, says->dma), BY_DMA);
  if (semaphores) {
    const nprof_str input = n->host->input (n->host, batch->input)->label;
    const gint64 from = last->any ? MIN (last->end, start) : start;
    const gint64 until = batch->category[i] == n->category_wait ? end : start;
    Wait *wait = wait_of (n, place, engine, input, semaphores);
    wait->barrier &= barrier;
    add (n, wait, from, until);
  }
  last->end = last->any ? MAX (last->end, end) : end;
  last->any = TRUE;
}

/* Returns the word for that set, to the engine that waits; NULL: there is none for all of it. */
static const char *
word_of (guint set, guint itself)
{
  if (!set)
    return "unnamed";
  if (set == BY_DMA)
    return "dma";
  if (set == itself)
    return "itself";
  return set & (BY_DMA | itself) ? NULL : "engine";
}

/* Returns who raises all of them; NULL: not the same. */
static const char *
raiser_of (const NeWaits *w, const Wait *wait)
{
  AnSemaphoreWord word;
  const char *found = NULL;
  for (const char *p = wait->semaphores; (p = an_semaphore_word (p, &word));) {
    g_autofree char *key = key_of (wait->track, word.id);
    const guint set = GPOINTER_TO_UINT (g_hash_table_lookup (w->raised, key));
    const char *by = word_of (set, wait->by_itself);
    if (!by || (found && !g_str_equal (found, by)))
      return NULL;
    found = by;
  }
  return found;
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Wait *x = *(const Wait *const *) a, *y = *(const Wait *const *) b;
  if (x->time != y->time)
    return x->time > y->time ? -1 : 1;
  return x->track != y->track ? (x->track < y->track ? -1 : 1)
                              : strcmp (x->semaphores, y->semaphores);
}

nprof_status
ne_waits_write (Neuron *n)
{
  const struct nprof_host *host = n->host;
  nprof_status status = NPROF_OK;
  g_ptr_array_sort (n->semaphores.all, by_time);
  for (guint i = 0; i < n->semaphores.all->len && !status; i++) {
    const Wait *w = g_ptr_array_index (n->semaphores.all, i);
    const char *by = w->barrier ? "barrier" : raiser_of (&n->semaphores, w);
    const struct neuron_waits_row row = {
      .device = nprof_some_str (w->device),
      .engine = nprof_some_str (w->engine),
      .semaphores = nprof_some_text (w->semaphores),
      .raised_by = nprof_some_str (by ? nprof_intern (host, by) : 0),
      .calls = nprof_some_int ((gint64) w->calls),
      .duration = nprof_some_int (w->time),
      .start = nprof_int_if (w->longest > 0, w->start),
      .longest = nprof_some_int (w->longest),
    };
    status = host->row (host, &neuron_waits_table,
                        neuron_waits_cells (nprof_cell_str (w->input), &row).cells);
  }
  return status;
}
