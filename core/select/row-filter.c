/* SPDX-License-Identifier: Apache-2.0 */
/* row-filter.c - decides row by row what a run looks at; where.c has the conditions on single
 * values, glob.c the globs. */

#include "select/row-filter.h"

#include "base/error.h"
#include "base/glob.h"
#include "rows/row-copy.h"
#include "select/condition.h"
#include "select/where.h"

#include <nprof/keys.h>
#include <string.h>

#define PS_PER_SECOND 1e12

typedef enum { OUT, IN, CROSSES } Verdict; /* CROSSES: in, and to be marked */

/* A row must meet all of this; its time is looked at elsewhere. */
typedef struct {
  gboolean has_step;
  gint64 step_first, step_last;
  GPtrArray *input_globs, *track_globs;         /* of char *; NULL: all */
  GPtrArray *name_globs;                        /* of char *; NULL: all */
  GPtrArray *where;                             /* of NpWhere */
  GByteArray *by_track, *by_name, *step_by_set; /* answers */
} Alternative;

struct NpRowFilter {
  NpStrings *strings;
  NpTracks *tracks;
  NpAttrSets *sets;
  NpPool *pool;
  gint64 from, to;
  gboolean has_time;
  nprof_str step_key, edge_key;
  GArray *alternatives; /* of Alternative: one of them must hold */
  guint64 left_out;
  gint64 first, last; /* times of what was left out */
  char *meant;        /* of a key of --where that is none; NULL: all are */
  gboolean failed;
};

/* -- Making one --------------------------------------------------------------- */

static GPtrArray *
copy_globs (const GPtrArray *globs)
{
  if (!globs || globs->len == 0)
    return NULL;
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < globs->len; i++)
    g_ptr_array_add (copy, g_strdup (globs->pdata[i]));
  return copy;
}

/* Widens patterns without a `*`, which may stand anywhere in the text. */
static GPtrArray *
widen_globs (const GPtrArray *globs)
{
  GPtrArray *wide = copy_globs (globs);
  for (guint i = 0; wide && i < wide->len; i++) {
    g_autofree char *glob = wide->pdata[i];
    wide->pdata[i] = strchr (glob, '*') ? g_steal_pointer (&glob) : g_strdup_printf ("*%s*", glob);
  }
  return wide;
}

static GPtrArray *
make_where (NpRowFilter *self, const GPtrArray *texts)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) np_where_free);
  for (guint i = 0; texts && i < texts->len; i++) {
    NpWhere *where = np_where_new (texts->pdata[i], self->strings, self->tracks, self->sets);
    if (where)
      g_ptr_array_add (list, where);
    if (!self->meant)
      self->meant = np_conditions_meant (texts->pdata[i]);
  }
  return list;
}

static void
add_alternative (NpRowFilter *self, const NpSelection *s)
{
  Alternative one = { .has_step = s->has_step,
                      .step_first = s->step_first,
                      .step_last = s->step_last,
                      .input_globs = copy_globs (s->tracks),
                      .track_globs = widen_globs (s->tracks),
                      .name_globs = widen_globs (s->names),
                      .where = make_where (self, s->where),
                      .by_track = g_byte_array_new (),
                      .by_name = g_byte_array_new (),
                      .step_by_set = g_byte_array_new () };
  g_array_append_val (self->alternatives, one);
}

static void
alternative_clear (gpointer data)
{
  Alternative *one = data;
  g_clear_pointer (&one->input_globs, g_ptr_array_unref);
  g_clear_pointer (&one->track_globs, g_ptr_array_unref);
  g_clear_pointer (&one->name_globs, g_ptr_array_unref);
  g_ptr_array_unref (one->where);
  g_byte_array_unref (one->by_track);
  g_byte_array_unref (one->by_name);
  g_byte_array_unref (one->step_by_set);
}

NpRowFilter *
np_row_filter_new (const NpSelection *s, NpStrings *strings, NpTracks *tracks, NpAttrSets *sets,
                   NpPool *pool)
{
  NpRowFilter *self = g_new0 (NpRowFilter, 1);
  const NpSelection *one;
  self->strings = strings;
  self->tracks = tracks;
  self->sets = sets;
  self->pool = pool;
  self->first = G_MAXINT64;
  self->last = G_MININT64;
  self->has_time = s->has_from || s->has_to;
  self->from = s->has_from ? s->from : G_MININT64;
  self->to = s->has_to ? s->to : G_MAXINT64;
  self->step_key = np_strings_intern (strings, NPROF_KEY_STEP, strlen (NPROF_KEY_STEP));
  self->edge_key
      = np_strings_intern (strings, NPROF_KEY_CROSSES_EDGE, strlen (NPROF_KEY_CROSSES_EDGE));
  self->alternatives = g_array_new (FALSE, FALSE, sizeof (Alternative));
  g_array_set_clear_func (self->alternatives, alternative_clear);
  for (guint i = 0; (one = np_selection_alternative (s, i)); i++)
    add_alternative (self, one);
  return self;
}

void
np_row_filter_free (NpRowFilter *self)
{
  if (!self)
    return;
  g_array_unref (self->alternatives);
  g_free (self->meant);
  g_free (self);
}

/* -- Single rows ----------------------------------------------------------- */

/* Returns the greatest time there is for a span without an end. */
static gint64
end_of_row (const struct nprof_batch *rows, guint i)
{
  gint64 duration = rows->duration[i], end = rows->start[i];
  if (rows->kind[i] == NPROF_SPAN || rows->kind[i] == NPROF_GAP)
    if (duration < 0 || __builtin_add_overflow (rows->start[i], duration, &end))
      end = G_MAXINT64;
  return end;
}

static Verdict
by_time (const NpRowFilter *self, const struct nprof_batch *rows, guint i)
{
  gint64 start = rows->start[i], end = end_of_row (rows, i);
  if (start > self->to || end < self->from)
    return OUT;
  return start < self->from || end > self->to ? CROSSES : IN;
}

static gboolean
any_glob (const GPtrArray *globs, NpStrings *strings, nprof_str str)
{
  gsize len;
  const char *text = np_strings_get (strings, str, &len);
  for (guint k = 0; k < globs->len; k++)
    if (np_glob_match (globs->pdata[k], text, len))
      return TRUE;
  return FALSE;
}

static gboolean
name_matches (NpRowFilter *self, Alternative *one, nprof_str name)
{
  guint8 *answer = np_memo_at (one->by_name, name);
  if (!*answer)
    *answer = any_glob (one->name_globs, self->strings, name) ? NP_MEMO_YES : NP_MEMO_NO;
  return *answer == NP_MEMO_YES;
}

/* Matches the track's own label or that of any track above.  All tracks on the way get the
 * answer. */
static gboolean
track_matches (NpRowFilter *self, Alternative *one, nprof_track track)
{
  guint8 answer = *np_memo_at (one->by_track, track);
  if (answer)
    return answer == NP_MEMO_YES;
  const struct nprof_track_info *info;
  nprof_track t = track;
  for (; !answer && (info = np_tracks_get (self->tracks, t)); t = info->parent) {
    answer = *np_memo_at (one->by_track, t);
    const GPtrArray *globs = info->parent ? one->track_globs : one->input_globs;
    if (!answer && any_glob (globs, self->strings, np_track_text (self->tracks, t)))
      answer = NP_MEMO_YES;
  }
  answer = answer ? answer : NP_MEMO_NO;
  for (nprof_track below = track; below != t; below = np_tracks_get (self->tracks, below)->parent)
    *np_memo_at (one->by_track, below) = answer;
  *np_memo_at (one->by_track, track) = answer; /* an unknown track has no way */
  return answer == NP_MEMO_YES;
}

/* Devices and processes, by which people choose; of a file with one level, its tracks. */
#define MOST_LABELS 12

static char *
labels_of_tracks (const NpRowFilter *self)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new_with_free_func (g_free);
  guint more = 0;
  for (nprof_track t = 1; t <= np_tracks_count (self->tracks); t++) {
    const struct nprof_track_info *info = np_tracks_get (self->tracks, t);
    if (!info->parent || np_tracks_get (self->tracks, info->parent)->parent)
      continue;
    const char *text = np_strings_get (self->strings, np_track_text (self->tracks, t), NULL);
    if (g_ptr_array_find_with_equal_func (labels, text, g_str_equal, NULL))
      continue;
    if (labels->len < MOST_LABELS)
      g_ptr_array_add (labels, g_strdup (text));
    else
      more++;
  }
  if (more)
    g_ptr_array_add (labels, g_strdup_printf ("%u more", more));
  g_ptr_array_add (labels, NULL);
  return g_strjoinv (", ", (char **) labels->pdata);
}

gboolean
np_row_filter_has_tracks (NpRowFilter *self, GError **error)
{
  const char *asked = NULL;
  for (guint i = 0; i < self->alternatives->len; i++) {
    Alternative *one = &g_array_index (self->alternatives, Alternative, i);
    if (!one->track_globs)
      return TRUE;
    asked = one->input_globs->pdata[0];
    for (nprof_track t = 1; t <= np_tracks_count (self->tracks); t++)
      if (track_matches (self, one, t))
        return TRUE;
  }
  g_autofree char *labels = labels_of_tracks (self);
  return np_error_set (
      error, NP_EXIT_USAGE,
      "--track %s: no track has such a label; there are: %s (nprof info shows all)", asked,
      *labels ? labels : "none");
}

static gboolean
step_selected (const Alternative *one, guint8 type, const nprof_value *v)
{
  switch (type) {
  case NPROF_INT64:
    return v->i >= one->step_first && v->i <= one->step_last;
  case NPROF_UINT64:
    return v->u <= G_MAXINT64 ? v->i >= one->step_first && v->i <= one->step_last
                              : one->step_last == G_MAXINT64;
  case NPROF_DOUBLE:
    return v->f >= (double) one->step_first && v->f <= (double) one->step_last;
  default:
    return FALSE;
  }
}

static gboolean
step_matches (NpRowFilter *self, Alternative *one, const struct nprof_batch *rows, guint i)
{
  gint64 j = np_row_attr (rows, i, self->step_key);
  if (j >= 0)
    return step_selected (one, rows->attr_type[j], &rows->attr_value[j]);
  if (!rows->shared)
    return FALSE;
  guint8 *answer = np_memo_at (one->step_by_set, rows->shared[i]);
  if (!*answer) {
    const struct nprof_attrs *attrs = np_attrsets_get (self->sets, rows->shared[i]);
    j = np_set_attr (attrs, self->step_key);
    gboolean yes = j >= 0 && step_selected (one, attrs->type[j], &attrs->value[j]);
    *answer = yes ? NP_MEMO_YES : NP_MEMO_NO;
  }
  return *answer == NP_MEMO_YES;
}

static gboolean
all_where (Alternative *one, const struct nprof_batch *rows, guint i)
{
  for (guint k = 0; k < one->where->len; k++)
    if (!np_where_matches (one->where->pdata[k], rows, i))
      return FALSE;
  return TRUE;
}

static gboolean
holds (NpRowFilter *self, Alternative *one, const struct nprof_batch *rows, guint i)
{
  return (!one->name_globs || name_matches (self, one, rows->name[i]))
         && (!one->track_globs || track_matches (self, one, rows->track[i]))
         && (!one->has_step || step_matches (self, one, rows, i)) && all_where (one, rows, i);
}

static gboolean
any_holds (NpRowFilter *self, const struct nprof_batch *rows, guint i)
{
  for (guint k = 0; k < self->alternatives->len; k++)
    if (holds (self, &g_array_index (self->alternatives, Alternative, k), rows, i))
      return TRUE;
  return FALSE;
}

/* Returns whether the row says that rows of any time may be missing: one of a whole input without
 * an end, wherever it begins, as few writers sort all rows by time. */
static gboolean
is_of_any_time (const NpRowFilter *self, const struct nprof_batch *rows, guint i)
{
  if (rows->kind[i] != NPROF_GAP || rows->duration[i] >= 0)
    return FALSE;
  const struct nprof_track_info *info = np_tracks_get (self->tracks, rows->track[i]);
  return info && !info->parent;
}

static Verdict
verdict_of_row (NpRowFilter *self, const struct nprof_batch *rows, guint i)
{
  if (rows->kind[i] == NPROF_FACT || is_of_any_time (self, rows, i))
    return IN;
  Verdict verdict = self->has_time ? by_time (self, rows, i) : IN;
  if (verdict == OUT || rows->kind[i] == NPROF_GAP)
    return verdict;
  return any_holds (self, rows, i) ? verdict : OUT;
}

/* -- Batches --------------------------------------------------------------- */

static nprof_status
mark (NpRowFilter *self, NpBatch *batch)
{
  struct nprof_writer *w = &batch->writer;
  if (w->n_attrs == w->max_attrs) {
    nprof_status status = np_batch_grow (batch, 1, 0);
    if (status)
      return status;
  }
  w->attr_key[w->n_attrs] = self->edge_key;
  w->attr_type[w->n_attrs] = NPROF_BOOL;
  w->attr_value[w->n_attrs] = (nprof_value){ .u = 1 };
  w->attr_at[w->n_rows] = ++w->n_attrs;
  return NPROF_OK;
}

static void
hide (NpBatch *batch, guint from)
{
  struct nprof_writer *w = &batch->writer;
  for (guint i = from; i < w->n_rows; i++)
    w->kind[i] |= NP_KIND_HIDDEN;
}

/* `hides` says that rows that are left out are copied as well, and hidden. */
static nprof_status
copy_rows (NpRowFilter *self, NpBatch *to, const struct nprof_batch *rows, const guint8 *verdicts,
           gboolean hides)
{
  for (guint i = 0, end; i < rows->n_rows; i = end) {
    for (end = i + 1; end < rows->n_rows && verdicts[i] != CROSSES && verdicts[end] == verdicts[i];)
      end++;
    if (verdicts[i] == OUT && !hides)
      continue;
    guint at = to->writer.n_rows;
    nprof_status status = np_rows_append (to, rows, i, end - i);
    if (status == NPROF_OK && verdicts[i] == CROSSES)
      status = mark (self, to);
    if (status)
      return status;
    if (verdicts[i] == OUT)
      hide (to, at);
  }
  return NPROF_OK;
}

/* Returns NULL when there is no memory. */
static NpBatch *
copy_batch (NpRowFilter *self, const struct nprof_batch *rows, const guint8 *verdicts,
            gboolean hides)
{
  NpBatch *copy = np_pool_take (self->pool);
  if (!copy || copy_rows (self, copy, rows, verdicts, hides)) {
    self->failed = TRUE;
    g_clear_pointer (&copy, np_batch_unref);
    return NULL;
  }
  np_batch_seal (copy, rows->input);
  np_batch_show_hidden (copy);
  return copy;
}

NpBatch *
np_row_filter_apply (NpRowFilter *self, NpBatch *batch, NpBatch **context)
{
  struct nprof_batch rows = np_rows_of (batch);
  guint8 verdicts[NP_BATCH_ROWS];
  guint count[CROSSES + 1] = { 0 };
  for (guint i = 0; i < rows.n_rows; i++) {
    count[verdicts[i] = (guint8) verdict_of_row (self, &rows, i)]++;
    if (verdicts[i] == OUT) {
      self->first = MIN (self->first, rows.start[i]);
      self->last = MAX (self->last, end_of_row (&rows, i));
    }
  }
  self->left_out += count[OUT];
  if (count[IN] == rows.n_rows) {
    if (context)
      *context = np_batch_ref (batch);
    return batch;
  }

  NpBatch *selected = NULL;
  if (context)
    *context = copy_batch (self, &rows, verdicts, TRUE);
  if (count[OUT] < rows.n_rows)
    selected = copy_batch (self, &rows, verdicts, FALSE);
  np_batch_unref (batch);
  return selected;
}

guint64
np_row_filter_left_out (const NpRowFilter *self)
{
  return self->left_out;
}

char *
np_row_filter_says_none (const NpRowFilter *self)
{
  g_autofree char *last = self->last == G_MAXINT64
                              ? g_strdup ("the end")
                              : g_strdup_printf ("%.6f s", (double) self->last / PS_PER_SECOND);
  return g_strdup_printf ("no row is selected: all %" G_GUINT64_FORMAT " are left out, which are "
                          "of %.6f s to %s%s%s (nprof info shows times, tracks and counts)",
                          self->left_out, (double) self->first / PS_PER_SECOND, last,
                          self->meant ? "; " : "", self->meant ? self->meant : "");
}

gboolean
np_row_filter_failed (const NpRowFilter *self)
{
  return self->failed;
}
