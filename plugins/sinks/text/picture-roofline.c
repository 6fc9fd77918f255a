/* SPDX-License-Identifier: Apache-2.0 */
/* picture-roofline.c - draws operators of the device that worked longest by their flops per byte
 * and their flops per second, both on logarithmic scales, below the roofs of its bandwidth and its
 * peaks. */

#include "picture.h"

#include <math.h>
#include <string.h>

#define MOST_POINTS 30
#define MOST_ROOFS 4
#define HEIGHT 420.0
#define LEFT 100.0
#define RIGHT 985.0
#define TOP 20.0
#define BOTTOM 370.0
#define WIDTH 1000.0 /* of the picture */
#define DIGIT 7.5    /* of a text */

typedef struct {
  const Row *row;
  double time, intensity, rate; /* ps, flop/byte, flop/s; a rate of 0 is on no logarithmic scale */
  double peak, bandwidth;       /* flop/s, byte/s */
} Point;

typedef struct {
  const Table *table;
  const Row *device; /* a row of the device that worked longest */
  GArray *points;    /* of Point: its operators, the longest first */
  guint others;      /* devices with such operators beside it   */
  double x[2], y[2]; /* log10 of the ends of scales             */
} Roofs;

static Point
point_of (const Table *table, const Row *row)
{
  double mfu = picture_value (table, row, "mfu");
  Point p = { .row = row,
              .time = picture_value (table, row, "time_ns"),
              .intensity = picture_value (table, row, "intensity"),
              .peak = picture_value (table, row, "peak_flops"),
              .bandwidth = picture_value (table, row, "peak_bandwidth") };
  p.rate = mfu * p.peak;
  return p;
}

/* Asynchronous operators have no bound: their time is not that of what they move. */
static gboolean
is_point (const Table *table, const Point *p)
{
  g_autofree char *name = picture_cell (table, p->row, "operator");
  g_autofree char *bound = picture_cell (table, p->row, "bound");
  return *name && *name != '(' && *bound && p->time > 0 && p->intensity >= 0 && p->rate >= 0
         && p->peak > 0 && isfinite (p->peak) && p->bandwidth > 0 && isfinite (p->bandwidth);
}

static gboolean
same_device (const Table *table, const Row *a, const Row *b)
{
  int input = table_column (table, "input"), device = table_column (table, "device");
  return (input < 0 || a->cells[input].v.s == b->cells[input].v.s)
         && (device < 0 || a->cells[device].v.s == b->cells[device].v.s);
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Point *x = a, *y = b;
  if (x->time != y->time)
    return x->time > y->time ? -1 : 1;
  return (x->row->number > y->row->number) - (x->row->number < y->row->number);
}

/* Rows of a device follow each other. */
static void
find_points (Roofs *r)
{
  const Row *device = NULL;
  double sum = 0, most = 0;
  guint devices = 0;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Point));
  for (guint i = 0; i < r->table->rows->len; i++) {
    Point p = point_of (r->table, g_ptr_array_index (r->table->rows, i));
    if (!is_point (r->table, &p))
      continue;
    gboolean other = !device || !same_device (r->table, device, p.row);
    devices += other;
    sum = other ? p.time : sum + p.time;
    device = p.row;
    if (sum > most) {
      most = sum;
      r->device = device;
    }
    g_array_append_val (all, p);
  }
  for (guint i = 0; i < all->len; i++)
    if (same_device (r->table, r->device, g_array_index (all, Point, i).row))
      g_array_append_vals (r->points, &g_array_index (all, Point, i), 1);
  g_array_sort (r->points, by_time);
  r->others = devices ? devices - 1 : 0;
}

static gboolean
is_on_scale (const Point *p)
{
  return p->intensity > 0 && p->rate > 0;
}

static void
widen (double ends[2], double value)
{
  ends[0] = MIN (ends[0], floor (log10 (value) - .1));
  ends[1] = MAX (ends[1], ceil (log10 (value)));
}

/* The scales hold each point and where the roofs meet. */
static void
find_scales (Roofs *r)
{
  r->x[0] = r->y[0] = G_MAXDOUBLE;
  r->x[1] = r->y[1] = -G_MAXDOUBLE;
  for (guint i = 0; i < r->points->len; i++) {
    const Point *p = &g_array_index (r->points, Point, i);
    widen (r->x, p->peak / p->bandwidth);
    widen (r->y, p->peak);
    if (i >= MOST_POINTS || !is_on_scale (p))
      continue;
    widen (r->x, p->intensity);
    widen (r->y, p->rate);
  }
  r->y[0] = MIN (r->y[0], r->y[1] - 2);
  r->x[0] = MIN (r->x[0], r->x[1] - 2);
}

static double
x_of (const Roofs *r, double log)
{
  return LEFT + (RIGHT - LEFT) * (log - r->x[0]) / (r->x[1] - r->x[0]);
}

static double
y_of (const Roofs *r, double log)
{
  return BOTTOM - (BOTTOM - TOP) * (log - r->y[0]) / (r->y[1] - r->y[0]);
}

static void
put_mark (GString *out, double x, double y, const char *anchor, const char *text)
{
  g_string_append_printf (out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  picture_text (out, text);
  g_string_append (out, "</text>\n");
}

/* Draws a line for each decade, and a text at most of eight. */
static void
put_scales (GString *out, const Roofs *r)
{
  int every_x = 1 + (int) (r->x[1] - r->x[0]) / 9, every_y = 1 + (int) (r->y[1] - r->y[0]) / 9;
  g_string_append (out, "<g class=\"grid\">\n");
  for (int d = (int) r->x[0]; d <= (int) r->x[1]; d += every_x) {
    g_autofree char *text = picture_number ("", pow (10, d));
    g_string_append_printf (out, "<path d=\"M%.1f %.1fV%.1f\"/>", x_of (r, d), TOP, BOTTOM);
    put_mark (out, x_of (r, d), BOTTOM + 16, d == (int) r->x[1] ? "end" : "middle", text);
  }
  for (int d = (int) r->y[0]; d <= (int) r->y[1]; d += every_y) {
    g_autofree char *text = picture_number ("flop/s", pow (10, d));
    g_string_append_printf (out, "<path d=\"M%.1f %.1fH%.1f\"/>", LEFT, y_of (r, d), RIGHT);
    put_mark (out, LEFT - 6, y_of (r, d) + 4, "end", text);
  }
  put_mark (out, (LEFT + RIGHT) / 2, BOTTOM + 36, "middle", "FLOP per byte");
  g_string_append (out, "</g>\n");
}

/* Finds a roof for each peak, because one device has several: by the type of the numbers. */
static guint
find_roofs (const Roofs *r, const Point *roofs[MOST_ROOFS])
{
  guint n = 0;
  for (guint i = 0; i < MIN (r->points->len, MOST_POINTS) && n < MOST_ROOFS; i++) {
    const Point *p = &g_array_index (r->points, Point, i);
    gboolean known = FALSE;
    for (guint k = 0; k < n; k++)
      known = known || fabs (roofs[k]->peak - p->peak) < .01 * p->peak;
    if (!known)
      roofs[n++] = p;
  }
  return n;
}

static void
put_roof (GString *out, const Roofs *r, const Point *p)
{
  double bandwidth = log10 (p->bandwidth), peak = log10 (p->peak);
  double from = MAX (r->x[0], r->y[0] - bandwidth), ridge = peak - bandwidth;
  g_autofree char *flops = picture_number ("flop/s", p->peak);
  g_string_append_printf (out, "<path class=\"roof\" d=\"M%.1f %.1fL%.1f %.1fH%.1f\"/>",
                          x_of (r, from), y_of (r, from + bandwidth), x_of (r, ridge),
                          y_of (r, peak), RIGHT);
  put_mark (out, RIGHT - 4, y_of (r, peak) - 5, "end", flops);
}

static const char *
look_of (const char *bound)
{
  return g_str_equal (bound, "compute")  ? "compute"
         : g_str_equal (bound, "memory") ? "copy"
                                         : "communication";
}

/* Returns the operator beside which the number of this one stands: the longest whose own would
 * stand there, or itself. */
static guint
beside (const Roofs *r, guint i)
{
  const Point *p = &g_array_index (r->points, Point, i);
  for (guint k = 0; k < i; k++) {
    const Point *q = &g_array_index (r->points, Point, k);
    if (is_on_scale (q)
        && fabs (x_of (r, log10 (q->intensity)) - x_of (r, log10 (p->intensity))) < 24
        && fabs (y_of (r, log10 (q->rate)) - y_of (r, log10 (p->rate))) < 12)
      return beside (r, k);
  }
  return i;
}

/* Puts the numbers of an operator and of those that lie on it, "1, 3": beside its area, or below
 * where the picture ends. */
static void
put_numbers_of (GString *out, const Roofs *r, guint i, double x, double y, double size)
{
  g_autoptr (GString) numbers = g_string_new (NULL);
  for (guint k = i; k < MIN (r->points->len, MOST_POINTS); k++)
    if (is_on_scale (&g_array_index (r->points, Point, k)) && beside (r, k) == i)
      g_string_append_printf (numbers, "%s%u", numbers->len ? ", " : "", k + 1);
  if (!numbers->len)
    return;
  if (x + size + 3 + DIGIT * (double) numbers->len < WIDTH)
    put_mark (out, x + size + 3, y + 4, "start", numbers->str);
  else
    put_mark (out, WIDTH - 3, y + size + 12, "end", numbers->str);
}

static void
put_point (GString *out, const Roofs *r, guint i)
{
  const Point *p = &g_array_index (r->points, Point, i);
  double size = 4 + 14 * sqrt (p->time / g_array_index (r->points, Point, 0).time);
  double x = x_of (r, log10 (p->intensity)), y = y_of (r, log10 (p->rate));
  g_autofree char *bound = picture_cell (r->table, p->row, "bound");
  g_autofree char *operator= picture_cell (r->table, p->row, "operator");
  g_autofree char *time = picture_number ("ps", p->time);
  g_autofree char *rate = picture_number ("flop/s", p->rate);
  g_autofree char *title = g_strdup_printf ("%s: %s, %s, %.4g FLOP/byte, %s", operator, time, rate,
                                            p->intensity, bound);
  g_string_append_printf (out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"%s\"><title>", x,
                          y, size, look_of (bound));
  picture_text (out, title);
  g_string_append (out, "</title></circle>\n");
  put_numbers_of (out, r, i, x, y, size);
}

static void
put_numbers (GString *out, const Roofs *r)
{
  guint n = MIN (r->points->len, MOST_POINTS);
  picture_numbers_begin (out, "operator+number+time+FLOP/s+FLOP/byte+bound");
  for (guint i = 0; i < n; i++) {
    const Point *p = &g_array_index (r->points, Point, i);
    g_autofree char *operator= picture_cell (r->table, p->row, "operator");
    g_autofree char *bound = picture_cell (r->table, p->row, "bound");
    g_autofree char *number = g_strdup_printf ("%u", i + 1);
    g_autofree char *time = picture_number ("ps", p->time);
    g_autofree char *rate = picture_number ("flop/s", p->rate);
    g_autofree char *intensity = picture_number ("", p->intensity);
    const char *const cells[] = { operator, number, time, rate, intensity, bound };
    picture_numbers_row (out, look_of (bound), cells, G_N_ELEMENTS (cells));
  }
  picture_numbers_end (out);
}

/* Says whose the roofs are, and what is not drawn. */
static void
put_notes (GString *out, const Roofs *r, const Point *const *roofs, guint n_roofs)
{
  guint zero = 0, more = r->points->len - MIN (r->points->len, MOST_POINTS);
  for (guint i = 0; i < MIN (r->points->len, MOST_POINTS); i++)
    zero += !is_on_scale (&g_array_index (r->points, Point, i));
  for (guint i = 0; i < n_roofs; i++) {
    g_autofree char *flops = picture_number ("flop/s", roofs[i]->peak);
    g_autofree char *bytes = picture_number ("byte/s", roofs[i]->bandwidth);
    g_autofree char *source = picture_cell (r->table, roofs[i]->row, "peak_source");
    picture_say (out, "p", g_strdup_printf ("Roof: %s, %s; %s", flops, bytes, source));
  }
  picture_say (out, "p",
               g_strdup ("An area is the time of its operator, its number that of the table. "
                         "Blue: compute bounds it, green: memory, "
                         "purple: a link."));
  if (n_roofs == MOST_ROOFS)
    picture_say (out, "p", g_strdup ("Further peaks are not drawn (table mfu)"));
  if (zero)
    picture_say (out, "p",
                 g_strdup_printf ("%u of them computed nothing, which no logarithmic scale has: "
                                  "they are among the numbers alone.",
                                  zero));
  if (more)
    picture_say (out, "p",
                 g_strdup_printf ("Not drawn: %u shorter operator%s (table mfu)", more,
                                  more > 1 ? "s" : ""));
  if (r->others)
    picture_say (out, "p",
                 g_strdup_printf ("Not drawn: %u device%s that worked less (table mfu)", r->others,
                                  r->others > 1 ? "s" : ""));
}

static void
draw (GString *out, Roofs *r)
{
  const Point *roofs[MOST_ROOFS];
  guint n_roofs = find_roofs (r, roofs);
  g_autofree char *device = picture_cell (r->table, r->device, "device");
  g_autofree char *name = picture_name (r->table, r->device, device);
  g_autofree char *label
      = g_strdup_printf ("Roofline of %s: operators by FLOP per byte and FLOP/s", name);
  find_scales (r);
  picture_say (out, "h2", g_strdup_printf ("Roofline of %s", name));
  picture_begin (out, HEIGHT, label);
  put_scales (out, r);
  for (guint i = 0; i < n_roofs; i++)
    put_roof (out, r, roofs[i]);
  for (guint i = 0; i < MIN (r->points->len, MOST_POINTS); i++)
    if (is_on_scale (&g_array_index (r->points, Point, i)))
      put_point (out, r, i);
  picture_end (out);
  put_notes (out, r, roofs, n_roofs);
  put_numbers (out, r);
}

static char *
reason (const Reasons *reasons, const Table *mfu)
{
  const char *why = reasons_find (reasons, mfu->n_rows ? "operator_shapes" : mfu->name);
  return g_strconcat ("Picture of the roofline: ",
                      why ? why : "unknown: no operator has flops, bytes and a known peak", NULL);
}

void
picture_roofline (GString *out, const Reasons *reasons, const Table *mfu)
{
  Roofs r = { .table = mfu, .points = g_array_new (FALSE, FALSE, sizeof (Point)) };
  find_points (&r);
  if (r.points->len)
    draw (out, &r);
  else
    picture_say (out, "p", reason (reasons, mfu));
  g_array_unref (r.points);
}
