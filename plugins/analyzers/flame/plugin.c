/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer flame: sums the time of threads or of devices, or bytes that were
 * allocated, by stack. */
#include "flame.h"

static nprof_status
flame_open (void *self, const struct nprof_host *host)
{
  Flame *f = self;
  f->host = host;
  f->clip = nprof_window_of (host);
  f->places = an_places_new (host);
  f->launch_keys = an_launch_keys (host);
  f->graph_keys = an_graph_keys (host);
  f->key_args = nprof_intern (host, "args");
  f->name_memory = nprof_intern (host, "[memory]");
  f->name_allocation = nprof_intern (host, "MemoryAllocation");
  f->passed_over[0] = nprof_intern (host, "Trace");
  f->passed_over[1] = nprof_intern (host, "overhead");
  f->lost
      = nprof_intern (host, f->clip.cuts ? "(launch not in the window)" : "(launch not recorded)");
  f->each_step = nprof_intern (host, "(each step)");
  an_key_table_init (&f->frames, F_WORDS);
  f->weights = g_array_new (FALSE, TRUE, sizeof (Weight));
  f->open = g_array_new (FALSE, FALSE, sizeof (Open));
  f->launched = g_array_new (FALSE, FALSE, sizeof (Launched));
  f->covered = G_MININT64;
  f->own_frames = f->by == BY_SOURCE ? own_frames_list_new (host) : NULL;
  return nprof_reader_init (&f->reader, host, fl_keys);
}

/* Returns whether a span is a frame: one that has no end has no time, and one of the profiler
 * itself is none. */
static bool
is_frame (const Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  return batch->kind[i] == NPROF_SPAN && batch->duration[i] >= 0
         && batch->category[i] != f->passed_over[0] && batch->category[i] != f->passed_over[1];
}

static void
take_host (Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  bool allocates = f->weight == WEIGHT_BYTES && fl_allocates (f, batch, i);
  if (allocates && nprof_touches (&f->clip, batch->start[i], batch->start[i]))
    fl_allocation (f, batch, i);
  else if (!allocates && is_frame (f, batch, i) && (!fl_states (f) || f->weight == WEIGHT_HOST))
    fl_span (f, batch, i);
}

static void
take_row (Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (f->places, batch->track[i]);
  AnRole role = an_row_role (f->places, place, batch, i);
  if (!place->device)
    take_host (f, batch, i);
  else if (role != AN_WORK || f->weight != WEIGHT_DEVICE || !is_frame (f, batch, i))
    return;
  else if (fl_states (f))
    fl_span (f, batch, i);
  else
    fl_work (f, batch, i);
}

static nprof_status
flame_consume (void *self, const struct nprof_batch *batch)
{
  Flame *f = self;
  an_ask_batch (f->places, batch);
  for (uint32_t i = 0; i < batch->n_rows; i++)
    take_row (f, batch, i);
  return NPROF_OK;
}

/* Forgets threads, which only say where work was launched when the weight is that of devices. */
static void
forget_threads (Flame *f)
{
  for (guint i = 0; i < f->weights->len; i++)
    g_array_index (f->weights, Weight, i) = (Weight){ 0 };
}

static nprof_status
flame_finish (void *self)
{
  Flame *f = self;
  fl_track_end (f);
  if (f->weight == WEIGHT_DEVICE && !fl_states (f)) {
    forget_threads (f);
    fl_join (f);
  }
  return fl_write (f);
}

static void
flame_close (void *self)
{
  Flame *f = self;
  an_places_free (f->places);
  an_key_table_clear (&f->frames);
  g_clear_pointer (&f->weights, g_array_unref);
  g_clear_pointer (&f->open, g_array_unref);
  g_clear_pointer (&f->launched, g_array_unref);
  an_launch_list_clear (&f->calls);
  nprof_reader_clear (&f->reader);
  g_clear_pointer (&f->own_frames, own_frames_list_free);
}

const char *const fl_keys[] = { NPROF_KEY_LAYER,        NPROF_KEY_FRAMEWORK_OP, NPROF_KEY_SOURCE,
                                NPROF_KEY_SOURCE_STACK, "allocator_name",       "device_ordinal",
                                "index_on_host",        "allocation_bytes",     NULL };
static const struct nprof_row_want args_of_instants
    = { .size = sizeof args_of_instants, .kinds = 1u << NPROF_INSTANT, .key = "args" };

/* clang-format off */
static const struct nprof_component flame = {
  .size = sizeof flame,
  .kind = NPROF_ANALYZER,
  .name = "flame",
  .summary = "time by stack: of threads, or of devices below what launched it; bytes by what allocated them",
  .options = NPROF_OPTIONS (
      NPROF_CHOICE_OPTION (Flame, weight, "weight", "host", "host|device|bytes",
                           "time of threads, or of the work of devices, or bytes that were allocated"),
      NPROF_CHOICE_OPTION (Flame, by, "by", "stack", "stack|module|layer|source",
                           "frames: all spans, modules alone, the path of the framework, or lines of source"),
      NPROF_CHOICE_OPTION (Flame, steps, "steps", "each", "each|one",
                           "is each step a frame of its own, or are all of them the one frame (each step)?")),
  .tables = (const struct nprof_table *const[]) { &stacks_table, NULL },
  .wants = (const char *const[]) { NPROF_KEY_WORK, AN_LAUNCH_KEYS, AN_GRAPH_KEYS, NPROF_KEY_LAYER, NPROF_KEY_FRAMEWORK_OP,
                                   NPROF_KEY_SOURCE, NPROF_KEY_SOURCE_STACK, "allocator_name", "device_ordinal",
                                   "index_on_host", "allocation_bytes", NULL },
  .row_wants = (const struct nprof_row_want *const[]) { &args_of_instants, NULL },
  .order = NPROF_ORDER_TRACK,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Flame),
  .open = flame_open,
  .consume = flame_consume,
  .finish = flame_finish,
  .close = flame_close,
};
/* clang-format on */

NPROF_PLUGIN ("flame", NPROF_VERSION, "Apache-2.0", &flame)
