/* SPDX-License-Identifier: Apache-2.0 */
/* picture-memory.c - draws who holds the peak of each allocator, and what compilers assigned to
 * programs, as bars to scale among each other: no table says what was in use at other times. */

#include "picture.h"

#include <math.h>
#include <string.h>

#define MOST_BARS 12
#define MOST_HOLDERS 6 /* of a bar; the rest is one */

/* These are the uses of memory, as table program_memory calls them. */
static const char *const uses[]
    = { "temporary", "parameter", "output", "both", "constant", "thread_local" };

typedef struct {
  char *name;
  double bytes, heap; /* heap: NAN: unknown */
  guint look;         /* for picture_look */
} Held;

typedef struct {
  char *name;
  double bytes, capacity; /* capacity 0: unknown */
  GArray *parts;          /* of Held            */
} Bar;

static void
clear_part (gpointer part)
{
  g_free (((Held *) part)->name);
}

static void
clear_bar (gpointer data)
{
  Bar *bar = data;
  g_free (bar->name);
  g_array_unref (bar->parts);
}

static GArray *
bars_new (void)
{
  GArray *bars = g_array_new (FALSE, FALSE, sizeof (Bar));
  g_array_set_clear_func (bars, clear_bar);
  return bars;
}

/* Takes the name. */
static Bar *
add_bar (GArray *bars, char *name, double bytes, double capacity)
{
  Bar bar = { name, bytes, capacity, g_array_new (FALSE, FALSE, sizeof (Held)) };
  g_array_set_clear_func (bar.parts, clear_part);
  g_array_append_val (bars, bar);
  return &g_array_index (bars, Bar, bars->len - 1);
}

/* Takes the name. */
static void
add_part (const Bar *bar, char *name, double bytes, double heap)
{
  Held part = { name, bytes, heap, bar->parts->len };
  g_array_append_val (bar->parts, part);
}

static Bar *
find_bar (const GArray *bars, const char *name)
{
  for (guint i = 0; i < bars->len; i++)
    if (strcmp (g_array_index (bars, Bar, i).name, name) == 0)
      return &g_array_index (bars, Bar, i);
  return NULL;
}

static int
by_bytes (gconstpointer a, gconstpointer b)
{
  const Bar *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return strcmp (x->name, y->name);
}

static char *
holder_name (const Table *table, const Row *row)
{
  static const char *const columns[] = { "operator", "module", "source", "region" };
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
    char *name = picture_cell (table, row, columns[i]);
    if (*name)
      return name;
    g_free (name);
  }
  return g_strdup ("(unknown)");
}

static char *
allocator_of (const Table *table, const Row *row)
{
  g_autofree char *allocator = picture_cell (table, row, "allocator");
  return picture_name (table, row, allocator);
}

/* Adds to what a holder of that name has; takes the name. */
static void
add_held (const Bar *bar, char *name, double bytes)
{
  for (guint i = 0; i < bar->parts->len; i++) {
    Held *held = &g_array_index (bar->parts, Held, i);
    if (strcmp (held->name, name))
      continue;
    held->bytes += bytes;
    g_free (name);
    return;
  }
  add_part (bar, name, bytes, NAN);
}

static int
by_held (gconstpointer a, gconstpointer b)
{
  const Held *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return strcmp (x->name, y->name);
}

/* Adds the holders of peaks: what an operator holds in several shapes is one part. */
static void
add_holders (const GArray *bars, const Table *holders)
{
  for (guint i = 0; holders && i < holders->rows->len; i++) {
    const Row *row = g_ptr_array_index (holders->rows, i);
    g_autofree char *allocator = allocator_of (holders, row);
    const Bar *bar = find_bar (bars, allocator);
    double bytes = picture_value (holders, row, "bytes");
    if (bar && (bytes > 0 || bytes < 0))
      add_held (bar, holder_name (holders, row), bytes);
  }
  for (guint i = 0; i < bars->len; i++) {
    GArray *parts = g_array_index (bars, Bar, i).parts;
    g_array_sort (parts, by_held);
    g_array_set_size (parts, MIN (parts->len, MOST_HOLDERS));
    for (guint k = 0; k < parts->len; k++)
      g_array_index (parts, Held, k).look = k;
  }
}

/* The rest of a bar is a part of it, so that its parts add up. */
static void
add_rest (const Bar *bar)
{
  double rest = bar->bytes;
  for (guint i = 0; i < bar->parts->len; i++)
    rest -= g_array_index (bar->parts, Held, i).bytes;
  if (rest > 0 || rest < 0)
    add_part (bar, g_strdup (bar->parts->len ? "(all others)" : "(unknown)"), rest, NAN);
}

static GArray *
bars_of_allocators (const Table *memory, const Table *holders)
{
  GArray *bars = bars_new ();
  for (guint i = 0; memory && i < memory->rows->len; i++) {
    const Row *row = g_ptr_array_index (memory->rows, i);
    double peak = picture_value (memory, row, "peak_bytes");
    double capacity = picture_value (memory, row, "capacity_bytes");
    if (peak > 0)
      add_bar (bars, allocator_of (memory, row), peak, capacity > 0 ? capacity : 0);
  }
  add_holders (bars, holders);
  for (guint i = 0; i < bars->len; i++)
    add_rest (&g_array_index (bars, Bar, i));
  return bars;
}

static char *
program_of (const Table *table, const Row *row)
{
  g_autofree char *program = picture_cell (table, row, "program");
  double color = picture_value (table, row, "color");
  g_autofree char *space = g_strdup_printf ("%s, memory space %.0f", program, color);
  return picture_name (table, row, space);
}

/* A use has one colour in all programs. */
static void
look_of_use (Held *held)
{
  for (guint i = 0; i < G_N_ELEMENTS (uses); i++)
    if (strcmp (uses[i], held->name) == 0)
      held->look = i;
}

/* Memory spaces are not one memory: each has a bar. */
static GArray *
bars_of_programs (const Table *programs)
{
  GArray *bars = bars_new ();
  for (guint i = 0; programs && i < programs->rows->len; i++) {
    const Row *row = g_ptr_array_index (programs->rows, i);
    double bytes = picture_value (programs, row, "bytes");
    char *name = program_of (programs, row);
    Bar *bar = find_bar (bars, name);
    if (!(bytes > 0)) {
      g_free (name);
      continue;
    }
    if (!bar)
      bar = add_bar (bars, name, 0, 0);
    else
      g_free (name);
    bar->bytes += bytes;
    add_part (bar, picture_cell (programs, row, "use"), bytes,
              picture_value (programs, row, "heap_peak_bytes"));
    look_of_use (&g_array_index (bar->parts, Held, bar->parts->len - 1));
  }
  return bars;
}

/* Returns "GPU 0, 20.0 GiB, 64 % of 31.2 GiB"; transfer full. */
static char *
label_of (const Bar *bar)
{
  g_autofree char *bytes = picture_number ("byte", bar->bytes);
  g_autofree char *capacity = bar->capacity > 0 ? picture_number ("byte", bar->capacity) : NULL;
  if (!capacity)
    return g_strdup_printf ("%s: %s", bar->name, bytes);
  g_autofree char *share = picture_number ("1", bar->bytes / bar->capacity);
  return g_strdup_printf ("%s: %s, %s of %s", bar->name, bytes, share, capacity);
}

/* Returns the length of all parts. A part that was freed without a row is below 0, and then the
 * others are longer than the peak together. */
static double
length_of (const Bar *bar)
{
  double length = 0;
  for (guint i = 0; i < bar->parts->len; i++)
    length += MAX (0, g_array_index (bar->parts, Held, i).bytes);
  return length;
}

static double
longest_of (const GArray *bars)
{
  double longest = 0;
  for (guint i = 0; i < bars->len; i++)
    longest = MAX (longest, length_of (&g_array_index (bars, Bar, i)));
  return longest;
}

static void
put_bar (GString *out, const Bar *bar, double longest)
{
  double at = 0;
  g_autofree char *label = label_of (bar);
  g_string_append (out, "<tr><th scope=\"row\">");
  picture_text (out, label);
  g_string_append (out, "</th><td class=\"bar\">");
  picture_bar_begin (out, label);
  for (guint i = 0; i < bar->parts->len; i++) {
    const Held *part = &g_array_index (bar->parts, Held, i);
    g_autofree char *bytes = picture_number ("byte", part->bytes);
    double width = 1000 * MAX (0, part->bytes) / longest;
    picture_bar_part (out, at, width, picture_look (part->look), part->name, bytes);
    at += width;
  }
  picture_bar_end (out);
  g_string_append (out, "</td></tr>\n");
}

/* The units of columns of bytes. */
static void
put_numbers (GString *out, const Bar *bar, gboolean heap)
{
  for (guint i = 0; i < bar->parts->len; i++) {
    const Held *part = &g_array_index (bar->parts, Held, i);
    g_autofree char *bytes = picture_number ("byte", part->bytes);
    g_autofree char *peak
        = part->heap >= 0 ? picture_number ("byte", part->heap) : g_strdup ("unknown");
    const char *const cells[] = { part->name, bar->name, bytes, peak };
    picture_numbers_row (out, picture_look (part->look), cells, heap ? 4 : 3);
  }
}

static void
put_legend (GString *out)
{
  g_string_append (out, "<p class=\"legend\">");
  for (guint i = 0; i < G_N_ELEMENTS (uses); i++) {
    g_string_append (out, "<span>");
    picture_swatch (out, picture_look (i));
    g_string_append_printf (out, "%s</span> ", uses[i]);
  }
  g_string_append (out, "</p>\n");
}

/* Names the colours of a bar, whose parts are its own. */
static void
put_holders (GString *out, const Bar *bar, gboolean named)
{
  if (!bar->parts->len)
    return;
  g_string_append (out, "<p class=\"legend\">");
  if (named) {
    picture_text (out, bar->name);
    g_string_append (out, ": ");
  }
  for (guint i = 0; i < bar->parts->len; i++) {
    const Held *part = &g_array_index (bar->parts, Held, i);
    g_string_append (out, "<span>");
    picture_swatch (out, picture_look (part->look));
    picture_text (out, part->name);
    g_string_append (out, "</span> ");
  }
  g_string_append (out, "</p>\n");
}

static void
draw (GString *out, GArray *bars, const char *title, const char *heads, gboolean heap)
{
  g_array_sort (bars, by_bytes);
  guint shown = MIN (bars->len, MOST_BARS);
  double longest = longest_of (bars);
  picture_say (out, "h2", g_strdup (title));
  g_string_append (out, "<div tabindex=\"0\"><table class=\"answers steps long\"><tbody>\n");
  for (guint i = 0; i < shown; i++)
    put_bar (out, &g_array_index (bars, Bar, i), longest);
  g_string_append (out, "</tbody></table></div>\n");
  if (heap)
    put_legend (out);
  for (guint i = 0; !heap && i < shown; i++)
    put_holders (out, &g_array_index (bars, Bar, i), bars->len > 1);
  if (bars->len > shown)
    picture_say (out, "p",
                 g_strdup_printf ("Not drawn: %u smaller ones (table %s)", bars->len - shown,
                                  heap ? "program_memory" : "memory"));
  picture_numbers_begin (out, heads);
  for (guint i = 0; i < shown; i++)
    put_numbers (out, &g_array_index (bars, Bar, i), heap);
  picture_numbers_end (out);
}

/* Transfer full. */
static char *
reason (const Reasons *reasons, const Table *memory)
{
  const char *empty = memory->n_rows ? NULL : reasons_find (reasons, memory->name);
  return g_strconcat ("Picture of memory: ",
                      empty ? empty : "unknown: the file states no totals (table memory)", NULL);
}

void
picture_memory (GString *out, const Reasons *reasons, const Table *memory, const Table *holders,
                const Table *programs)
{
  g_autoptr (GArray) allocators = bars_of_allocators (memory, holders);
  g_autoptr (GArray) assigned = bars_of_programs (programs);
  if (allocators->len)
    draw (out, allocators, "Memory at its peak, by holder", "holder+allocator+bytes", FALSE);
  else if (memory)
    picture_say (out, "p", reason (reasons, memory));
  if (assigned->len)
    draw (out, assigned, "Memory that the compiler assigned to programs, by use",
          "use+program+bytes+peak of the heap", TRUE);
}
