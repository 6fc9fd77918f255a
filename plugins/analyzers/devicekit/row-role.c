/* SPDX-License-Identifier: Apache-2.0 */
/* row-role.c - finds roles of rows, by the kinds of their tracks and by what the rows say. */
#include "devicekit/row-role.h"

#include "devicekit/bytes.h"
#include "producers/device-label.h"
#include "producers/pytorch.h"

#include <glib.h>
#include <nprof/sdk.h>
#include <string.h>

typedef enum {
  SIDE_HOST = 1,
  SIDE_WORK,
  SIDE_ASYNC,
  SIDE_NOTE,
  /* work only where a row says so */ N_SIDES
} Side;

AnPlaces *
an_places_new (const struct nprof_host *host)
{
  AnPlaces *p = g_new0 (AnPlaces, 1);
  p->host = host;
  p->tracks = g_ptr_array_new_with_free_func (g_free);
  p->categories = g_byte_array_new ();
  p->sides = g_byte_array_new ();
  p->sets = g_byte_array_new ();
  p->key_work = nprof_intern (host, NPROF_KEY_WORK);
  for (guint k = MEANS_NOTHING + 1; k < N_MEANINGS; k++)
    p->says[k] = nprof_intern (host, meaning_word ((Meaning) k));
  return p;
}

const char *
an_doubt_text (AnDoubt doubt)
{
  static const char *const texts[]
      = { NULL, "it is unknown how the clocks of its engines lie apart",
          "it is unknown which instructions are work" };
  return texts[doubt];
}

void
an_places_free (AnPlaces *p)
{
  if (!p)
    return;
  g_ptr_array_unref (p->tracks);
  g_byte_array_unref (p->categories);
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

/* Returns the role of rows that say nothing, on such a track of a device. */
static AnRole
role_of_kind (uint32_t kind)
{
  switch (kind) {
  case NPROF_TRACK_DEVICE:
  case NPROF_TRACK_CORE:
  case NPROF_TRACK_ENGINE:
  case NPROF_TRACK_QUEUE:
    return AN_WORK;
  case NPROF_TRACK_ASYNC:
    return AN_ASYNC;
  default:
    return AN_NOTE;
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
  const uint32_t kind = p->host->track_info (p->host, track)->kind;
  place->role = place->device ? role_of_kind (kind) : AN_HOST;
  place->queue = kind == NPROF_TRACK_QUEUE;
  place->core
      = place->device && p->host->track_info (p->host, place->device)->kind == NPROF_TRACK_CORE;
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

static bool
is_above (const struct nprof_host *host, nprof_track upper, nprof_track track)
{
  while (track && track != upper)
    track = host->track_info (host, track)->parent;
  return track == upper;
}

bool
an_tracks_nest (const struct nprof_host *host, nprof_track a, nprof_track b)
{
  return is_above (host, a, b) || is_above (host, b, a);
}

bool
an_is_cut_off (const struct nprof_host *host, nprof_track track, gint64 duration)
{
  return duration < 0 && !host->track_info (host, track)->parent;
}

/* -- Rows ------------------------------------------------------------------------------- */

bool
an_names_step (const struct nprof_host *host, nprof_str name)
{
  const char *text = nprof_text (host, name);
  int64_t number;
  return pytorch_step_of_name (text, strlen (text), &number);
}

guint8
an_look_at_category (AnPlaces *p, nprof_str category)
{
  const char *text = nprof_text (p->host, category);
  guint8 tells = AN_CATEGORY_SEEN;
  tells |= meaning_is_launched (text) ? AN_CATEGORY_LAUNCHED : 0;
  tells |= meaning_is_pipelined (text) ? AN_CATEGORY_PIPELINED : 0;
  return *an_byte_of (p->categories, category) = tells;
}

static Meaning
says_of (const AnPlaces *p, uint8_t type, nprof_value value)
{
  guint says = type == NPROF_STRING ? N_MEANINGS - 1 : MEANS_NOTHING;
  while (says && p->says[says] != value.s)
    says--;
  return (Meaning) says;
}

guint8
an_look_at_work_of_set (AnPlaces *p, nprof_set set)
{
  const struct nprof_attrs *attrs = set ? p->host->attr_set (p->host, set) : NULL;
  Meaning says = MEANS_NOTHING;
  for (uint32_t j = 0; attrs && j < attrs->n; j++)
    if (attrs->key[j] == p->key_work)
      says = says_of (p, attrs->type[j], attrs->value[j]);
  return *an_byte_of (p->sets, set) = (guint8) (1 + says);
}

Meaning
an_own_says (AnPlaces *p, const struct nprof_batch *batch, uint32_t i)
{
  for (uint32_t j = batch->attr_at[i], end = batch->attr_at[i + 1]; j < end; j++)
    if (batch->attr_key[j] == p->key_work)
      return says_of (p, batch->attr_type[j], batch->attr_value[j]);
  return MEANS_NOTHING;
}

/* -- Choosing --------------------------------------------------------------------------- */

static Side
look_at_side (const struct nprof_host *host, nprof_track track)
{
  static const Side sides[]
      = { [AN_WORK] = SIDE_WORK, [AN_ASYNC] = SIDE_ASYNC, [AN_NOTE] = SIDE_NOTE };
  const struct nprof_track_info *info = host->track_info (host, track);
  for (const struct nprof_track_info *at = info; at;
       at = at->parent ? host->track_info (host, at->parent) : NULL)
    if (at->kind == NPROF_TRACK_DEVICE || at->kind == NPROF_TRACK_CORE)
      return sides[role_of_kind (info->kind)];
  return SIDE_HOST;
}

/* It says which spans are chosen, by side and by what they say; on hosts, also without a
 * category. */
typedef struct {
  guint8 of[N_SIDES][N_MEANINGS];
  bool categories; /* spans of hosts that have one */
} Verdicts;

static bool
verdict_of (guint what, Side side, Meaning says)
{
  const AnPlace place = { .device = side != SIDE_HOST,
                          .role = side == SIDE_HOST    ? AN_HOST
                                  : side == SIDE_WORK  ? AN_WORK
                                  : side == SIDE_ASYNC ? AN_ASYNC
                                                       : AN_NOTE };
  switch (an_role (&place, says)) {
  case AN_HOST:
    return what & AN_CHOOSE_HOSTS;
  case AN_WORK:
  case AN_UNSURE:
    return what & AN_CHOOSE_WORK;
  case AN_ASYNC:
    return what & AN_CHOOSE_ASYNC;
  case AN_MODULE:
    return what & AN_CHOOSE_AROUND;
  case AN_STEP:
    return what & (side == SIDE_HOST ? AN_CHOOSE_AROUND | AN_CHOOSE_HOSTS : AN_CHOOSE_AROUND);
  default:
    return false;
  }
}

static Verdicts
verdicts (guint what)
{
  Verdicts v = { .categories = what & AN_CHOOSE_CATEGORIES };
  for (guint side = SIDE_HOST; side < N_SIDES; side++)
    for (guint says = 0; says < N_MEANINGS; says++)
      v.of[side][says] = verdict_of (what, (Side) side, (Meaning) says);
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

static inline bool
is_wanted (const Verdicts *v, guint side, Meaning says, const struct nprof_batch *batch, uint32_t i)
{
  return v->of[side][says] || (v->categories && side == SIDE_HOST && batch->category[i]);
}

/* Chooses rows that say by attributes of their own what they are. */
static void
choose_by_own (AnPlaces *p, const Verdicts *v, const struct nprof_batch *batch, uint8_t *rows)
{
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] == NPROF_SPAN
        && is_wanted (v, side_of (p, batch->track[i]), an_says (p, batch, i), batch, i))
      an_choose_row (rows, i);
}

/* Kinds and categories alternate in no order that a processor would guess: but for the next span,
 * no branch depends on them.  The bits of 64 rows are stored at once, so that none waits for the
 * one before, and rows that nobody needs to look at cost next to nothing. */
void
an_choose (AnPlaces *p, guint what, const struct nprof_batch *batch, uint8_t *rows)
{
  const Verdicts v = verdicts (what);
  guint side = SIDE_HOST;
  nprof_track last = 0;
  for (uint32_t first = 0; first < batch->n_rows; first += 64) {
    const guint n = MIN (64, batch->n_rows - first);
    guint64 chosen = load_chosen (rows + (first >> 3), n);
    for (guint64 open = spans_of (batch, first) & ~chosen; open; open &= open - 1) {
      const guint k = (guint) __builtin_ctzll (open), i = first + k;
      if (batch->track[i] != last)
        side = side_of (p, last = batch->track[i]);
      chosen |= (guint64) is_wanted (&v, side, an_set_says (p, batch, i), batch, i) << k;
    }
    store_chosen (rows + (first >> 3), n, chosen);
  }
  an_ask_batch (p, batch);
  if (G_UNLIKELY (p->owns))
    choose_by_own (p, &v, batch, rows);
}
