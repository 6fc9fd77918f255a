/* SPDX-License-Identifier: Apache-2.0 */
/* row-role.c - finds roles of rows, by the kinds of their tracks and by the categories of the
 * producers that put work and annotations on one track. */
#include "devicekit/row-role.h"

#include "devicekit/bytes.h"
#include "devicekit/row-keys.h"
#include "producers/device-label.h"
#include "producers/pytorch.h"
#include "producers/row-categories.h"

#include <glib.h>
#include <nprof/sdk.h>
#include <string.h>

/* Tracks tell this before all is decoded: a label may still come, but one that is there stays. */
typedef enum {
  SIDE_HOST = 1,
  SIDE_WORK,
  SIDE_ASYNC,
  SIDE_AROUND, /* its label says steps or modules, or is not there yet */
  SIDE_NOTE    /* work only by category                                */
} Side;

static const char *const works[] = { CATEGORIES_OF_WORK };
static const char *const waits[] = { CATEGORIES_OF_WAITS };
static const char *const unsure[] = { CATEGORY_UNKNOWN, CATEGORY_UNALIGNED };
static const char *const around[] = { CATEGORIES_AROUND };
static const char *const no_work[] = { PYTORCH_NO_WORK };
static const char *const mtia_waits[] = { PYTORCH_MTIA_WAITS };

static const char *const says_words[AN_N_SAYS]
    = { NULL, "compute", "communication", "copy", "control", "setup", "wait", "step" };

static void
know (AnPlaces *p, const char *const *categories, gsize n, AnRole role)
{
  for (gsize i = 0; i < n; i++)
    *an_byte_of (p->categories, nprof_intern (p->host, categories[i])) = 1 + role;
}

AnPlaces *
an_places_new (const struct nprof_host *host)
{
  AnPlaces *p = g_new0 (AnPlaces, 1);
  p->host = host;
  p->tracks = g_ptr_array_new_with_free_func (g_free);
  p->categories = g_byte_array_new ();
  p->names = g_byte_array_new ();
  p->sides = g_byte_array_new ();
  p->sets = g_byte_array_new ();
  p->any_says = host->wanted (host, NPROF_KEY_WORK);
  p->key_work = nprof_intern (host, NPROF_KEY_WORK);
  for (guint k = AN_SAYS_COMPUTE; k < AN_N_SAYS; k++)
    p->says[k] = nprof_intern (host, says_words[k]);
  know (p, works, G_N_ELEMENTS (works), AN_WORK);
  know (p, waits, G_N_ELEMENTS (waits), AN_NOTE);
  know (p, unsure, G_N_ELEMENTS (unsure), AN_UNSURE);
  know (p, around, G_N_ELEMENTS (around), AN_MODULE);
  know (p, no_work, G_N_ELEMENTS (no_work), AN_NOTE);
  *an_byte_of (p->categories, nprof_intern (host, PYTORCH_MTIA_WORK)) = AN_WORK_BY_NAME;
  p->unaligned = nprof_intern (host, CATEGORY_UNALIGNED);
  return p;
}

const char *
an_doubt_text (AnDoubt doubt)
{
  static const char *const texts[] = { NULL, "nobody knows how the clocks of its engines lie apart",
                                       "nobody knows which instructions are work" };
  return texts[doubt];
}

void
an_places_free (AnPlaces *p)
{
  if (!p)
    return;
  g_ptr_array_unref (p->tracks);
  g_byte_array_unref (p->categories);
  g_byte_array_unref (p->names);
  g_byte_array_unref (p->sides);
  g_byte_array_unref (p->sets);
  g_free (p);
}

/* -- Tracks ----------------------------------------------------------------------------- */

static nprof_str
label_of (const struct nprof_host *host, const struct nprof_track_info *device,
          const struct nprof_track_info *core)
{
  g_autofree char *label
      = device_label (device ? nprof_text (host, nprof_track_label (device)) : NULL,
                      core ? nprof_text (host, nprof_track_label (core)) : NULL);
  return nprof_intern (host, label);
}

static void
find_device (const struct nprof_host *host, AnPlace *place)
{
  const struct nprof_track_info *device = NULL, *core = NULL;
  for (nprof_track at = place->track; at; at = host->track_info (host, at)->parent) {
    const struct nprof_track_info *info = host->track_info (host, at);
    place->input = info->input;
    if (info->kind == NPROF_TRACK_CORE && !core) {
      core = info;
      place->device = at;
    }
    if (info->kind == NPROF_TRACK_DEVICE && !device) {
      device = info;
      place->device = core ? place->device : at;
    }
  }
  if (place->device)
    place->label = label_of (host, device, core);
}

/* Tells whether rows on such a track of a device are work, unless their category says otherwise. */
static bool
kind_works (uint32_t kind)
{
  return kind == NPROF_TRACK_DEVICE || kind == NPROF_TRACK_CORE || kind == NPROF_TRACK_ENGINE
         || kind == NPROF_TRACK_QUEUE;
}

static AnRole
role_of_thread (const char *label)
{
  if (g_str_has_suffix (label, TRACK_OF_STEPS))
    return AN_STEP;
  return g_str_has_suffix (label, TRACK_OF_MODULES) ? AN_MODULE : AN_NOTE;
}

static AnRole
role_of_track (const struct nprof_host *host, const AnPlace *place)
{
  const struct nprof_track_info *info = host->track_info (host, place->track);
  if (!place->device)
    return AN_HOST;
  switch (info->kind) {
  case NPROF_TRACK_THREAD:
  case NPROF_TRACK_DERIVED: /* TensorFlow 2.3 wrote its Steps among derived lines */
    return role_of_thread (nprof_text (host, nprof_track_label (info)));
  case NPROF_TRACK_ASYNC:
    return AN_ASYNC;
  default:
    return kind_works (info->kind) ? AN_WORK : AN_NOTE;
  }
}

const AnPlace *
an_look_at_track (AnPlaces *p, nprof_track track)
{
  if (track >= p->tracks->len)
    g_ptr_array_set_size (p->tracks, (int) MAX (track + 1, p->tracks->len * 2));
  AnPlace *place = p->tracks->pdata[track] = g_new0 (AnPlace, 1);
  place->track = track;
  find_device (p->host, place);
  place->role = role_of_track (p->host, place);
  place->queue = p->host->track_info (p->host, track)->kind == NPROF_TRACK_QUEUE;
  return place;
}

static guint
depth_of (const struct nprof_host *host, nprof_track track)
{
  guint depth = 0;
  for (; track; track = host->track_info (host, track)->parent)
    depth++;
  return depth;
}

int
an_place_compare (const struct nprof_host *host, nprof_track a, nprof_track b)
{
  guint m = depth_of (host, a), n = depth_of (host, b);
  for (guint d = m; d > n; d--)
    a = host->track_info (host, a)->parent;
  for (guint d = n; d > m; d--)
    b = host->track_info (host, b)->parent;
  if (a == b) /* one lies above the other */
    return (m > n) - (m < n);
  const struct nprof_track_info *x = host->track_info (host, a), *y = host->track_info (host, b);
  while (x->parent != y->parent) {
    x = host->track_info (host, x->parent);
    y = host->track_info (host, y->parent);
  }
  if (x->input != y->input)
    return x->input < y->input ? -1 : 1;
  if (x->sort != y->sort)
    return x->sort < y->sort ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* -- Rows ------------------------------------------------------------------------------- */

static guint8
look_at_text (const char *text)
{
  int64_t number;
  if (pytorch_step_of_name (text, strlen (text), &number))
    return AN_NAMES_STEP;
  for (gsize i = 0; i < G_N_ELEMENTS (mtia_waits); i++)
    if (strcmp (text, mtia_waits[i]) == 0)
      return AN_NAMES_MTIA_WAIT;
  return AN_NAMES_NOTHING;
}

bool
an_names_step (const struct nprof_host *host, nprof_str name)
{
  return look_at_text (nprof_text (host, name)) == AN_NAMES_STEP;
}

guint8
an_look_at_name (AnPlaces *p, nprof_str name)
{
  guint8 *seen = an_byte_of (p->names, name);
  if (!*seen)
    *seen = look_at_text (nprof_text (p->host, name));
  return *seen;
}

static AnSays
says_of (const AnPlaces *p, uint8_t type, nprof_value value)
{
  guint says = type == NPROF_STRING ? AN_N_SAYS - 1 : AN_SAYS_NOTHING;
  while (says && p->says[says] != value.s)
    says--;
  return (AnSays) says;
}

guint8
an_look_at_work_of_set (AnPlaces *p, nprof_set set)
{
  const struct nprof_attrs *attrs = set ? p->host->attr_set (p->host, set) : NULL;
  AnSays says = AN_SAYS_NOTHING;
  for (uint32_t j = 0; attrs && j < attrs->n; j++)
    if (attrs->key[j] == p->key_work)
      says = says_of (p, attrs->type[j], attrs->value[j]);
  return *an_byte_of (p->sets, set) = (guint8) (1 + says);
}

AnSays
an_own_says (AnPlaces *p, const struct nprof_batch *batch, uint32_t i)
{
  for (uint32_t j = batch->attr_at[i], end = batch->attr_at[i + 1]; j < end; j++)
    if (batch->attr_key[j] == p->key_work)
      return says_of (p, batch->attr_type[j], batch->attr_value[j]);
  return AN_SAYS_NOTHING;
}

/* -- Choosing --------------------------------------------------------------------------- */

static Side
side_on_device (const struct nprof_host *host, const struct nprof_track_info *info)
{
  if (kind_works (info->kind))
    return SIDE_WORK;
  if (info->kind == NPROF_TRACK_ASYNC)
    return SIDE_ASYNC;
  if (info->kind != NPROF_TRACK_THREAD && info->kind != NPROF_TRACK_DERIVED)
    return SIDE_NOTE;
  if (info->label && role_of_thread (nprof_text (host, info->label)) == AN_NOTE)
    return SIDE_NOTE;
  return SIDE_AROUND;
}

static Side
look_at_side (const struct nprof_host *host, nprof_track track)
{
  const struct nprof_track_info *info = host->track_info (host, track);
  for (const struct nprof_track_info *at = info; at;
       at = at->parent ? host->track_info (host, at->parent) : NULL)
    if (at->kind == NPROF_TRACK_DEVICE || at->kind == NPROF_TRACK_CORE)
      return side_on_device (host, info);
  return SIDE_HOST;
}

enum { NO, YES, IF_STEP, UNLESS_WAIT };
/* between: 1 + AnRole, AN_WORK_BY_NAME */
enum { NO_CATEGORY, OTHER_CATEGORY = AN_WORK_BY_NAME + 1, N_CATEGORIES };

/* It says which spans are chosen, by side and category. */
typedef struct {
  guint8 of[SIDE_NOTE + 1][N_CATEGORIES];
} Verdicts;

static guint8
verdict_of (guint what, Side side, guint category)
{
  if (side == SIDE_HOST)
    return what & AN_CHOOSE_HOSTS || (what & AN_CHOOSE_CATEGORIES && category) ? YES : NO;
  bool told = category != NO_CATEGORY && category != OTHER_CATEGORY;
  bool work = told ? category == 1 + AN_WORK || category == 1 + AN_UNSURE : side == SIDE_WORK;
  if (category == AN_WORK_BY_NAME && what & AN_CHOOSE_WORK)
    return UNLESS_WAIT;
  if (category == 1 + AN_MODULE && what & AN_CHOOSE_AROUND)
    return YES;
  if ((work && what & AN_CHOOSE_WORK) || (side == SIDE_ASYNC && what & AN_CHOOSE_ASYNC)
      || (side == SIDE_AROUND && what & AN_CHOOSE_AROUND))
    return YES;
  return what & AN_CHOOSE_AROUND ? IF_STEP : NO; /* steps may be annotated anywhere */
}

static Verdicts
verdicts (guint what)
{
  Verdicts v;
  for (guint side = 0; side <= SIDE_NOTE; side++)
    for (guint category = 0; category < N_CATEGORIES; category++)
      v.of[side][category] = verdict_of (what, (Side) side, category);
  return v;
}

static inline guint8
side_of (AnPlaces *p, nprof_track track)
{
  if (track < p->sides->len && p->sides->data[track])
    return p->sides->data[track];
  guint8 *side = an_byte_of (p->sides, track);
  return *side = look_at_side (p->host, track);
}

static guint
by_name (AnPlaces *p, guint verdict, nprof_str name)
{
  guint8 tells = an_name_tells (p, name);
  return verdict == IF_STEP ? tells == AN_NAMES_STEP : tells != AN_NAMES_MTIA_WAIT;
}

/* Returns the bits of eight rows that are spans, whose kind is the byte 0. */
static inline guint
spans_of_eight (const uint8_t *kinds)
{
  const guint64 low = G_GUINT64_CONSTANT (0x7f7f7f7f7f7f7f7f);
  guint64 bytes;
  G_STATIC_ASSERT (NPROF_SPAN == 0);
  memcpy (&bytes, kinds, sizeof bytes);
  bytes = ~(((GUINT64_FROM_LE (bytes) & low) + low) | GUINT64_FROM_LE (bytes) | low);
  return (guint) ((bytes >> 7) * G_GUINT64_CONSTANT (0x0102040810204080) >> 56);
}

/* Returns the bits of up to 64 rows that are spans. */
static inline guint64
spans_of (const struct nprof_batch *batch, uint32_t first)
{
  const uint8_t *kinds = batch->kind + first;
  const guint left = batch->n_rows - first;
  guint64 spans = 0;
  if (G_LIKELY (left >= 64)) {
    for (guint k = 0; k < 64; k += 8)
      spans |= (guint64) spans_of_eight (kinds + k) << k;
    return spans;
  }
  for (guint k = 0; k < left; k++)
    spans |= (guint64) (kinds[k] == NPROF_SPAN) << k;
  return spans;
}

/* Loads and stores the bits of up to 64 rows. */
static inline guint64
load_chosen (const uint8_t *rows, guint n)
{
  guint64 bits = 0;
  memcpy (&bits, rows, n >= 64 ? 8 : (n + 7) / 8);
  return GUINT64_FROM_LE (bits);
}

static inline void
store_chosen (uint8_t *rows, guint n, guint64 chosen)
{
  const guint64 bits = GUINT64_TO_LE (chosen);
  memcpy (rows, &bits, n >= 64 ? 8 : (n + 7) / 8);
}

static inline guint
verdict_on (AnPlaces *p, const guint8 *of, const struct nprof_batch *batch, uint32_t i)
{
  nprof_str category = batch->category[i];
  guint index = p->categories->data[category < p->categories->len ? category : 0];
  index = index ? index : category ? OTHER_CATEGORY : NO_CATEGORY; /* nothing is known of 0 */
  guint yes = of[index];
  return G_UNLIKELY (yes > YES) ? by_name (p, yes, batch->name[i]) : yes;
}

static bool
is_chosen_by_says (guint what, AnSays says, bool on_host)
{
  if (says == AN_SAYS_STEP)
    return what & AN_CHOOSE_AROUND;
  return says && says != AN_SAYS_WAIT && !on_host && what & (AN_CHOOSE_WORK | AN_CHOOSE_ASYNC);
}

/* Chooses rows that say themselves what they are, wherever they stand. */
static void
choose_by_says (AnPlaces *p, guint what, const struct nprof_batch *batch, uint8_t *rows)
{
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] == NPROF_SPAN
        && is_chosen_by_says (what, an_says (p, batch, i),
                              side_of (p, batch->track[i]) == SIDE_HOST))
      an_choose_row (rows, i);
}

/* Sets are numbered as they are made, so each is looked at once, and rows are not asked. */
bool
an_batch_says (AnPlaces *p, const struct nprof_batch *batch)
{
  nprof_set last = 0;
  if (!p->any_says)
    return false;
  for (uint32_t i = 0; batch->shared && i < batch->n_rows; i++)
    last = MAX (last, batch->shared[i]);
  for (; p->n_sets <= last; p->n_sets++)
    p->any_set_says |= an_look_at_work_of_set (p, p->n_sets) > 1 + AN_SAYS_NOTHING;
  return p->any_set_says || an_any_has_key (batch, p->key_work);
}

/* Kinds and categories alternate in no order that a processor would guess: but for the next span, no
 * branch depends on them.  The bits of 64 rows are stored at once, so that none waits for the one
 * before, and rows that nobody needs to look at cost next to nothing. */
void
an_choose (AnPlaces *p, guint what, const struct nprof_batch *batch, uint8_t *rows)
{
  const Verdicts v = verdicts (what);
  const guint8 *of = v.of[0];
  nprof_track last = 0;
  for (uint32_t first = 0; first < batch->n_rows; first += 64) {
    const guint n = MIN (64, batch->n_rows - first);
    guint64 chosen = load_chosen (rows + (first >> 3), n);
    for (guint64 open = spans_of (batch, first) & ~chosen; open; open &= open - 1) {
      guint k = (guint) __builtin_ctzll (open);
      if (batch->track[first + k] != last)
        of = v.of[side_of (p, last = batch->track[first + k])];
      chosen |= (guint64) verdict_on (p, of, batch, first + k) << k;
    }
    store_chosen (rows + (first >> 3), n, chosen);
  }
  if (G_UNLIKELY (an_batch_says (p, batch)))
    choose_by_says (p, what, batch, rows);
}
