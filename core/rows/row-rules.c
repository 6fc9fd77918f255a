/* SPDX-License-Identifier: Apache-2.0 */
/* row-rules.c - looks at each row and cell for what nprof/plugin.h asks of it, for the test host
 * and for checked runs; batch-rules.c has what every run looks at. */

#include "rows/row-rules.h"

#include "rows/row-copy.h"

#include <string.h>

#define KNOWN_KEYS 64
#define FAR (INT64_C (106) * 86400 * 1000000000000) /* ps: 106 days */

/* -- Cells ----------------------------------------------------------------- */

void
np_cell_rules_check (const NpRowRules *rules, const struct nprof_table *table,
                     const struct nprof_cell *cells)
{
  for (guint i = 0; table->columns[i]; i++) {
    const struct nprof_cell *cell = &cells[i];
    const char *what
        = cell->type == NPROF_STRING && cell->v.s > np_strings_count (rules->strings)
              ? "an unknown string"
          : cell->type == NPROF_BOOL && cell->v.u > 1 ? "a bool that is neither 0 nor 1"
          : cell->type == NPROF_TEXT && !g_utf8_validate_len (cell->v.text, cell->len, NULL)
              ? "text that is no UTF-8"
              : NULL;
    if (what)
      rules->broke (rules->user, g_strdup_printf ("table \"%s\": column \"%s\" holds %s",
                                                  table->name, table->columns[i]->name, what));
  }
}

gboolean
np_column_is_ratio (const struct nprof_table_column *column)
{
  const char *help = column->help ? column->help : "";
  return column->type == NPROF_DOUBLE && g_strcmp0 (column->unit, "1") == 0
         && !strstr (help, "above 1") && !strstr (help, " / ");
}

char *
np_ratio_problem (const struct nprof_table *table, const struct nprof_cell *cells)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  for (guint i = 0; table->columns[i]; i++)
    if (np_column_is_ratio (table->columns[i]) && cells[i].type == NPROF_DOUBLE
        && !(cells[i].v.f <= 1 + NP_RATIO_ROUNDED)) /* of NaN, too */
      return g_strdup_printf ("table \"%s\": column \"%s\" is a ratio, and holds %s", table->name,
                              table->columns[i]->name,
                              g_ascii_dtostr (digits, sizeof digits, cells[i].v.f));
  return NULL;
}

/* -- Rows ------------------------------------------------------------------ */

typedef struct {
  const NpRowRules *rules;
  const struct nprof_writer *w;
  guint row;
  guint n_strings;
  gboolean beyond; /* something points beyond the columns */
  /* Of the rows before: what most rows have again. */
  nprof_track track; /* a good one; 0: none yet */
  nprof_set set;
  struct {
    nprof_str key; /* 0: free */
    guint declared;
  } keys[KNOWN_KEYS];
} Check;

#define BROKE(check, ...) broke (check, g_strdup_printf (__VA_ARGS__))

static void
broke (const Check *check, char *what)
{
  const char *name = np_strings_get (check->rules->strings, check->w->name[check->row], NULL);
  check->rules->broke (check->rules->user, g_strdup_printf ("row \"%.60s\": %s", name, what));
  g_free (what);
}

static const char *
text_of (const Check *check, nprof_str str)
{
  return np_strings_get (check->rules->strings, str, NULL);
}

static guint
declared_type (const NpRowRules *rules, const char *key)
{
  for (const struct nprof_attribute *const *a = rules->component->attributes; a && *a; a++)
    if (strcmp ((*a)->key, key) == 0)
      return (*a)->type;
  return NPROF_NULL;
}

static guint
type_of_key (Check *check, nprof_str key)
{
  const guint i = key % KNOWN_KEYS;
  if (check->keys[i].key != key) {
    check->keys[i].key = key;
    check->keys[i].declared = declared_type (check->rules, text_of (check, key));
  }
  return check->keys[i].declared;
}

static void
check_bytes (Check *check, const char *key, guint type, nprof_value value, const char *bytes,
             guint64 limit)
{
  if ((guint64) value.bytes.at + value.bytes.len > limit) {
    BROKE (check, "attribute \"%s\" points beyond the bytes", key);
    check->beyond = TRUE;
    return;
  }
  if (type == NPROF_ID128 && value.bytes.len != 16)
    BROKE (check, "attribute \"%s\" is an id128 of %u bytes", key, value.bytes.len);
  if (type == NPROF_JSON && value.bytes.len == 0)
    BROKE (check, "attribute \"%s\" is no JSON value but empty", key);
  if (type == NPROF_TEXT && !g_utf8_validate_len (bytes + value.bytes.at, value.bytes.len, NULL))
    BROKE (check, "attribute \"%s\" is no UTF-8", key);
}

/* `limit` is how many bytes lie beside the value. */
static void
check_attr (Check *check, nprof_str key, guint type, nprof_value value, const char *bytes,
            guint64 limit)
{
  if (key == 0 || key > check->n_strings) {
    BROKE (check, "attribute key %u is no string", key);
    return;
  }
  const guint declared = type_of_key (check, key);
  if (type >= NPROF_INT64 && type <= NPROF_DOUBLE && (!declared || declared == type))
    return;
  const char *name = text_of (check, key);
  if (type < NPROF_INT64 || type > NPROF_ID128)
    BROKE (check, "attribute \"%s\" has the unknown type %u", name, type);
  else if (declared && declared != type)
    BROKE (check, "attribute \"%s\" has type %u, declared is %u", name, type, declared);
  if (np_type_in_bytes ((guint8) type))
    check_bytes (check, name, type, value, bytes, limit);
  if (type == NPROF_STRING && value.s > check->n_strings)
    BROKE (check, "attribute \"%s\" is no known string", name);
  if (type == NPROF_BOOL && value.u > 1)
    BROKE (check, "attribute \"%s\" is a bool that is neither 0 nor 1", name);
}

static void
check_attrs (Check *check)
{
  const struct nprof_writer *w = check->w;
  for (guint j = w->attr_at[check->row]; j < w->attr_at[check->row + 1]; j++)
    check_attr (check, w->attr_key[j], w->attr_type[j], w->attr_value[j], w->bytes, w->n_bytes);

  nprof_set set = w->shared[check->row];
  if (set == check->set)
    return;
  check->set = set;
  if (!set)
    return;
  const struct nprof_attrs *attrs = np_attrsets_get (check->rules->sets, set);
  if (attrs->n == 0)
    BROKE (check, "shared set %u is unknown", set);
  for (guint j = 0; j < attrs->n; j++)
    check_attr (check, attrs->key[j], attrs->type[j], attrs->value[j], attrs->bytes, G_MAXUINT64);
}

static gboolean
has_value (const Check *check)
{
  return check->w->value_valid[check->row >> 3] >> (check->row & 7) & 1;
}

static void
check_fact (const Check *check)
{
  const guint32 *at = check->w->attr_at + check->row;
  if (at[1] - at[0] != 1 || check->w->attr_key[at[0]] != check->w->name[check->row])
    BROKE (check, "a fact has exactly one attribute, whose key is its name");
  if (check->w->shared[check->row])
    BROKE (check, "a fact has no shared attributes");
}

static void
check_flow (const Check *check)
{
  static const char *const phases[] = { "begin", "step", "end", NULL };
  const struct nprof_writer *w = check->w;
  guint i = check->row;
  if (!w->flow[i])
    BROKE (check, "a flow row has no flow");
  if (!w->category[i])
    BROKE (check, "a flow row has no category, which is its family");
  for (guint j = w->attr_at[i]; j < w->attr_at[i + 1]; j++)
    if (strcmp (text_of (check, w->attr_key[j]), "flow_phase") == 0
        && w->attr_type[j] == NPROF_STRING
        && g_strv_contains (phases, text_of (check, w->attr_value[j].s)))
      return;
  BROKE (check, "a flow row has no flow_phase of begin, step or end");
}

static void
check_kind (const Check *check)
{
  guint i = check->row, kind = check->w->kind[i];
  if (kind == NPROF_SPAN)
    return;
  gint64 duration = check->w->duration[i];
  if (kind > NPROF_GAP)
    BROKE (check, "%u is no kind", kind);
  if (kind == NPROF_INSTANT && duration != 0)
    BROKE (check, "an instant has a duration of %" G_GINT64_FORMAT, duration);
  if (kind == NPROF_COUNTER && !has_value (check))
    BROKE (check, "a counter has no value");
  if (kind == NPROF_FACT)
    check_fact (check);
  if (kind == NPROF_FLOW)
    check_flow (check);
}

/* Returns whether nothing is wrong with where and when the row lies, by what is known already. */
static gboolean
place_holds (const Check *check)
{
  const struct nprof_writer *w = check->w;
  const guint i = check->row;
  return w->track[i] == check->track && check->track && w->name[i] <= check->n_strings
         && w->category[i] <= check->n_strings && w->start[i] <= FAR && w->start[i] >= -FAR
         && w->duration[i] >= -1 && w->duration[i] <= FAR;
}

static void
check_place (Check *check)
{
  const struct nprof_writer *w = check->w;
  guint i = check->row;
  if (place_holds (check))
    return;
  const struct nprof_track_info *track = np_tracks_get (check->rules->tracks, w->track[i]);
  if (!track)
    BROKE (check, "track %u is unknown", w->track[i]);
  else if (check->rules->input != G_MAXUINT && track->input != check->rules->input)
    BROKE (check, "track %u is one of another input", w->track[i]);
  else
    check->track = w->track[i];
  if (w->name[i] > check->n_strings || w->category[i] > check->n_strings)
    BROKE (check, "name %u or category %u is no known string", w->name[i], w->category[i]);
  if (w->duration[i] < -1)
    BROKE (check, "duration %" G_GINT64_FORMAT, w->duration[i]);
  gint64 end;
  if (w->duration[i] > 0 && __builtin_add_overflow (w->start[i], w->duration[i], &end))
    BROKE (check, "start and duration together do not fit int64");
  if ((w->start[i] > FAR || w->start[i] < -FAR) && w->kind[i] != NPROF_FACT)
    BROKE (check, "its start is more than 106 days from the origin");
}

/* Checks that nothing is written in an optional column whose bit is not set. */
static void
check_present (const Check *check)
{
  const struct nprof_writer *w = check->w;
  guint i = check->row, has = 0;
  has |= has_value (check) ? NPROF_HAS_VALUE : 0;
  has |= w->id[i] ? NPROF_HAS_ID : 0;
  has |= w->parent[i] ? NPROF_HAS_PARENT : 0;
  has |= w->flow[i] ? NPROF_HAS_FLOW : 0;
  has |= w->shared[i] ? NPROF_HAS_SHARED : 0;
  if (has & ~w->present)
    BROKE (check, "optional columns were written, but `present` does not say so (%u)",
           has & ~w->present);
}

static gboolean
any (const void *column, gsize bytes)
{
  const char *p = column;
  return bytes && (p[0] || memcmp (p, p + 1, bytes - 1) != 0);
}

/* Returns whether a column has something whose bit is not set. */
static gboolean
any_absent (const struct nprof_writer *w)
{
  const gsize n = w->n_rows;
  return (!(w->present & NPROF_HAS_VALUE) && any (w->value_valid, (n + 7) / 8))
         || (!(w->present & NPROF_HAS_ID) && any (w->id, n * sizeof *w->id))
         || (!(w->present & NPROF_HAS_PARENT) && any (w->parent, n * sizeof *w->parent))
         || (!(w->present & NPROF_HAS_FLOW) && any (w->flow, n * sizeof *w->flow))
         || (!(w->present & NPROF_HAS_SHARED) && any (w->shared, n * sizeof *w->shared));
}

char *
np_row_rules_counts (const struct nprof_writer *w)
{
  gboolean hold = w->n_rows <= w->max_rows && w->n_attrs <= w->max_attrs
                  && w->n_bytes <= w->max_bytes && w->attr_at[0] == 0
                  && w->attr_at[w->n_rows] == w->n_attrs;
  for (guint i = 0; hold && i < w->n_rows; i++)
    hold = w->attr_at[i] <= w->attr_at[i + 1];
  if (hold)
    return NULL;
  return g_strdup_printf ("the counts of the writer do not hold: %u of %u rows, %u of %u "
                          "attributes, %u of %u bytes, or attr_at does not rise from 0 to the "
                          "attributes",
                          w->n_rows, w->max_rows, w->n_attrs, w->max_attrs, w->n_bytes,
                          w->max_bytes);
}

gboolean
np_row_rules_check (const NpRowRules *rules, const struct nprof_writer *w)
{
  Check check = { .rules = rules, .w = w, .n_strings = np_strings_count (rules->strings) };
  const gboolean hidden = any_absent (w);
  for (; check.row < w->n_rows; check.row++) {
    check_place (&check);
    if (hidden)
      check_present (&check);
    check_attrs (&check);
    check_kind (&check);
  }
  return !check.beyond;
}
