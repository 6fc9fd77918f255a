/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - reads table findings, which the analyzer answers makes: sentences with the names
 * that they tell of, as short as they are in sentences, by what can be gained and the time at
 * stake. */

#include "stored/findings.h"
#include "answers/sentence.h"
#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <string.h>


typedef struct {
  const NpFindingsOf *of;
  guint64 row;
} Told;

void
np_finding_free (gpointer data)
{
  NpFinding *f = data;
  g_free (f->answer);
  g_free (f->rule);
  g_free (f->threshold);
  g_free (f->table);
  g_free (f->widget);
  g_free (f->source);
  g_free (f->text);
  g_free (f->detail);
  g_free (f->gain);
  g_free (f->advice);
  g_free (f->about);
  g_free (f->input);
  g_free (f->device);
  g_free (f->track);
  g_free (f->place);
  g_clear_pointer (&f->devices, g_hash_table_unref);
  g_free (f);
}

/* Returns the text, transfer full; NULL: it is unknown. */
static char *
text_of (const Told *told, const char *column)
{
  return np_cells_text (told->of->rows, told->row, column);
}

/* -- The sentence ------------------------------------------------------------------------------ */

static gboolean
is_name (const char *column)
{
  return !strcmp (column, "name") || !strcmp (column, "other");
}

/* Returns what stands at a place of the sentence, transfer full; NULL: it is unknown. */
static char *
say_column (gpointer user, const char *column)
{
  const Told *told = user;
  g_autofree char *text = text_of (told, column);
  gint64 number;
  if (text)
    return is_name (column) ? names_cut (np_profile_short_name (told->of->profile, text))
                            : g_strdup (g_strstrip (text));
  return np_cells_i64 (told->of->rows, told->row, column, &number)
             ? g_strdup_printf ("%" G_GINT64_FORMAT, number)
             : NULL;
}

/* Rules are told in words: "memory bound". */
static char *
rule_of (const Told *told)
{
  return g_strdelimit (text_of (told, "code"), "_", ' ');
}

/* -- A finding --------------------------------------------------------------------------------- */

static void
set_window (const Told *told, NpFinding *f)
{
  gint64 start, end;
  f->t0 = told->of->t0;
  f->t1 = told->of->t1;
  if (!np_cells_i64 (told->of->rows, told->row, "start_ns", &start)
      || !np_cells_i64 (told->of->rows, told->row, "end_ns", &end))
    return;
  f->t0 = start;
  f->t1 = end;
  f->exact = TRUE;
}

static void
set_gain (Told *told, NpFinding *f)
{
  f->factor = NAN;
  if (!np_cells_double (told->of->rows, told->row, "gain", &f->factor))
    return;
  g_autofree char *certainty = text_of (told, "certainty"), *times = np_sentence_factor (f->factor),
                  *condition = text_of (told, "condition"),
                  *when = condition ? np_sentence_expand (condition, say_column, told) : NULL;
  const char *how = g_strcmp0 (certainty, "modelled") == 0      ? " by estimate"
                    : g_strcmp0 (certainty, "upper_bound") == 0 ? " at most"
                                                                : " or more";
  f->of_window = !strcmp (f->answer, "gain") || g_strcmp0 (certainty, "upper_bound") == 0;
  f->gain = g_strconcat (times, how, when ? ", " : NULL, when, NULL);
}

/* What a device waits for other ranks has no gain of its own, as it ends where theirs do, nor has
 * idle time before work whose launch is not in the file: they count as the span without them, the
 * latter from a fifth of it on. */
static void
set_order (const Told *told, NpFinding *f)
{
  double share;
  const gboolean unlinked = !strcmp (f->answer, "unlinked");
  const gboolean counts
      = unlinked || !strcmp (f->answer, "waits") || !strcmp (f->answer, "straggler");
  f->order = isnan (f->factor) ? 0 : f->factor;
  if (counts && np_cells_double (told->of->rows, told->row, "share", &share) && share < 1
      && (!unlinked || share >= 0.2))
    f->order = 1 / (1 - share);
}

static NpFinding *
read_finding (Told *told)
{
  g_autofree char *text = text_of (told, "text"), *detail = text_of (told, "detail");
  NpFinding *f = g_new (NpFinding, 1);
  *f = (NpFinding){ .answer = text_of (told, "answer"),
                    .rule = rule_of (told),
                    .threshold = text_of (told, "threshold"),
                    .table = text_of (told, "of_table"),
                    .widget = text_of (told, "shown"),
                    .source = text_of (told, "source"),
                    .text = np_sentence_expand (text, say_column, told),
                    .detail = detail ? np_sentence_expand (detail, say_column, told) : NULL,
                    .advice = text_of (told, "advice"),
                    .about = text_of (told, "about"),
                    .input = text_of (told, "input"),
                    .device = text_of (told, "device"),
                    .track = text_of (told, "track"),
                    .place = text_of (told, "name") };
  set_gain (told, f);
  set_order (told, f);
  if (!np_cells_i64 (told->of->rows, told->row, "stake_ns", &f->at_stake))
    f->at_stake = -1;
  set_window (told, f);
  return f;
}

/* Returns the first of an answer that says the same: of two codes of it each is told. */
static NpFinding *
find_same (const GPtrArray *all, const char *answer, const char *rule)
{
  for (guint i = 0; i < all->len; i++) {
    NpFinding *f = all->pdata[i];
    if (!strcmp (f->answer, answer) && !strcmp (f->rule, rule))
      return f;
  }
  return NULL;
}

/* Of a part nothing is told that the file states of the whole run. */
static gboolean
is_of_whole (const NpFindingsOf *of, const char *table)
{
  g_auto (NpCells) cells = { 0 };
  return of->of_part && np_cells_open (&cells, of->profile->store, of->query, table)
         && cells.of_file;
}

/* The analyzer always says these texts: a row lacks one where the store is damaged, which says
 * so. */
static gboolean
is_whole (const Told *told)
{
  static const char *const always[]
      = { "answer", "code", "threshold", "of_table", "shown", "source", "text" };
  for (guint i = 0; i < G_N_ELEMENTS (always); i++) {
    g_autofree char *text = text_of (told, always[i]);
    if (!text)
      return FALSE;
  }
  return TRUE;
}

/* A sentence that begins with a name is told of it once, on whichever devices: on how many is
 * unknown. */
static void
add_device (const Told *told, NpFinding *f)
{
  g_autofree char *device = text_of (told, "device"), *input = text_of (told, "input"),
                  *text = text_of (told, "text");
  f->of_name = g_str_has_prefix (text, "{name}");
  if (!device || f->of_name)
    return;
  if (!f->devices)
    f->devices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add (f->devices, np_profile_device (told->of->profile, input, device));
}

static void
add_row (Told *told, GPtrArray *all)
{
  if (!is_whole (told))
    return;
  g_autofree char *answer = text_of (told, "answer"), *table = text_of (told, "of_table"),
                  *rule = rule_of (told);
  NpFinding *first = find_same (all, answer, rule);
  if (first)
    first->more++;
  else if (!is_of_whole (told->of, table))
    g_ptr_array_add (all, first = read_finding (told));
  if (first)
    add_device (told, first);
}

guint
np_finding_devices (const NpFinding *f)
{
  return f->devices ? g_hash_table_size (f->devices) : 0;
}

static gboolean
is_said (const GPtrArray *all, const char *rule)
{
  for (guint i = 0; rule && i < all->len; i++)
    if (!strcmp (((NpFinding *) all->pdata[i])->rule, rule))
      return TRUE;
  return FALSE;
}

/* Places where rows were lost are in no table: they count where no device tells of its time. */
static void
add_lost (const NpFindingsOf *of, GPtrArray *all)
{
  if (!of->lost || is_said (all, "lost"))
    return;
  NpFinding *f = g_new (NpFinding, 1);
  *f = (NpFinding){ .answer = g_strdup (""),
                    .rule = g_strdup ("lost"),
                    .threshold = g_strdup ("any place"),
                    .table = g_strdup (""),
                    .widget = g_strdup ("problems"),
                    .source = g_strdup ("what was lost is unknown"),
                    .text = g_strdup_printf ("Rows may be missing at %" G_GUINT64_FORMAT " %s",
                                             of->lost, of->lost == 1 ? "place" : "places"),
                    .factor = NAN,
                    .at_stake = -1,
                    .t0 = of->t0,
                    .t1 = of->t1 };
  g_ptr_array_add (all, f);
}

/* What can be gained, waits for other ranks or idles long for unknown launches comes first, the
 * most before less; then what has most time at stake. */
static int
by_gain (gconstpointer a, gconstpointer b)
{
  const NpFinding *one = *(NpFinding *const *) a, *other = *(NpFinding *const *) b;
  if (one->order != other->order)
    return one->order < other->order ? 1 : -1;
  return (one->at_stake < other->at_stake) - (one->at_stake > other->at_stake);
}

/* Returns whether one part of the device's time lies within the other: "idle/input" in "idle". */
static gboolean
parts_meet (const char *a, const char *b)
{
  const gsize n = MIN (strlen (a), strlen (b));
  return !strncmp (a, b, n) && (!a[n] || a[n] == '/') && (!b[n] || b[n] == '/');
}

static gboolean
is_part_told (const GPtrArray *told, const char *part)
{
  for (guint i = 0; part && i < told->len; i++) {
    const char *other = ((const NpFinding *) told->pdata[i])->about;
    if (other && parts_meet (part, other))
      return TRUE;
  }
  return FALSE;
}

/* Returns the length of all windows that the verdict of the first screen is of; 0: unknown, as
 * that of a part. */
static gint64
window_of (const NpFindingsOf *of)
{
  g_auto (NpCells) rows = { 0 };
  gint64 place, window;
  if (!of->of_part && np_cells_open (&rows, of->profile->store, of->query, "verdict"))
    for (guint64 row = 0; row < rows.rows; row++)
      if (np_cells_i64 (&rows, row, "place", &place) && place == 1
          && np_cells_i64 (&rows, row, "window_ns", &window) && window > 0)
        return window;
  return 0;
}

/* Returns whether less than a hundredth of the window is at stake: unknown is not little. */
static gboolean
is_little (const NpFinding *f, gint64 window)
{
  return f->at_stake >= 0 && f->at_stake < window / 100;
}

/* Puts what says again of a part what stands before it behind all that do not, as the first
 * findings say different things, and what is at stake of little behind all. */
static void
put_repeats_last (GPtrArray *all, gint64 window)
{
  g_autoptr (GPtrArray) first = g_ptr_array_new ();
  g_autoptr (GPtrArray) again = g_ptr_array_new ();
  g_autoptr (GPtrArray) little = g_ptr_array_new ();
  for (guint i = 0; i < all->len; i++) {
    NpFinding *f = all->pdata[i];
    g_ptr_array_add (is_little (f, window)            ? little
                     : is_part_told (first, f->about) ? again
                                                      : first,
                     f);
  }
  g_ptr_array_extend (first, again, NULL, NULL);
  g_ptr_array_extend (first, little, NULL, NULL);
  if (all->len)
    memcpy (all->pdata, first->pdata, all->len * sizeof *all->pdata);
}

GPtrArray *
np_findings_read (const NpFindingsOf *of)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (np_finding_free);
  for (Told told = { of, 0 }; told.row < of->rows->rows; told.row++)
    add_row (&told, all);
  add_lost (of, all);
  g_ptr_array_sort (all, by_gain);
  put_repeats_last (all, window_of (of));
  return all;
}

guint64
np_lost_rows (struct nprof_store *store)
{
  const struct nprof_store_lane *l;
  guint64 n = 0;
  for (guint32 i = 0; (l = nprof_store_lane_at (store, i)); i++)
    if (l->type == NPROF_STORE_LANE_GAP)
      n += l->rows;
  return n;
}

static GPtrArray *
find_in (NpProfile *profile, gboolean of_part, GError **error)
{
  struct nprof_query *query = np_profile_query (profile);
  NpCells rows = { 0 };
  if (query)
    np_cells_open (&rows, profile->store, query, "findings");
  const NpFindingsOf of = { profile,
                            query,
                            &rows,
                            of_part,
                            profile->meta->first,
                            profile->meta->last,
                            np_lost_rows (profile->store) };
  GPtrArray *all = query ? np_findings_read (&of) : NULL;
  if (!query || *query->error) {
    np_error_set (error, NP_EXIT_INPUT, "%s: %s", profile->id,
                  query ? query->error : "no memory for a query");
    g_clear_pointer (&all, g_ptr_array_unref);
  }
  np_cells_clear (&rows); /* before its query is given back */
  if (query)
    np_profile_give_back (profile, query);
  return all;
}

GPtrArray *
np_findings_of_profile (const char *folder, const char *id, gboolean of_part, GError **error)
{
  char why[700];
  NpOpened *opened = np_opened_new (folder);
  g_autoptr (NpProfile) profile = np_opened_get (opened, id, why, sizeof why);
  int err = errno;
  GPtrArray *all = profile ? find_in (profile, of_part, error) : NULL;
  if (!profile)
    np_error_set (error, np_exit_of (err, NP_EXIT_INPUT), "%s/%s: %s", folder, id,
                  *why ? why : "it is no profile of yours");
  else if (nprof_store_damage (profile->store, why, sizeof why)) {
    g_clear_pointer (&all, g_ptr_array_unref);
    g_clear_error (error);
    np_error_set (error, NP_EXIT_INPUT, "%s", why);
  }
  np_opened_free (opened);
  return all;
}
