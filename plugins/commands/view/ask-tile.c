/* SPDX-License-Identifier: Apache-2.0 */
/* ask-tile.c - answers routes v and over: rectangles, as bytes that a client lays arrays over. */

#include "groups.h"
#include "picture.h"
#include "rect-colours.h"
#include "strips.h"

#include <string.h>

#define MAX_PARTS 256
#define MAX_LEVEL 51 /* a tile of it is 2^62 ps wide */

static void
put_u32 (struct nprof_buf *b, guint32 v)
{
  nprof_put (b, &v, 4);
}

static void
put_i64 (struct nprof_buf *b, gint64 v)
{
  nprof_put (b, &v, 8);
}

void
np_picture_init (NpPicture *p)
{
  *p = (NpPicture){ g_array_new (FALSE, FALSE, 4), g_array_new (FALSE, FALSE, 4),
                    NP_PICTURE_COMPLETE };
}

void
np_picture_clear (NpPicture *p)
{
  g_array_unref (p->lanes);
  g_array_unref (p->from);
}

static void
put_head (NpAsk *ask, const NpPicture *p, gint64 t0, gint64 pixel, gboolean of_store)
{
  struct nprof_buf *b = &ask->reply->body;
  ask->reply->type = "application/octet-stream";
  nprof_put (b, "NPVW", 4);
  put_u32 (b, 1);
  put_u32 (b, p->lanes->len);
  put_u32 (b, g_array_index (p->from, guint32, p->lanes->len));
  put_i64 (b, t0);
  put_i64 (b, pixel);
  put_u32 (b, p->next);
  put_u32 (b, 0);
  for (guint i = 0; i < p->lanes->len; i++) {
    guint32 lane = g_array_index (p->lanes, guint32, i), from = g_array_index (p->from, guint32, i);
    const struct nprof_store_lane *l = of_store ? nprof_store_lane_at (ask->store, lane) : NULL;
    put_u32 (b, lane);
    put_u32 (b, from);
    put_u32 (b, g_array_index (p->from, guint32, i + 1) - from);
    put_u32 (b, l ? l->type : NPROF_STORE_LANE_SPAN);
  }
}

static void
enter (NpPicture *p, guint32 lane, guint32 first)
{
  g_array_append_val (p->lanes, lane);
  g_array_append_val (p->from, first);
}

GArray *
np_ask_lanes (NpAsk *ask, guint32 n, guint most, gboolean needed)
{
  const char *text = np_request_param (ask->request, "lanes");
  if (!text && needed) {
    np_ask_missing (ask, "lanes");
    return NULL;
  }
  g_autoptr (GArray) lanes
      = text && *text ? np_parse_list (text, most) : g_array_new (FALSE, FALSE, 4);
  for (guint32 i = 0; !text && i < n; i++)
    g_array_append_val (lanes, i);
  if (!lanes) {
    g_autofree char *expected = g_strdup_printf ("numbers of at most %u lanes, as 3-17,20", most);
    np_ask_wrong (ask, "lanes", expected);
    return NULL;
  }
  for (guint i = 0; i < lanes->len; i++)
    if (g_array_index (lanes, guint32, i) >= n) {
      np_reply_fail (ask->reply, 404, "", "there is no lane %u in this profile",
                     g_array_index (lanes, guint32, i));
      return NULL;
    }
  return g_steal_pointer (&lanes);
}

/* Returns those of the profile that parameter lanes names. */
static GArray *
lanes_of (NpAsk *ask, guint most, gboolean needed)
{
  return np_ask_lanes (ask, (guint32) nprof_store_n (ask->store, NPROF_STORE_S_LANES), most,
                       needed);
}

static void
put_columns (struct nprof_buf *b, const struct nprof_rects *r)
{
  const guint32 *const columns[] = { r->x0, r->x1, r->row, r->label, r->count, r->low, r->high };
  for (guint k = 0; k < G_N_ELEMENTS (columns); k++)
    if (r->n)
      nprof_put (b, columns[k], 4ull * r->n);
  if (r->n)
    nprof_put (b, r->fill, r->n);
}

enum { ROW = 2, LABEL = 3, N_COLUMNS = 8 };

static void
columns_init (GByteArray *column[N_COLUMNS])
{
  for (guint k = 0; k < N_COLUMNS; k++)
    column[k] = g_byte_array_new ();
}

static void
columns_clear (GByteArray *column[N_COLUMNS])
{
  for (guint k = 0; k < N_COLUMNS; k++)
    g_byte_array_unref (column[k]);
}

static void
append (struct nprof_rects *all, GByteArray *column[N_COLUMNS], const struct nprof_rects *r)
{
  const void *const from[] = { r->x0, r->x1, r->row, r->label, r->count, r->low, r->high, r->fill };
  for (guint k = 0; k < N_COLUMNS && r->n; k++)
    g_byte_array_append (column[k], from[k], (guint) (k < N_COLUMNS - 1 ? 4 * r->n : r->n));
  all->n += r->n;
}

/* -- By groups ------------------------------------------------------------------------ */

/* Rows of a lane that are of a group. */
typedef struct {
  guint32 lane, group;
} Part;

/* Returns the parts of the parameter, LANE@GROUP each; NULL: an error. */
static GArray *
parts_of (NpAsk *ask)
{
  const char *text = np_request_param (ask->request, "of");
  g_auto (GStrv) words = g_strsplit (text ? text : "", ",", MAX_PARTS + 1);
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (Part));
  for (guint i = 0; words[i]; i++) {
    g_auto (GStrv) ends = g_strsplit (words[i], "@", 2);
    Part part;
    if (i == MAX_PARTS || !ends[0] || !ends[1] || !np_parse_u32 (ends[0], &part.lane)
        || !np_parse_u32 (ends[1], &part.group)) {
      np_ask_wrong (ask, "of", "at most 256 lanes and their groups, as 6@0,6@1,7@0");
      return NULL;
    }
    if (part.lane >= nprof_store_n (ask->store, NPROF_STORE_S_LANES)) {
      np_reply_fail (ask->reply, 404, "", "there is no lane %u in this profile", part.lane);
      return NULL;
    }
    g_array_append_val (parts, part);
  }
  if (!parts->len)
    np_ask_missing (ask, "of");
  return parts->len ? g_steal_pointer (&parts) : NULL;
}

typedef struct {
  NpGroupReader reader;
  guint32 *place; /* by group: which picture; G_MAXUINT32: none */
} Wanted;

static uint32_t
picture_of (void *user, const struct nprof_store_block *block, uint32_t i)
{
  Wanted *w = user;
  guint32 group = np_group_at (&w->reader, block, i);
  return group < w->reader.groups->names->len ? w->place[group] : G_MAXUINT32;
}

/* Draws a counter, all of which is of one group. */
static gboolean
draw_counter (NpAsk *ask, const NpGroups *groups, const Part *parts, guint n, gint64 t0,
              gint64 pixel, struct nprof_rects *rects)
{
  guint32 group;
  if (!np_group_of_lane (ask, groups, parts->lane, &group))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (parts[i].group == group
        && !nprof_store_viewport (ask->query, parts->lane, t0, NP_PICTURE_PIXELS, pixel, &rects[i]))
      return FALSE;
  return TRUE;
}

/* Draws n parts of one lane from their pieces. */
static gboolean
draw_strip (NpAsk *ask, const NpStrip *strip, const Part *parts, guint n, gint64 t0, gint64 pixel,
            struct nprof_rects *rects)
{
  for (guint i = 0; i < n; i++) {
    const GArray *pieces = parts[i].group < strip->n ? strip->pieces[parts[i].group] : NULL;
    if (pieces
        && !nprof_store_viewport_of (ask->query,
                                     (const struct nprof_store_piece *) (gpointer) pieces->data,
                                     pieces->len, t0, NP_PICTURE_PIXELS, pixel, &rects[i]))
      return FALSE;
  }
  return TRUE;
}

/* Draws n parts of one lane, whose rows are looked at once. */
static gboolean
draw_parts (NpAsk *ask, const NpGroups *groups, const Part *parts, guint n, gint64 t0, gint64 pixel,
            struct nprof_rects *rects)
{
  const struct nprof_store_lane *lane = nprof_store_lane_at (ask->store, parts->lane);
  if (lane && lane->type == NPROF_STORE_LANE_COUNTER)
    return draw_counter (ask, groups, parts, n, t0, pixel, rects);
  const NpStrip *strip = NULL;
  if (pixel >= np_strip_pixel (ask) && !np_strip_of (ask, groups, parts->lane, &strip))
    return FALSE;
  if (strip && pixel >= G_GINT64_CONSTANT (1) << strip->level)
    return draw_strip (ask, strip, parts, n, t0, pixel, rects);
  g_autofree guint32 *place = g_new (guint32, groups->names->len + 1);
  memset (place, 0xff, (groups->names->len + 1) * sizeof *place);
  for (guint i = 0; i < n; i++)
    if (parts[i].group < groups->names->len)
      place[parts[i].group] = i;
  Wanted wanted = { { .groups = groups }, place };
  struct nprof_store_groups by = { n, picture_of, &wanted };
  return nprof_store_viewport_by (ask->query, parts->lane, t0, NP_PICTURE_PIXELS, pixel, &by,
                                  rects);
}

/* Returns how many of the parts are of the lane of the first. */
static guint
of_one_lane (const Part *parts, guint n)
{
  guint i = 1;
  while (i < n && parts[i].lane == parts->lane)
    i++;
  return i;
}

/* Adds the pictures of a lane, unless the answer would become too long: then it goes on with the
 * first of them. */
static void
take_pictures (NpPicture *p, GByteArray *column[N_COLUMNS], struct nprof_rects *all,
               const Part *parts, guint n, const struct nprof_rects *rects, guint at)
{
  guint64 sum = all->n;
  for (guint i = 0; i < n; i++)
    sum += rects[i].n;
  if (all->n && sum > NP_TILE_RECTS) {
    p->next = at;
    return;
  }
  for (guint i = 0; i < n; i++) {
    enter (p, parts[i].lane, all->n);
    append (all, column, &rects[i]);
  }
}

static gboolean
collect_groups (NpAsk *ask, const NpGroups *groups, const GArray *parts, gint64 t0, gint64 pixel,
                NpPicture *p, GByteArray *column[N_COLUMNS])
{
  struct nprof_rects all = { 0 };
  gboolean good = TRUE;
  for (guint at = 0, n; good && at < parts->len && p->next == NP_PICTURE_COMPLETE; at += n) {
    const Part *own = &g_array_index (parts, Part, at);
    n = of_one_lane (own, parts->len - at);
    g_autofree struct nprof_rects *rects = g_new0 (struct nprof_rects, n);
    good = draw_parts (ask, groups, own, n, t0, pixel, rects);
    if (good)
      take_pictures (p, column, &all, own, n, rects, at);
    for (guint i = 0; i < n; i++)
      nprof_rects_clear (&rects[i]);
  }
  g_array_append_val (p->from, all.n);
  return good;
}

static gboolean
draw_groups (NpAsk *ask, gint64 t0, gint64 pixel, NpColouring colours)
{
  guint by;
  g_autoptr (GArray) parts = parts_of (ask);
  if (!parts || !np_ask_word (ask, "by", NP_GROUPINGS, &by))
    return FALSE;
  const NpGroups *groups = np_groups_of (ask, by);
  if (!groups)
    return FALSE;
  GByteArray *column[N_COLUMNS];
  NpPicture p;
  np_picture_init (&p);
  columns_init (column);
  gboolean good = collect_groups (ask, groups, parts, t0, pixel, &p, column);
  if (good)
    put_head (ask, &p, t0, pixel, TRUE);
  for (guint k = 0; good && k < N_COLUMNS; k++)
    nprof_put (&ask->reply->body, column[k]->data, column[k]->len);
  if (good && colours != NP_COLOUR_NAME)
    good = np_put_colours (ask, &p, (const guint32 *) (gpointer) column[ROW]->data, colours);
  columns_clear (column);
  np_picture_clear (&p);
  return good;
}

/* -- v -------------------------------------------------------------------------------- */

/* Reads which tile is asked for: where it begins, and ps a pixel. */
gboolean
np_ask_tile_place (NpAsk *ask, gint64 *t0, gint64 *pixel)
{
  guint32 level;
  gint64 tile;
  if (!np_request_param (ask->request, "l") || !np_request_param (ask->request, "i"))
    return np_ask_missing (ask, np_request_param (ask->request, "l") ? "i" : "l");
  if (!np_ask_u32 (ask, "l", 0, MAX_LEVEL, &level) || !np_ask_i64 (ask, "i", 0, &tile))
    return FALSE;
  *pixel = G_GINT64_CONSTANT (1) << level;
  return (!__builtin_mul_overflow (*pixel * NP_PICTURE_PIXELS, tile, t0)
          && *t0 <= G_MAXINT64 - *pixel * NP_PICTURE_PIXELS)
         || np_ask_wrong (ask, "i", "a tile within 64 bits of picoseconds");
}

gboolean
np_picture_draw (NpAsk *ask, NpPicture *p, const GArray *lanes, NpDrawLane draw, gconstpointer of,
                 gint64 t0, gint64 pixel, struct nprof_rects *rects)
{
  for (guint i = 0; i < lanes->len && p->next == NP_PICTURE_COMPLETE; i++) {
    guint32 lane = g_array_index (lanes, guint32, i), before = rects->n;
    if (!draw (ask, of, lane, t0, pixel, rects))
      return FALSE;
    if (before && rects->n > NP_TILE_RECTS) {
      p->next = lane;
      rects->n = before;
    } else {
      enter (p, lane, before);
    }
  }
  g_array_append_val (p->from, rects->n);
  put_head (ask, p, t0, pixel, of == NULL);
  put_columns (&ask->reply->body, rects);
  return TRUE;
}

static bool
draw_stored (NpAsk *ask, gconstpointer of, guint32 lane, gint64 t0, gint64 pixel,
             struct nprof_rects *rects)
{
  (void) of;
  return nprof_store_viewport (ask->query, lane, t0, NP_PICTURE_PIXELS, pixel, rects);
}

static gboolean
draw_lanes (NpAsk *ask, gint64 t0, gint64 pixel, NpColouring colours)
{
  g_autoptr (GArray) lanes = lanes_of (ask, NP_PICTURE_LANES, TRUE);
  struct nprof_rects rects = { 0 };
  NpPicture p;
  if (!lanes)
    return FALSE;
  np_picture_init (&p);
  gboolean good = np_picture_draw (ask, &p, lanes, draw_stored, NULL, t0, pixel, &rects);
  if (good && colours != NP_COLOUR_NAME)
    good = np_put_colours (ask, &p, rects.row, colours);
  np_picture_clear (&p);
  nprof_rects_clear (&rects);
  return good;
}

gboolean
np_ask_tile (NpAsk *ask)
{
  gint64 t0 = 0, pixel = 1;
  guint colours;
  if (!np_ask_tile_place (ask, &t0, &pixel)
      || !np_ask_word (ask, "colour", NP_COLOURINGS, &colours))
    return FALSE;
  return np_request_param (ask->request, "by") ? draw_groups (ask, t0, pixel, colours)
                                               : draw_lanes (ask, t0, pixel, colours);
}

/* -- over ------------------------------------------------------------------------- */

static gboolean
collect (NpAsk *ask, GArray *lanes, NpPicture *p, GByteArray *column[N_COLUMNS])
{
  struct nprof_rects all = { 0 }, rects;
  gboolean good = TRUE;
  for (guint i = 0; good && i < lanes->len; i++) {
    guint32 lane = g_array_index (lanes, guint32, i);
    rects = (struct nprof_rects){ 0 };
    good = nprof_store_over (ask->query, lane, &rects);
    if (good && all.n && all.n + rects.n > NP_TILE_RECTS) {
      p->next = lane;
      break;
    }
    enter (p, lane, all.n);
    if (good)
      append (&all, column, &rects);
  }
  g_array_append_val (p->from, all.n);
  return good;
}

static int
compare_u32 (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  return (x > y) - (x < y);
}

/* Returns the numbers in ascending order, each once; transfer full. */
static GArray *
distinct (const GByteArray *bytes)
{
  GArray *all = g_array_new (FALSE, FALSE, 4);
  guint n = 0;
  if (!bytes->len)
    return all;
  g_array_append_vals (all, bytes->data, bytes->len / 4);
  g_array_sort (all, compare_u32);
  for (guint i = 0; i < all->len; i++)
    if (!i || g_array_index (all, guint32, i) != g_array_index (all, guint32, i - 1))
      g_array_index (all, guint32, n++) = g_array_index (all, guint32, i);
  g_array_set_size (all, n);
  return all;
}

GArray *
np_over_labels (NpAsk *ask)
{
  g_autoptr (GArray) lanes = lanes_of (ask, 1, FALSE);
  GByteArray *column[N_COLUMNS];
  NpPicture p;
  if (!lanes)
    return NULL;
  np_picture_init (&p);
  columns_init (column);
  GArray *labels = collect (ask, lanes, &p, column) ? distinct (column[LABEL]) : NULL;
  columns_clear (column);
  np_picture_clear (&p);
  return labels;
}

gboolean
np_ask_over (NpAsk *ask)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  guint32 n = (guint32) nprof_store_n (ask->store, NPROF_STORE_S_LANES);
  g_autoptr (GArray) lanes = lanes_of (ask, n ? n : 1, FALSE);
  GByteArray *column[N_COLUMNS];
  NpPicture p;
  if (!lanes)
    return FALSE;
  np_picture_init (&p);
  columns_init (column);
  gboolean good = collect (ask, lanes, &p, column);
  if (good)
    put_head (ask, &p, meta->over_t0, meta->over_p, TRUE);
  for (guint k = 0; good && k < N_COLUMNS; k++)
    nprof_put (&ask->reply->body, column[k]->data, column[k]->len);
  columns_clear (column);
  np_picture_clear (&p);
  return good;
}
