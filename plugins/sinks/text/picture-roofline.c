/* SPDX-License-Identifier: Apache-2.0 */
/* picture-roofline.c - chooses what a roofline is drawn of: operators of the device that worked
 * longest, its bandwidth and its peaks; says what is not drawn, and puts the numbers. */

#include "picture.h"
#include "picture/roofline.h"
#include "printable.h"

#include <math.h>
#include <string.h>

#define MOST_POINTS 30
#define MOST_ROOFS 4

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
  guint zero;        /* points that have no place               */
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

/* Work has the colour of its kind, as in the page: what a link bounds communicates. Whether compute
 * or memory bounds an operator is told by its place, and in the numbers. */
static const char *
look_of (const char *bound)
{
  return g_str_equal (bound, "link") ? "communication" : "compute";
}

static char *
safe_cell (const Table *table, const Row *row, const char *column)
{
  g_autofree char *text = picture_cell (table, row, column);
  return printable_new (text, strlen (text));
}

/* Draws them; the names are safe. */
static void
put_picture (GString *out, Roofs *r, const char *label, const Point *const *roofs, guint n_roofs)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (NpRooflinePoint));
  g_autoptr (GArray) tops = g_array_new (FALSE, FALSE, sizeof (NpRooflineRoof));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *device = safe_cell (r->table, r->device, "device");
  for (guint i = 0; i < n_roofs; i++) {
    NpRooflineRoof top = { device, roofs[i]->peak, roofs[i]->bandwidth };
    g_array_append_val (tops, top);
  }
  for (guint i = 0; i < MIN (r->points->len, MOST_POINTS); i++) {
    const Point *p = &g_array_index (r->points, Point, i);
    g_autofree char *bound = picture_cell (r->table, p->row, "bound");
    char *name = safe_cell (r->table, p->row, "operator");
    NpRooflinePoint point = { name, device, look_of (bound), p->time, p->intensity, p->rate };
    g_ptr_array_add (names, name);
    g_array_append_val (points, point);
    r->zero += !np_roofline_has_place (&point);
  }
  np_roofline_put (out, label, points, tops);
}

static void
put_numbers (GString *out, const Roofs *r)
{
  guint n = MIN (r->points->len, MOST_POINTS);
  picture_numbers_begin (out, "operator+time+FLOP/s+FLOP/byte+bound");
  for (guint i = 0; i < n; i++) {
    const Point *p = &g_array_index (r->points, Point, i);
    g_autofree char *operator= picture_cell (r->table, p->row, "operator");
    g_autofree char *bound = picture_cell (r->table, p->row, "bound");
    g_autofree char *time = picture_number ("ps", p->time);
    g_autofree char *rate = picture_number ("flop/s", p->rate);
    g_autofree char *intensity = picture_number ("", p->intensity);
    const char *const cells[] = { operator, time, rate, intensity, bound };
    picture_numbers_row (out, look_of (bound), cells, G_N_ELEMENTS (cells));
  }
  picture_numbers_end (out);
}

/* Says whose the roofs are, and what is not drawn. */
static void
put_notes (GString *out, const Roofs *r, const Point *const *roofs, guint n_roofs)
{
  guint more = r->points->len - MIN (r->points->len, MOST_POINTS);
  for (guint i = 0; i < n_roofs; i++) {
    g_autofree char *flops = picture_number ("flop/s", roofs[i]->peak);
    g_autofree char *bytes = picture_number ("byte/s", roofs[i]->bandwidth);
    g_autofree char *source = picture_cell (r->table, roofs[i]->row, "peak_source");
    picture_say (out, "p", g_strdup_printf ("Roof: %s, %s; %s", flops, bytes, source));
  }
  picture_say (out, "p", g_strdup ("An area is the time of its operator."));
  if (n_roofs == MOST_ROOFS)
    picture_say (out, "p", g_strdup ("Further peaks are not drawn (table mfu)"));
  if (r->zero)
    picture_say (out, "p",
                 g_strdup_printf ("%u of them computed nothing, which no logarithmic scale has: "
                                  "they are among the numbers alone.",
                                  r->zero));
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
  g_autofree char *safe = printable_new (name, strlen (name));
  g_autofree char *label
      = g_strdup_printf ("Roofline of %s: operators by FLOP per byte and FLOP/s", safe);
  picture_say (out, "h2", g_strdup_printf ("Roofline of %s", name));
  put_picture (out, r, label, roofs, n_roofs);
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
