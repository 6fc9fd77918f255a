/* SPDX-License-Identifier: Apache-2.0 */
/* traits.c - finds the traits of the rows of a batch, as the maker of a note. */
#include "devicekit/traits.h"

#include "devicekit/server-steps.h"
#include "devicekit/work.h"

#include <nprof/sdk.h>
#include <profile/graph-keys.h>
#include <sys/mman.h>

/* What a row of a set was, on that track; track 0: none has come. */
typedef struct {
  nprof_track track;
  nprof_str category;
  AnTraits traits;
} OfSet;

struct _AnTraitsMaker {
  const struct nprof_host *host;
  AnPlaces *places;
  AnWork work;
  nprof_str key_offset, key_duration, key_step, key_collective, key_replay;
  AnLaunchKeys launch_keys;
  AnSanity *sanity;  /* NULL: rows are not looked at before they come */
  bool judged;       /* the last row was looked at                    */
  guint8 has;        /* AnBatchTraits.has, of the rows that were looked at */
  GByteArray *names; /* of an_names_server_step                       */
  AnNumbers *of_set; /* AN_SHARED_SETS of them, a line of a cache each */
  guint8 *seen;      /* AN_SHARED_SETS: 1 when it is known there   */
  OfSet *last;       /* AN_SHARED_SETS: of the last row of each     */
};

#define OF_SET_BYTES (AN_SHARED_SETS * (sizeof (AnNumbers) + sizeof (OfSet)))

static void
maker_free (void *maker)
{
  AnTraitsMaker *m = maker;
  an_places_free (m->places);
  an_work_clear (&m->work);
  g_clear_pointer (&m->sanity, an_sanity_free);
  g_byte_array_unref (m->names);
  if (m->of_set)
    munmap (m->of_set, OF_SET_BYTES);
  free (m->seen);
  g_free (m);
}

/* Maps what is known of sets, so that it grows with the sets there are, page by page, and stays
 * where threads read it. malloc would hand out memory that was freed before, and clear all of
 * it. */
static bool
has_memory (AnTraitsMaker *m)
{
  void *of_set
      = mmap (NULL, OF_SET_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  m->of_set = of_set == MAP_FAILED ? NULL : of_set;
  m->last = m->of_set ? (OfSet *) (gpointer) (m->of_set + AN_SHARED_SETS) : NULL;
  m->seen = calloc (AN_SHARED_SETS, 1);
  if (m->seen)
    m->seen[0] = 1; /* the empty set, of zeros */
  return m->of_set && m->seen;
}

static void *
maker_new (const struct nprof_host *host)
{
  AnTraitsMaker *m = g_new0 (AnTraitsMaker, 1);
  m->places = an_places_new (host);
  m->key_offset = nprof_intern (host, NPROF_KEY_DEVICE_OFFSET);
  m->key_duration = nprof_intern (host, NPROF_KEY_DEVICE_DURATION);
  m->key_step = nprof_intern (host, NPROF_KEY_STEP);
  m->launch_keys = an_launch_keys (host);
  m->key_collective = nprof_intern (host, NPROF_KEY_COLLECTIVE);
  m->key_replay = nprof_intern (host, GRAPH_KEY_REPLAY);
  m->names = g_byte_array_new ();
  m->host = host;
  if (has_memory (m) && an_work_init_sets (&m->work, host) == NPROF_OK)
    return m;
  maker_free (m);
  return NULL;
}

/* -- A row ------------------------------------------------------------------------------------- */

static inline bool
is_count (const struct nprof_batch *batch, uint32_t j, nprof_str key)
{
  return batch->attr_key[j] == key
         && (batch->attr_type[j] == NPROF_UINT64 || batch->attr_type[j] == NPROF_INT64)
         && batch->attr_value[j].i >= 0;
}

/* Returns what a key of a row's own is to analyzers. */
static inline guint8
own_key (const AnTraitsMaker *m, nprof_str key)
{
  if (key == m->key_step)
    return AN_OWN_STEP;
  if (key == m->places->key_work)
    return AN_OWN_WORK;
  return an_is_launch (m->launch_keys, key) || key == m->key_collective ? AN_OWN_LAUNCH
                                                                        : AN_OWN_OTHER;
}

static inline guint8
own_of (const AnTraitsMaker *m, const struct nprof_batch *batch, uint32_t i)
{
  guint8 own = 0;
  if (!batch->attr_at)
    return 0;
  uint32_t j = batch->attr_at[i];
  const uint32_t end = batch->attr_at[i + 1];
  if (j + 2 <= end && is_count (batch, j, m->key_offset)
      && is_count (batch, j + 1, m->key_duration)) {
    own = AN_OWN_CLOCK;
    j += 2;
  }
  for (; j < end; j++)
    own |= own_key (m, batch->attr_key[j]);
  return own;
}

/* Returns what the place, and what the row says, tell. */
static inline AnTraits
traits_of (AnTraitsMaker *m, const AnPlace *place, nprof_str category, Meaning says, guint8 own)
{
  const AnRole role = an_role (place, says);
  AnTraits t = { .role = (guint8) role, .class = AN_AROUND, .own = own, .says = (guint8) says };
  if (role != AN_WORK && role != AN_ASYNC)
    return t;
  const guint8 tells = an_category_tells (m->places, category);
  t.class = (guint8) an_class (says);
  if (place->queue || tells & AN_CATEGORY_PIPELINED)
    t.is |= AN_IS_BESIDE;
  if (tells & AN_CATEGORY_LAUNCHED)
    t.is |= AN_IS_LAUNCHABLE;
  if (says == MEANS_INFEED)
    t.is |= AN_IS_INFEED;
  if (an_goes_over_link (says))
    t.is |= AN_IS_OVER_LINK;
  return t;
}

static __attribute__ ((noinline)) void
look_at_set (AnTraitsMaker *m, nprof_set set)
{
  an_work_set (&m->work, set, &m->of_set[set]);
  m->seen[set] = 1;
}

/* Finds the traits of a span whose set was on another track, or in another category, before. */
static __attribute__ ((noinline)) AnTraits
find_traits (AnTraitsMaker *m, const struct nprof_batch *batch, uint32_t i, guint8 own)
{
  const AnPlace *place = an_place (m->places, batch->track[i]);
  const nprof_set set = batch->shared ? batch->shared[i] : 0;
  if (place->device && set < AN_SHARED_SETS && !m->seen[set])
    look_at_set (m, set);
  Meaning says = an_set_says (m->places, batch, i);
  if (G_UNLIKELY (own & AN_OWN_WORK) && an_own_says (m->places, batch, i))
    says = an_own_says (m->places, batch, i);
  const AnTraits t = traits_of (m, place, batch->category[i], says, own);
  if (set < AN_SHARED_SETS && !(own & AN_OWN_WORK))
    m->last[set] = (OfSet){ batch->track[i], batch->category[i], t };
  return t;
}

static inline __attribute__ ((always_inline)) AnTraits
traits_of_span (AnTraitsMaker *m, const struct nprof_batch *batch, uint32_t i)
{
  const nprof_set set = batch->shared ? batch->shared[i] : 0;
  const OfSet *last = &m->last[set % AN_SHARED_SETS];
  const guint8 own = own_of (m, batch, i);
  AnTraits t = last->traits;
  if (set >= AN_SHARED_SETS || last->track != batch->track[i]
      || last->category != batch->category[i] || own & AN_OWN_WORK)
    return find_traits (m, batch, i, own);
  t.own = own;
  return t;
}

/* -- What cannot be true ----------------------------------------------------------------------- */

/* Is it work that hosts launch?  Instructions of cores and operators of XLA are not. */
static inline bool
is_launchable (const AnPlace *place, AnTraits t)
{
  return place->device && t.role == AN_WORK && t.class != AN_AROUND
         && (place->queue || t.is & AN_IS_LAUNCHABLE);
}

/* What place and category alone say of that: most rows of other devices are none. */
static inline bool
may_be_launchable (AnPlaces *places, const AnPlace *place, nprof_str category)
{
  return place->queue || an_category_tells (places, category) & AN_CATEGORY_LAUNCHED;
}

static AnSanityWork
sanity_of (const AnTraitsMaker *m, AnTraits t, const struct nprof_batch *batch, uint32_t i)
{
  const AnRowLaunch said = an_row_launch (batch, i, m->launch_keys, m->key_collective);
  return (AnSanityWork){ .start = batch->start[i],
                         .end = batch->start[i] + batch->duration[i],
                         .correlation = said.correlation,
                         .name = batch->name[i],
                         .queue = batch->track[i],
                         .side_by_side = an_place (m->places, batch->track[i])->core,
                         .communicates = an_class_of (t, said.collective) == AN_COMMUNICATION };
}

static void
look_at_host (AnTraitsMaker *m, AnRole role, const struct nprof_batch *batch, uint32_t i)
{
  const gint64 start = batch->start[i], end = start + batch->duration[i];
  if (role == AN_STEP) {
    an_sanity_step (m->sanity, batch->name[i], batch->track[i], start, end);
    return;
  }
  an_sanity_host (m->sanity, start, end);
  const bool says = batch->attr_at && batch->attr_at[i] != batch->attr_at[i + 1];
  const guint64 id = says ? an_row_launch (batch, i, m->launch_keys, 0).correlation : 0;
  if (id || an_sanity_captures (m->sanity, batch->name[i]))
    an_sanity_call (m->sanity, batch->name[i], batch->track[i], start, end, id);
}

/* Notes what some row is, until one was. */
static void
look_for (AnTraitsMaker *m, const struct nprof_batch *batch)
{
  if (!(m->has & AN_HAS_REPLAYS) && an_any_has_key (batch, m->key_replay))
    m->has |= AN_HAS_REPLAYS;
  for (uint32_t i = 0; i < batch->n_rows && !(m->has & AN_HAS_SERVER_STEPS); i++)
    if (batch->kind[i] == NPROF_SPAN && an_names_server_step (m->names, m->host, batch->name[i]))
      m->has |= AN_HAS_SERVER_STEPS;
}

static void
look (void *maker, const struct nprof_batch *batch)
{
  AnTraitsMaker *m = maker;
  if (!m->sanity)
    m->sanity = an_sanity_new (m->host);
  look_for (m, batch);
  an_sanity_rows (m->sanity, batch->input, batch->n_rows);
  const AnPlace *place = NULL;
  an_ask_batch (m->places, batch);
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN || batch->duration[i] < 0)
      continue;
    if (!place || place->track != batch->track[i])
      place = an_place (m->places, batch->track[i]);
    if (!place->device) {
      look_at_host (m, an_row_role (m->places, place, batch, i), batch, i);
      continue;
    }
    if (!may_be_launchable (m->places, place, batch->category[i]))
      continue;
    const AnTraits t = traits_of_span (m, batch, i);
    if (!is_launchable (place, t))
      continue;
    const AnSanityWork work = sanity_of (m, t, batch, i);
    an_sanity_work (m->sanity, &work);
  }
}

static void
cut_row (AnBatchTraits *note, const struct nprof_batch *batch, uint32_t i, gint64 end)
{
  if (note->rows == batch) {
    memcpy (note->duration, batch->duration, batch->n_rows * sizeof *note->duration);
    note->cut = *batch;
    note->cut.duration = note->duration;
    note->rows = &note->cut;
  }
  note->duration[i] = end - batch->start[i];
}

static void
mark_rows (AnTraitsMaker *m, const struct nprof_batch *batch, AnBatchTraits *note)
{
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN || batch->duration[i] < 0
        || !is_launchable (an_place (m->places, batch->track[i]), note->of[i]))
      continue;
    const AnSanityWork work = sanity_of (m, note->of[i], batch, i);
    const AnSanityMark mark = an_sanity_mark (m->sanity, &work);
    if (mark.left_out)
      note->of[i] = (AnTraits){ .role = AN_NOTE, .class = AN_AROUND };
    else if (mark.end != work.end)
      cut_row (note, batch, i, mark.end);
  }
}

static void
make (void *maker, const struct nprof_batch *batch, void *note)
{
  AnTraitsMaker *m = maker;
  AnBatchTraits *traits = note;
  traits->of_set = m->of_set;
  traits->rows = batch;
  traits->has = m->sanity ? m->has : AN_HAS_ANY;
  for (uint32_t i = 0; i < batch->n_rows; i++)
    traits->of[i] = batch->kind[i] == NPROF_SPAN ? traits_of_span (m, batch, i) : (AnTraits){ 0 };
  if (m->sanity && !m->judged)
    an_sanity_end (m->sanity);
  m->judged = true;
  traits->findings = m->sanity ? an_sanity_findings (m->sanity) : NULL;
  if (m->sanity && an_sanity_marks (m->sanity, batch->input))
    mark_rows (m, batch, traits);
}

/* -- For analyzers ----------------------------------------------------------------------------- */

static const struct nprof_note_maker maker = { .size = sizeof maker,
                                               .bytes = sizeof (AnBatchTraits),
                                               .name = "nprof.traits/" NPROF_VERSION,
                                               .open = maker_new,
                                               .make = make,
                                               .close = maker_free,
                                               .look = look };

nprof_status
an_traits_init (AnTraitsReader *r, const struct nprof_host *host, bool holds)
{
  r->host = host;
  r->notes = host->extension (host, NPROF_NOTES);
  if (holds || !r->notes) {
    r->own = maker_new (host);
    r->note = g_new (AnBatchTraits, 1);
    if (!r->own)
      return nprof_fail (host, NPROF_E_NOMEM, "no memory for the traits of rows");
  }
  return r->notes ? r->notes->want (host, &maker) : NPROF_OK;
}

void
an_traits_clear (AnTraitsReader *r)
{
  g_clear_pointer (&r->own, maker_free);
  g_clear_pointer (&r->note, g_free);
}

const AnBatchTraits *
an_traits_of_other (AnTraitsReader *r, const struct nprof_batch *batch)
{
  make (r->own, batch, r->note);
  return r->note;
}
