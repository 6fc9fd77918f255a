/* SPDX-License-Identifier: Apache-2.0 */
/* roofline.c - draws rooflines; who asks chooses points, roofs and colours. */
#include "roofline.h"

#include <math.h>
#include <nprof/units.h>

#define WIDTH 680.
#define HEIGHT 360.
#define LEFT 90.
#define RIGHT (WIDTH - 24)
#define TOP 10.
#define BOTTOM (HEIGHT - 40)
#define LETTER 6.4      /* the width of a letter             */
#define LINE 13.        /* from one line of text to the next */
#define LETTERS 28      /* of a name at most                 */
#define MOST_NAMES 100  /* that are tried, the longest first */
#define ROOF_BOXES 128  /* that stand along a slope          */
#define MOST_DECADES 9. /* of a scale that have a text       */

typedef struct {
  double from, to; /* log10 of the ends */
  double at, end;  /* where these are   */
} Scale;

typedef struct {
  double x0, x1, y0, y1;
} Box;

typedef struct {
  GString *out;
  const GArray *points, *roofs;
  Scale x, y;
  double longest; /* time of a point */
  GArray *taken;  /* of Box          */
} Drawing;

static const NpRooflinePoint *
point_of (const Drawing *d, guint i)
{
  return &g_array_index (d->points, NpRooflinePoint, i);
}

static const NpRooflineRoof *
roof_of (const Drawing *d, guint i)
{
  return &g_array_index (d->roofs, NpRooflineRoof, i);
}

gboolean
np_roofline_has_place (const NpRooflinePoint *p)
{
  return p->intensity > 0 && p->rate > 0 && p->time > 0 && isfinite (p->intensity)
         && isfinite (p->rate);
}

static void
put_text (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *escaped = g_markup_escape_text (valid, -1);
  g_string_append (out, escaped);
}

static void
put_mark (GString *out, double x, double y, const char *anchor, const char *text)
{
  g_string_append_printf (out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  put_text (out, text);
  g_string_append (out, "</text>\n");
}

static void
widen (Scale *scale, double low, double high)
{
  scale->from = MIN (scale->from, floor (log10 (low)));
  scale->to = MAX (scale->to, ceil (log10 (high)));
}

static double
place (const Scale *scale, double log)
{
  return scale->at + (scale->end - scale->at) * (log - scale->from) / (scale->to - scale->from);
}

/* The scales hold each point and where the roofs bend, with some room after them. */
static void
find_scales (Drawing *d)
{
  d->x = (Scale){ G_MAXDOUBLE, -G_MAXDOUBLE, LEFT, RIGHT };
  d->y = (Scale){ G_MAXDOUBLE, -G_MAXDOUBLE, BOTTOM, TOP };
  for (guint i = 0; i < d->roofs->len; i++) {
    const NpRooflineRoof *roof = roof_of (d, i);
    widen (&d->x, roof->flops / roof->bandwidth, 3 * roof->flops / roof->bandwidth);
    widen (&d->y, roof->flops, 1.5 * roof->flops);
  }
  for (guint i = 0; i < d->points->len; i++) {
    const NpRooflinePoint *p = point_of (d, i);
    if (!np_roofline_has_place (p))
      continue;
    widen (&d->x, p->intensity, 3 * p->intensity);
    widen (&d->y, p->rate, 1.5 * p->rate);
    d->longest = MAX (d->longest, p->time);
  }
  d->x.to = MAX (d->x.to, d->x.from + 1);
  d->y.to = MAX (d->y.to, d->y.from + 1);
}

static double
step_of (const Scale *scale)
{
  return 1 + floor ((scale->to - scale->from) / MOST_DECADES);
}

static void
put_scales (const Drawing *d)
{
  for (double e = d->x.from; e <= d->x.to; e += step_of (&d->x)) {
    double x = place (&d->x, e);
    g_string_append_printf (d->out, "<path d=\"M%.1f %.1fV%.1f\" class=\"grid-line\"/>", x, TOP,
                            BOTTOM);
    put_mark (d->out, x, BOTTOM + 18, "middle",
              nprof_figure_join (nprof_figure (pow (10, e), "")).text);
  }
  for (double e = d->y.from; e <= d->y.to; e += step_of (&d->y)) {
    double y = place (&d->y, e);
    g_string_append_printf (d->out, "<path d=\"M%.1f %.1fH%.1f\" class=\"grid-line\"/>", LEFT, y,
                            WIDTH);
    put_mark (d->out, LEFT - 5, y + 4, "end",
              nprof_figure_join (nprof_figure (pow (10, e), "flop/s")).text);
  }
  put_mark (d->out, (LEFT + WIDTH) / 2, HEIGHT - 5, "middle", "arithmetic intensity, flop/byte");
}

static gboolean
is_free (const Drawing *d, const Box *b)
{
  if (b->x0 <= LEFT || b->x1 >= WIDTH || b->y0 <= 0 || b->y1 >= BOTTOM)
    return FALSE;
  for (guint i = 0; i < d->taken->len; i++) {
    const Box *other = &g_array_index (d->taken, Box, i);
    if (other->x0 < b->x1 && b->x0 < other->x1 && other->y0 < b->y1 && b->y0 < other->y1)
      return FALSE;
  }
  return TRUE;
}

/* Letters of Chinese, Japanese and Korean are twice as wide. */
static double
width_of (const char *text)
{
  double letters = 0;
  for (; *text; text = g_utf8_next_char (text))
    letters += g_unichar_iswide (g_utf8_get_char (text)) ? 2 : 1;
  return LETTER * letters;
}

/* Puts the text with its left end there where it covers nothing; FALSE: it would. */
static gboolean
put_where_free (const Drawing *d, const char *text, double left, double foot)
{
  Box box = { left, left + width_of (text), foot - 9, foot + 2 };
  if (!is_free (d, &box))
    return FALSE;
  g_array_append_val (d->taken, box);
  g_string_append_printf (d->out,
                          "<text class=\"caption\" aria-hidden=\"true\" x=\"%.1f\" y=\"%.1f\">",
                          left, foot);
  put_text (d->out, text);
  g_string_append (d->out, "</text>\n");
  return TRUE;
}

/* Takes small boxes along the slope, and the flat part. */
static void
take_roof (const Drawing *d, double x0, double y0, double x1, double y1)
{
  for (guint i = 0; i < ROOF_BOXES; i++) {
    double a = i / (double) ROOF_BOXES, b = (i + 1) / (double) ROOF_BOXES;
    Box box = { x0 + (x1 - x0) * a, x0 + (x1 - x0) * b, y0 + (y1 - y0) * b, y0 + (y1 - y0) * a };
    g_array_append_val (d->taken, box);
  }
  Box flat = { x1, RIGHT, y1 - 1, y1 + 1 };
  g_array_append_val (d->taken, flat);
}

/* Returns how many of the roofs from one to before another are as high. */
static guint
alike (const Drawing *d, const NpRooflineRoof *roof, guint from, guint to)
{
  guint n = 0;
  for (guint i = from; i < to; i++)
    n += roof_of (d, i)->flops == roof->flops && roof_of (d, i)->bandwidth == roof->bandwidth;
  return n;
}

/* Puts the peak at the end of its roof, above it or below. */
static void
put_peak (const Drawing *d, guint i)
{
  const NpRooflineRoof *roof = roof_of (d, i);
  const struct nprof_figure_text peak = nprof_figure_join (nprof_figure (roof->flops, "flop/s"));
  double left = RIGHT - 4 - width_of (peak.text), y = place (&d->y, log10 (roof->flops));
  if (!alike (d, roof, 0, i) && !put_where_free (d, peak.text, left, y - 4))
    put_where_free (d, peak.text, left, y + LINE);
}

/* Devices that are alike have one roof. */
static void
put_roof (const Drawing *d, guint i)
{
  const NpRooflineRoof *roof = roof_of (d, i);
  guint others = alike (d, roof, i + 1, d->roofs->len);
  if (alike (d, roof, 0, i))
    return;
  double bandwidth = log10 (roof->bandwidth), peak = log10 (roof->flops);
  double from = MAX (d->x.from, d->y.from - bandwidth), ridge = peak - bandwidth;
  double x0 = place (&d->x, from), y0 = place (&d->y, from + bandwidth);
  double x1 = place (&d->x, ridge), y1 = place (&d->y, peak);
  g_string_append_printf (d->out, "<path class=\"roof\" d=\"M%.1f %.1fL%.1f %.1fH%.1f\"><title>",
                          x0, y0, x1, y1, RIGHT);
  put_text (d->out, roof->name);
  if (others)
    g_string_append_printf (d->out, " and %u more", others);
  g_string_append_printf (d->out, ": %s, %s</title></path>\n",
                          nprof_figure_join (nprof_figure (roof->flops, "flop/s")).text,
                          nprof_byte_rate (roof->bandwidth).text);
  take_roof (d, x0, y0, x1, y1);
}

/* The area is the time. */
static double
radius_of (const Drawing *d, const NpRooflinePoint *p)
{
  return 3 + 9 * sqrt (p->time / d->longest);
}

static void
put_point (const Drawing *d, guint i)
{
  const NpRooflinePoint *p = point_of (d, i);
  double x = place (&d->x, log10 (p->intensity)), y = place (&d->y, log10 (p->rate));
  double r = radius_of (d, p);
  Box box = { x - r, x + r, y - r, y + r };
  g_array_append_val (d->taken, box);
  g_string_append_printf (d->out,
                          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"dot%s%s\" "
                          "data-row=\"%u\"><title>",
                          x, y, r, *p->look ? " " : "", p->look, i);
  put_text (d->out, p->name);
  g_string_append (d->out, " of ");
  put_text (d->out, p->device);
  g_string_append_printf (d->out, ": %s at %s, %s</title></circle>\n",
                          nprof_figure_join (nprof_figure (p->rate, "flop/s")).text,
                          nprof_figure_join (nprof_figure (p->intensity, "flop/byte")).text,
                          nprof_time (p->time).text);
}

/* Transfer full. */
static char *
short_name (const char *name)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  if (g_utf8_strlen (valid, -1) <= LETTERS)
    return g_steal_pointer (&valid);
  g_autofree char *head = g_utf8_substring (valid, 0, LETTERS - 1);
  return g_strconcat (head, "…", NULL);
}

/* Puts the name to the right or the left of its point, or one or two lines below or above, where it
 * covers nothing; else nowhere. */
static void
put_name (const Drawing *d, const NpRooflinePoint *p)
{
  static const int lines[] = { 0, 1, -1, 2, -2 };
  g_autofree char *name = short_name (p->name);
  double width = width_of (name), away = radius_of (d, p) + 4;
  double x = place (&d->x, log10 (p->intensity)), y = place (&d->y, log10 (p->rate));
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    double foot = y + 4 + LINE * lines[i];
    if (put_where_free (d, name, x + away, foot)
        || put_where_free (d, name, x - away - width, foot))
      return;
  }
}

static int
longest_first (gconstpointer a, gconstpointer b)
{
  const NpRooflinePoint *x = *(const NpRooflinePoint *const *) a;
  const NpRooflinePoint *y = *(const NpRooflinePoint *const *) b;
  if (x->time != y->time)
    return x->time > y->time ? -1 : 1;
  return (x > y) - (x < y);
}

/* What several points are called is put once. */
static void
put_names (const Drawing *d)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < d->points->len; i++)
    if (np_roofline_has_place (point_of (d, i)))
      g_ptr_array_add (all, (gpointer) point_of (d, i));
  g_ptr_array_sort (all, longest_first);
  for (guint i = 0; i < all->len && g_hash_table_size (known) < MOST_NAMES; i++) {
    const NpRooflinePoint *p = g_ptr_array_index (all, i);
    if (g_hash_table_add (known, (gpointer) p->name))
      put_name (d, p);
  }
}

void
np_roofline_put (GString *out, const char *label, const GArray *points, const GArray *roofs)
{
  Drawing d = { out, points, roofs, .taken = g_array_new (FALSE, FALSE, sizeof (Box)) };
  find_scales (&d);
  g_string_append_printf (out,
                          "<svg class=\"roofline\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 "
                          "%.0f %.0f\" role=\"img\" aria-label=\"",
                          WIDTH, HEIGHT, WIDTH, HEIGHT);
  put_text (out, label);
  g_string_append (out, "\">\n");
  put_scales (&d);
  for (guint i = 0; i < roofs->len; i++)
    put_roof (&d, i);
  for (guint i = 0; i < points->len; i++)
    if (np_roofline_has_place (point_of (&d, i)))
      put_point (&d, i);
  for (guint i = 0; i < roofs->len; i++)
    put_peak (&d, i);
  put_names (&d);
  g_string_append (out, "</svg>\n");
  g_array_unref (d.taken);
}
