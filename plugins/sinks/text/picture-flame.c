/* SPDX-License-Identifier: Apache-2.0 */
/* picture-flame.c - sums stacks to a tree while they come, and draws it from the outermost frame
 * down: a frame is as wide as its weight with that of all below it. */

#include "picture.h"
#include "printable.h"

#include <nprof/sdk.h>
#include <nprof/units.h>
#include <string.h>

#define MOST_DEPTH 64  /* frames; what lies deeper counts to those around it */
#define LEAST_WIDTH 3. /* of 1000, so that a page stays small                */
#define ROW 17.0
#define LETTER 6.6 /* the width of a column of text */

typedef struct Frame Frame;

struct Frame {
  char *name;
  guint64 weight;     /* with that of all below it  */
  GHashTable *frames; /* by name; NULL: none is below it */
};

struct PictureFlame {
  Frame *all;
  gboolean deeper; /* some stacks are */
};

typedef struct {
  GString *shapes, *numbers;
  const Frame *all;
  guint depth, hidden; /* the deepest row that is drawn; frames too narrow */
} Drawing;

static Frame *
frame_new (const char *name)
{
  Frame *frame = g_new0 (Frame, 1);
  frame->name = g_strdup (name);
  return frame;
}

static void
frame_free (gpointer data)
{
  Frame *frame = data;
  g_clear_pointer (&frame->frames, g_hash_table_unref);
  g_free (frame->name);
  g_free (frame);
}

PictureFlame *
picture_flame_new (void)
{
  PictureFlame *flame = g_new0 (PictureFlame, 1);
  flame->all = frame_new ("all");
  return flame;
}

void
picture_flame_free (PictureFlame *flame)
{
  frame_free (flame->all);
  g_free (flame);
}

/* Returns the frame of that name below; the name is its key. */
static Frame *
below (Frame *frame, const char *name)
{
  if (!frame->frames)
    frame->frames = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, frame_free);
  Frame *found = g_hash_table_lookup (frame->frames, name);
  if (found)
    return found;
  found = frame_new (name);
  g_hash_table_insert (frame->frames, found->name, found);
  return found;
}

static void
add_stack (PictureFlame *flame, const char *input, const char *stack, guint64 weight)
{
  g_auto (GStrv) names = g_strsplit (stack, ";", -1);
  Frame *frame = flame->all;
  frame->weight += weight;
  if (input) {
    frame = below (frame, input);
    frame->weight += weight;
  }
  for (guint i = 0; names[i]; i++) {
    flame->deeper = flame->deeper || i == MOST_DEPTH;
    if (i == MOST_DEPTH)
      return;
    frame = below (frame, names[i]);
    frame->weight += weight;
  }
}

void
picture_flame_add (PictureFlame *flame, const Table *stacks, const struct nprof_cell *cells,
                   guint n_rows)
{
  int input = table_column (stacks, "input"), stack = table_column (stacks, "stack");
  int weight = table_column (stacks, "weight");
  gboolean several = input >= 0 && stacks->host->run (stacks->host)->n_inputs > 1;
  for (guint r = 0; stack >= 0 && weight >= 0 && r < n_rows; r++) {
    const struct nprof_cell *row = cells + (gsize) r * stacks->n_columns;
    if (row[weight].type != NPROF_INT64 || row[weight].v.i <= 0 || row[stack].type == NPROF_NULL)
      continue;
    gsize len;
    const char *text = cell_text (stacks->host, &row[stack], &len);
    g_autofree char *names = g_strndup (text, len);
    add_stack (flame, several ? nprof_text (stacks->host, row[input].v.s) : NULL, names,
               (guint64) row[weight].v.i);
  }
}

static int
heaviest_first (gconstpointer a, gconstpointer b)
{
  const Frame *x = *(Frame *const *) a, *y = *(Frame *const *) b;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return strcmp (x->name, y->name);
}

/* Transfer container. */
static GPtrArray *
sorted (const Frame *frame)
{
  GPtrArray *frames = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;
  if (!frame->frames)
    return frames;
  g_hash_table_iter_init (&iter, frame->frames);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_ptr_array_add (frames, value);
  g_ptr_array_sort (frames, heaviest_first);
  return frames;
}

/* A name has one shade. */
static const char *
look_of (const char *name)
{
  static const char *const looks[] = { "shade-0", "shade-1", "shade-2", "shade-3", "shade-4" };
  return looks[g_str_hash (name) % G_N_ELEMENTS (looks)];
}

static void
put_shape (const Drawing *d, const Frame *frame, double x, double width, guint depth,
           const char *share)
{
  guint columns = (guint) (MAX (width - 6, 0) / LETTER);
  g_string_append_printf (d->shapes,
                          "<g><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%.0f\" "
                          "class=\"%s\"><title>",
                          x, ROW * depth, width, ROW - 1, look_of (frame->name));
  picture_text (d->shapes, frame->name);
  g_string_append_printf (d->shapes, ": %s</title></rect>", share);
  if (columns >= 4) {
    g_autofree char *text = printable_short (frame->name, columns);
    g_string_append_printf (d->shapes, "<text x=\"%.2f\" y=\"%.0f\">", x + 3, ROW * depth + 12);
    picture_text (d->shapes, text);
    g_string_append (d->shapes, "</text>");
  }
  g_string_append (d->shapes, "</g>\n");
}

static void
put_numbers (const Drawing *d, const Frame *frame, guint depth, const char *share)
{
  g_autofree char *level = g_strdup_printf ("%u", depth);
  g_autofree char *weight = g_strdup_printf ("%" G_GUINT64_FORMAT, frame->weight);
  const char *const cells[] = { frame->name, level, share, weight };
  picture_numbers_row (d->numbers, look_of (frame->name), cells, G_N_ELEMENTS (cells));
}

/* Calls itself at most MOST_DEPTH deep. */
static void
put_frame (Drawing *d, const Frame *frame, double x, guint depth)
{
  double width = 1000. * (double) frame->weight / (double) d->all->weight;
  if (width < LEAST_WIDTH) {
    d->hidden++;
    return;
  }
  g_autofree char *share = picture_number ("1", width / 1000);
  put_shape (d, frame, x, width, depth, share);
  put_numbers (d, frame, depth, share);
  d->depth = MAX (d->depth, depth);
  g_autoptr (GPtrArray) frames = sorted (frame);
  for (guint i = 0; i < frames->len; i++) {
    const Frame *one = g_ptr_array_index (frames, i);
    put_frame (d, one, x, depth + 1);
    x += 1000. * (double) one->weight / (double) d->all->weight;
  }
}

static void
put_notes (GString *out, const PictureFlame *flame, const Drawing *d)
{
  picture_say (out, "p",
               g_strdup (
                   "A frame is as wide as its weight with all below it: time of threads, or what "
                   "-a flame:weight= asks for."));
  if (d->hidden || flame->deeper)
    picture_say (
        out, "p",
        g_strdup_printf ("Not drawn: %u frames with what is below them, of less than %s each%s "
                         "(table stacks)",
                         d->hidden, nprof_share (LEAST_WIDTH / 1000).text,
                         flame->deeper ? ", and what is deeper than 64 frames" : ""));
}

void
picture_flame (GString *out, const PictureFlame *flame)
{
  if (!flame->all->weight) {
    picture_say (out, "p", g_strdup ("Flame graph: unknown: no stack has a weight above 0"));
    return;
  }
  Drawing d = { g_string_new (NULL), g_string_new (NULL), flame->all, 0, 0 };
  put_frame (&d, flame->all, 0, 0);
  picture_say (out, "h2", g_strdup ("Flame graph"));
  picture_begin (out, ROW * (d.depth + 1), "Flame graph: frames below what called them, by weight");
  g_string_append_printf (out, "<g class=\"flame\">\n%s</g>\n", d.shapes->str);
  picture_end (out);
  put_notes (out, flame, &d);
  picture_numbers_begin (out, "frame+depth+share+weight");
  g_string_append (out, d.numbers->str);
  picture_numbers_end (out);
  g_string_free (d.shapes, TRUE);
  g_string_free (d.numbers, TRUE);
}
