/* SPDX-License-Identifier: Apache-2.0 */
/* screen.c - tells table summary as a report prints it, with the verdict's parts as times of one
 * window, which add up to its mean length. */

#include "screen.h"

#include "answers/sentence.h"
#include "stored/cells.h"
#include "system/short-names.h"

#include <string.h>

typedef struct {
  NpJson *json;
  NpCells cells;
  Names *names;
  guint64 row;
} Screen;

/* Returns the text, transfer full; NULL: it is unknown. */
static char *
text_of (const Screen *s, const char *column)
{
  return np_cells_text (&s->cells, s->row, column);
}

/* -- Lines ------------------------------------------------------------------------------------- */

static char *
say_place (gpointer self, const char *column)
{
  const Screen *s = self;
  g_autofree char *text = text_of (s, column);
  if (!text)
    return NULL;
  return strcmp (column, "because") ? names_cut (names_short (s->names, text))
                                    : names_short_quoted (s->names, text, TRUE);
}

static void
put_time (const Screen *s, const char *key, const char *column)
{
  gint64 time;
  if (np_cells_i64 (&s->cells, s->row, column, &time))
    np_json_i64 (s->json, key, time);
  else
    np_json_null (s->json, key);
}

/* Puts one text; unknown is null. */
static void
put_text (const Screen *s, const char *key, const char *column)
{
  g_autofree char *text = text_of (s, column);
  np_json_text (s->json, key, text);
}

static void
put_line (Screen *s)
{
  g_autofree char *label = text_of (s, "label"), *sentence = text_of (s, "text");
  g_autofree char *text = np_sentence_expand (sentence ? sentence : "", say_place, s);
  np_json_object (s->json, NULL);
  np_json_text (s->json, "label", label ? label : "");
  put_text (s, "head", "head");
  np_json_text (s->json, "text", text);
  put_time (s, "time", "time_ns");
  put_text (s, "code", "code");
  put_text (s, "name", "name");
  put_text (s, "record", "record");
  put_text (s, "table", "of_table");
  np_json_end_object (s->json);
}

static void
gather_names (Screen *s)
{
  static const char *const columns[] = { "name", "other" };
  for (s->row = 0; s->row < s->cells.rows; s->row++) {
    g_autofree char *because = text_of (s, "because");
    if (because)
      names_add_quoted (s->names, because);
    for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
      g_autofree char *name = text_of (s, columns[i]);
      if (name)
        names_add (s->names, name);
    }
  }
}

/* -- Parts ------------------------------------------------------------------------------------- */

typedef struct {
  char *part, *place; /* where most of it is; NULL: unknown */
  gint64 time, most;  /* ps: of all windows; of that place */
} Part;

static void
part_free (gpointer data)
{
  Part *part = data;
  g_free (part->part);
  g_free (part->place);
  g_free (part);
}

/* Returns the part of that name, which is new where there is none. */
static Part *
find_part (GPtrArray *parts, const char *name)
{
  for (guint i = 0; i < parts->len; i++)
    if (!strcmp (((Part *) parts->pdata[i])->part, name))
      return parts->pdata[i];
  Part *part = g_new (Part, 1);
  *part = (Part){ .part = g_strdup (name), .most = -1 };
  g_ptr_array_add (parts, part);
  return part;
}

static void
add_part (const Screen *rows, GPtrArray *parts)
{
  gint64 time;
  g_autofree char *name = text_of (rows, "part");
  if (!name || !np_cells_i64 (&rows->cells, rows->row, "duration_ns", &time) || time <= 0)
    return;
  Part *part = find_part (parts, name);
  part->time += time;
  if (time <= part->most)
    return;
  g_free (part->place);
  part->place = text_of (rows, "place");
  part->most = time;
}

/* Is the row of this device of this input? */
static gboolean
is_of (const Screen *rows, const char *input, const char *device)
{
  g_autofree char *own_input = text_of (rows, "input"), *own_device = text_of (rows, "device");
  return !g_strcmp0 (own_input, input) && !g_strcmp0 (own_device, device);
}

/* Puts what the windows are made of, each as its share of one of them: rounded such that the times
 * add up to the rounded mean. */
static void
put_parts (Screen *verdict, NpAsk *ask, const char *input, const char *device, gint64 windows)
{
  Screen rows = { .names = verdict->names };
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (part_free);
  gint64 sum = 0;
  np_ask_cells (ask, &rows.cells, "verdict_parts");
  for (; rows.row < rows.cells.rows; rows.row++)
    if (is_of (&rows, input, device))
      add_part (&rows, parts);
  np_cells_clear (&rows.cells);
  np_json_array (verdict->json, "parts");
  for (guint i = 0; i < parts->len; i++) {
    const Part *part = parts->pdata[i];
    const gint64 before = (sum + windows / 2) / windows;
    sum += part->time;
    np_json_object (verdict->json, NULL);
    np_json_text (verdict->json, "part", part->part);
    np_json_i64 (verdict->json, "time", (sum + windows / 2) / windows - before);
    np_json_text (verdict->json, "place",
                  part->place ? names_short (verdict->names, part->place) : NULL);
    np_json_end_object (verdict->json);
  }
  np_json_end_array (verdict->json);
}

/* Puts the window of the verdict on a device: its length and its parts.  Null: it has none. */
static void
put_window (Screen *lines, NpAsk *ask, const char *input, const char *device)
{
  Screen s = { .json = lines->json, .names = lines->names };
  gint64 windows = 0, length = 0;
  np_ask_cells (ask, &s.cells, "verdict");
  while (s.row < s.cells.rows && !is_of (&s, input, device))
    s.row++;
  if (s.row < s.cells.rows && np_cells_i64 (&s.cells, s.row, "windows", &windows) && windows > 0
      && np_cells_i64 (&s.cells, s.row, "window_ns", &length) && length > 0) {
    np_json_object (s.json, "window");
    put_text (&s, "input", "input");
    put_text (&s, "device", "device");
    put_text (&s, "base", "base");
    np_json_number (s.json, "windows", (guint64) windows);
    np_json_i64 (s.json, "mean", (length + windows / 2) / windows);
    put_time (&s, "median", "median_ns");
    put_parts (&s, ask, input, device, windows);
    np_json_end_object (s.json);
  } else {
    np_json_null (s.json, "window");
  }
  np_cells_clear (&s.cells);
}

/* Moves to the first line of a label.  FALSE: there is none. */
static gboolean
seek_line (Screen *s, const char *label)
{
  for (s->row = 0; s->row < s->cells.rows; s->row++) {
    g_autofree char *own = text_of (s, "label");
    if (!g_strcmp0 (own, label))
      return TRUE;
  }
  return FALSE;
}

void
np_json_screen (NpAsk *ask)
{
  g_autoptr (Names) names = names_new ();
  Screen s = { .json = &ask->json, .names = names };
  np_ask_cells (ask, &s.cells, "summary");
  gather_names (&s);
  np_json_object (s.json, "screen");
  np_json_array (s.json, "lines");
  for (s.row = 0; s.row < s.cells.rows; s.row++)
    put_line (&s);
  np_json_end_array (s.json);
  /* A step has parts where the first screen tells what it is made of. */
  if (seek_line (&s, "step")) {
    g_autofree char *input = text_of (&s, "input"), *device = text_of (&s, "device");
    put_window (&s, ask, input, device);
  } else {
    np_json_null (s.json, "window");
  }
  np_json_end_object (s.json);
  np_cells_clear (&s.cells);
}
