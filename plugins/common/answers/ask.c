/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c - runs the statements of answers.  A statement reads the columns that its answer needs, and
 * nothing else; what it selects as *_ps, *_bytes or stake is a whole number, or the answer is
 * wrong. */
#include "answers/ask.h"
#include "answers/parts.h"
#include "answers/sentence.h"
#include "sqlite/allowed.h"
#include "sqlite/table-module.h"

#include <nprof/units.h>
#include <string.h>

#define LOOK 1000 /* steps from one look at the limit to the next */

struct NpAsking {
  sqlite3 *db;
  NpAnswerTables *kept;
  NpSqlTables tables;
  gboolean (*stop) (gpointer user);
  gpointer user;
  const NpAnswer *answer; /* that is asked */
  gint64 steps;           /* that it has taken, as far as somebody looked */
  gint64 taken;           /* by the last one */
  GPtrArray *made;        /* statements of the tables that it made of its parts */
  guint64 rows;           /* that the kept tables had then */
  char *refused;          /* what it may not read; NULL: nothing was refused */
};

/* -- The connection ---------------------------------------------------------------------------- */

static NpTable *
open_kept (gpointer asking, guint number)
{
  return np_answer_tables_get (((NpAsking *) asking)->kept, number);
}

static const NpAnswerNeed *
need_of (const NpAnswer *answer, const char *table)
{
  for (guint i = 0; i < answer->needs->len; i++) {
    const NpAnswerNeed *need = answer->needs->pdata[i];
    if (!strcmp (need->table, table))
      return need;
  }
  return NULL;
}

/* "" is read of a bare table; rowid is the place of a row. */
static gboolean
is_of_any_table (const char *column)
{
  return !*column || !g_ascii_strcasecmp (column, "rowid");
}

/* Returns whether the answer says that it reads the column. */
static gboolean
may_read (NpAsking *asking, const char *table, const char *column)
{
  const NpAnswerNeed *need = need_of (asking->answer, table);
  if (need
      && (is_of_any_table (column)
          || g_strv_contains ((const char *const *) need->columns, column)))
    return TRUE;
  if (!need && np_answer_tables_find (asking->kept, table) < 0)
    return TRUE; /* of the statement itself */
  g_free (asking->refused);
  asking->refused = g_strdup_printf ("%s.%s is in no line `needs:`", table, column);
  return FALSE;
}

/* What differs from run to run answers nothing. */
static gboolean
is_steady (const char *function)
{
  static const char *const others[] = { "random",         "randomblob", "date",
                                        "time",           "datetime",   "strftime",
                                        "julianday",      "unixepoch",  "current_timestamp",
                                        "sqlite_version", NULL };
  g_autofree char *lower = g_ascii_strdown (function, -1);
  return !g_strv_contains (others, lower);
}

static int
authorize (void *user, int action, const char *a, const char *b, const char *database,
           G_GNUC_UNUSED const char *trigger)
{
  NpAsking *asking = user;
  if (!asking->answer) /* the connection is being made */
    return SQLITE_OK;
  if (action == SQLITE_READ && !may_read (asking, a, b ? b : ""))
    return SQLITE_DENY;
  if (action == SQLITE_FUNCTION && !is_steady (b))
    return SQLITE_DENY;
  return np_sql_allows (action, a, b, database) ? SQLITE_OK : SQLITE_DENY;
}

static int
look (void *user)
{
  NpAsking *asking = user;
  asking->steps += LOOK;
  return asking->steps > NP_ANSWER_STEPS || (asking->stop && asking->stop (asking->user));
}

/* Few answers are asked of a small profile, and of few tables. */
static gboolean
name_tables (NpAsking *asking)
{
  int rc = SQLITE_OK;
  asking->tables = (NpSqlTables){ .open = open_kept, .user = asking };
  for (guint i = 0; !rc && i < np_answer_tables_count (asking->kept); i++)
    rc = np_sql_name_table (asking->db, &asking->tables, np_answer_tables_name (asking->kept, i),
                            i);
  return rc == SQLITE_OK;
}

NpAsking *
np_asking_new (NpAnswerTables *tables, gboolean (*stop) (gpointer user), gpointer user,
               char **problem)
{
  *problem = NULL;
  NpAsking *asking = g_new0 (NpAsking, 1);
  asking->kept = tables;
  asking->made = g_ptr_array_new_with_free_func (g_free);
  asking->stop = stop;
  asking->user = user;
  if (sqlite3_open_v2 (":memory:", &asking->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
      || !name_tables (asking)) {
    *problem = g_strdup_printf ("SQLite: %s", sqlite3_errmsg (asking->db));
    np_asking_free (asking);
    return NULL;
  }
  sqlite3_db_config (asking->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_limit (asking->db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit (asking->db, SQLITE_LIMIT_LENGTH, NP_ANSWER_BYTES);
  sqlite3_set_authorizer (asking->db, authorize, asking);
  sqlite3_progress_handler (asking->db, LOOK, look, asking);
  return asking;
}

void
np_asking_reverse (NpAsking *asking)
{
  asking->tables.backwards = TRUE;
  sqlite3_exec (asking->db, "PRAGMA reverse_unordered_selects = 1", NULL, NULL, NULL);
}

void
np_asking_free (NpAsking *asking)
{
  sqlite3_close (asking->db);
  g_ptr_array_unref (asking->made);
  g_free (asking->refused);
  g_free (asking);
}

gint64
np_asking_steps (const NpAsking *asking)
{
  return asking->taken;
}

/* -- Columns of a row -------------------------------------------------------------------------- */

/* Returns its number; -1: there is none, or it is unknown. */
static int
known_column (sqlite3_stmt *stmt, const char *name)
{
  for (int i = 0; i < sqlite3_column_count (stmt); i++)
    if (!strcmp (sqlite3_column_name (stmt, i), name))
      return sqlite3_column_type (stmt, i) == SQLITE_NULL ? -1 : i;
  return -1;
}

const char *
np_found_text (const NpFound *found, const char *column)
{
  int i = known_column (found->stmt, column);
  return i < 0 ? NULL : (const char *) sqlite3_column_text (found->stmt, i);
}

gboolean
np_found_whole (const NpFound *found, const char *column, gint64 *value)
{
  int i = known_column (found->stmt, column);
  *value = i < 0 ? 0 : sqlite3_column_int64 (found->stmt, i);
  return i >= 0;
}

gboolean
np_found_real (const NpFound *found, const char *column, double *value)
{
  int i = known_column (found->stmt, column);
  *value = i < 0 ? 0 : sqlite3_column_double (found->stmt, i);
  return i >= 0;
}

/* -- Ranks ------------------------------------------------------------------------------------- */

static const NpTable *
kept_table (const NpAsking *asking, const char *name)
{
  return np_answer_tables_get (asking->kept, (guint) np_answer_tables_find (asking->kept, name));
}

/* Returns the rank of an input, of several that of the device; -1: it has none. */
static gint64
rank_of (const NpAsking *asking, const char *input, const char *device)
{
  const NpTable *ranks = kept_table (asking, "ranks");
  int file = np_table_column (ranks, "file"), of = np_table_column (ranks, "device"),
      rank = np_table_column (ranks, "rank");
  gint64 found = -1;
  guint n = 0;
  for (guint64 row = 0; input && row < ranks->n_rows; row++) {
    if (g_strcmp0 (np_table_text (ranks, row, file), input))
      continue;
    const struct nprof_cell cell = np_table_cell (ranks, row, rank);
    found = cell.type == NPROF_INT64 ? cell.v.i : -1;
    if (device && !g_strcmp0 (np_table_text (ranks, row, of), device))
      return found;
    n++;
  }
  return n == 1 ? found : -1;
}

/* -- Sentences --------------------------------------------------------------------------------- */

static const char *
word_of (const NpAnswer *answer, const char *set, const char *value)
{
  for (guint i = 0; i < answer->words->len; i++) {
    const NpAnswerWord *word = answer->words->pdata[i];
    if (!strcmp (word->set, set)
        && (!strcmp (word->value, "*") || (value && !strcmp (word->value, value))))
      return word->text;
  }
  return NULL;
}

/* Says whose a device is: of which rank, else of which input. Table summary has no column rank. */
static void
say_owner (GString *to, const NpFound *found, const char *device)
{
  const gint64 rank = rank_of (found->asking, np_found_text (found, "input"), device);
  if (rank < 0)
    g_string_append (to, " of {input}");
  else if (found->answer->kind == NP_ANSWER_LINE)
    g_string_append_printf (to, " of rank %" G_GINT64_FORMAT, rank);
  else
    g_string_append (to, " of rank {rank}");
}

/* "device {device} of rank {rank}": whose something is, with its noun where it has but a number. */
static void
say_noun (GString *to, const NpFound *found, const NpPlace *place)
{
  const char *device = np_found_text (found, place->column), *text = device;
  if (!text) {
    g_string_append (to, "the device");
  } else {
    while (g_ascii_isspace (*text))
      text++;
    if (g_ascii_isdigit (*text))
      g_string_append_printf (to, "%s ", place->as);
    g_string_append_printf (to, "{%s}", place->column);
  }
  if (found->several && np_found_text (found, "input"))
    say_owner (to, found, device);
}

/* Returns FALSE where the place is unknown: it is no figure. */
static gboolean
say_real (GString *to, const NpFound *found, const NpPlace *place)
{
  double real;
  if (!np_found_real (found, place->column, &real))
    return FALSE;
  g_autofree char *factor = place->form == NP_PLACE_FACTOR ? np_sentence_factor (real) : NULL;
  g_string_append (to, factor                          ? factor
                       : place->form == NP_PLACE_TIME  ? nprof_time (real).text
                       : place->form == NP_PLACE_BYTES ? nprof_bytes (real).text
                       : place->form == NP_PLACE_RATE  ? nprof_byte_rate (real).text
                                                       : nprof_share (real).text);
  return TRUE;
}

/* Returns FALSE where the place is unknown. */
static gboolean
say_place (GString *to, const NpFound *found, const NpPlace *place)
{
  gint64 whole;
  const char *word;
  switch (place->form) {
  case NP_PLACE_NOUN:
    say_noun (to, found, place);
    return TRUE;
  case NP_PLACE_WORD:
    word = word_of (found->answer, place->as, np_found_text (found, place->column));
    g_string_append (to, word ? word : "");
    return word != NULL;
  case NP_PLACE_NAME:
    g_string_append_printf (to, "{%s}", place->column);
    return np_found_text (found, place->column) != NULL;
  case NP_PLACE_OURS:
    word = np_found_text (found, place->column);
    g_string_append (to, word ? word : "");
    return word != NULL;
  case NP_PLACE_COUNT:
    if (!np_found_whole (found, place->column, &whole))
      return FALSE;
    g_string_append_printf (to, "%" G_GINT64_FORMAT, whole);
    return TRUE;
  default:
    return say_real (to, found, place);
  }
}

/* Returns FALSE where a place is unknown. */
static gboolean
say_part (GString *to, const NpFound *found, const NpSentencePart *part)
{
  for (guint i = 0; i < part->places->len; i++) {
    const NpPlace *place = part->places->pdata[i];
    g_string_append (to, place->before);
    if (place->column && !say_place (to, found, place))
      return FALSE;
  }
  return TRUE;
}

/* Returns NULL where a place outside of brackets is unknown, or there is no such sentence; transfer
 * full. */
static char *
say (const NpFound *found, const NpAnswerSentence *sentence)
{
  g_autoptr (GString) text = g_string_new ("");
  const GPtrArray *parts = sentence->parts;
  if (!parts)
    return NULL;
  for (guint i = 0; i < parts->len; i++) {
    const NpSentencePart *part = parts->pdata[i];
    const gsize before = text->len;
    if (say_part (text, found, part))
      continue;
    if (!part->optional)
      return NULL;
    g_string_truncate (text, before);
  }
  return g_strdup (text->str);
}

/* -- Asking ------------------------------------------------------------------------------------ */

static char *
wrong (const NpAnswer *answer, guint line, const char *what)
{
  return g_strdup_printf ("%s:%u: %s", answer->path, line, what);
}

static guint
line_at (const NpAnswer *answer, int offset)
{
  guint line = answer->line;
  for (int i = 0; i < offset && answer->sql[i]; i++)
    line += answer->sql[i] == '\n';
  return line;
}

/* Returns why the statement failed. */
static char *
sql_error (NpAsking *asking)
{
  int offset = 0;
  if (asking->steps > NP_ANSWER_STEPS)
    return wrong (asking->answer, asking->answer->line,
                  "it takes more than 100 million steps of SQLite: join fewer rows, or let an "
                  "analyzer sum them");
#if SQLITE_VERSION_NUMBER >= 3038000
  if (sqlite3_libversion_number () >= 3038000)
    offset = sqlite3_error_offset (asking->db);
#endif
  return wrong (asking->answer, line_at (asking->answer, offset),
                asking->refused ? asking->refused : sqlite3_errmsg (asking->db));
}

static gboolean
is_exact (const char *name)
{
  return g_str_has_suffix (name, "_ps") || g_str_has_suffix (name, "_bytes")
         || !strcmp (name, "stake");
}

/* Returns what is wrong with a row; NULL: nothing. */
static char *
row_problem (const NpFound *found)
{
  for (int i = 0; i < sqlite3_column_count (found->stmt); i++) {
    const char *name = sqlite3_column_name (found->stmt, i);
    int type = sqlite3_column_type (found->stmt, i);
    g_autofree char *what = NULL;
    if (!is_exact (name) || type == SQLITE_INTEGER || type == SQLITE_NULL)
      continue;
    what = g_strdup_printf ("%s is no whole number: cast it as integer, within 64 bits", name);
    return wrong (found->answer, found->answer->line, what);
  }
  if (found->text)
    return NULL;
  return wrong (found->answer, found->answer->say.line,
                "a place outside of [ ] is unknown in a row");
}

/* Returns what the row is of, transfer full. */
static char *
thing_of (const NpFound *found, guint row)
{
  g_autoptr (GString) thing = g_string_new ("");
  if (!*found->answer->each)
    return g_strdup_printf ("%u", row);
  for (char **column = found->answer->each; *column; column++) {
    const char *text = np_found_text (found, *column);
    g_string_append_printf (thing, "%s\n", text ? text : "");
  }
  return g_strdup (thing->str);
}

/* -- Whose a row is ---------------------------------------------------------------------------- */

/* Returns whether two inputs or more have rows: a NEFF beside its NTFF has none. */
static gboolean
has_several (const NpAsking *asking)
{
  const NpTable *inputs = kept_table (asking, "inputs");
  const int rows = np_table_column (inputs, "rows");
  guint n = 0;
  for (guint64 row = 0; row < inputs->n_rows && n < 2; row++) {
    const struct nprof_cell cell = np_table_cell (inputs, row, rows);
    n += cell.type == NPROF_NULL || cell.v.u > 0;
  }
  return n > 1;
}

static NpFound
found_in (const NpAsking *asking, sqlite3_stmt *stmt)
{
  NpFound found = { .answer = asking->answer, .asking = asking, .rank = -1, .stmt = stmt };
  found.several = has_several (asking);
  if (found.several)
    found.rank
        = rank_of (asking, np_found_text (&found, "input"), np_found_text (&found, "device"));
  return found;
}

/* Takes the rows of a statement; returns what is wrong. */
static char *
take_rows (NpAsking *asking, sqlite3_stmt *stmt, gboolean (*take) (gpointer, const NpFound *),
           gpointer user)
{
  g_autoptr (GHashTable) things = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const NpAnswer *answer = asking->answer;
  int rc;
  for (guint row = 0; (rc = sqlite3_step (stmt)) == SQLITE_ROW; row++) {
    NpFound found = found_in (asking, stmt);
    if (!g_hash_table_add (things, thing_of (&found, row)))
      continue;
    g_autofree char *text
        = say (&found, &answer->say),
        *condition = say (&found, &answer->condition), *advice = say (&found, &answer->advice),
        *detail = say (&found, &answer->detail), *record = say (&found, &answer->record);
    found.text = text;
    found.condition = condition;
    found.advice = advice;
    found.detail = detail;
    found.record = record;
    g_autofree char *problem = row_problem (&found);
    if (problem)
      return g_steal_pointer (&problem);
    if (!take (user, &found))
      return NULL;
  }
  return rc == SQLITE_DONE ? NULL : sql_error (asking);
}

/* Returns why a statement is none that only selects; NULL: it is one. */
static const char *
statement_problem (sqlite3_stmt *stmt, const char *rest)
{
  return !stmt                             ? "it has no statement"
         : rest[strspn (rest, " \t\r\n;")] ? "it has more than one statement"
         : !sqlite3_column_count (stmt)    ? "its statement selects nothing"
                                           : NULL;
}

/* -- Parts that are tables --------------------------------------------------------------------- */

/* Runs a statement without rows; returns whether it could. */
static gboolean
run_statement (NpAsking *asking, const char *sql)
{
  sqlite3_stmt *stmt = NULL;
  const gboolean done = !sqlite3_prepare_v2 (asking->db, sql, -1, &stmt, NULL)
                        && sqlite3_step (stmt) == SQLITE_DONE;
  asking->taken += stmt ? sqlite3_stmt_status (stmt, SQLITE_STMTSTATUS_VM_STEP, 0) : 0;
  sqlite3_finalize (stmt);
  return done;
}

#define MAKE "create temp table "

/* Drops the tables that were made from a place of the list on. */
static void
drop_tables (NpAsking *asking, guint from)
{
  for (guint i = from; i < asking->made->len; i++) {
    const char *name = (const char *) asking->made->pdata[i] + strlen (MAKE);
    g_autofree char *sql
        = g_strdup_printf ("drop table temp.%.*s", (int) strcspn (name, " "), name);
    sqlite3_exec (asking->db, sql, NULL, NULL, NULL);
  }
  g_ptr_array_set_size (asking->made, (int) from);
}

/* Makes the table of a place in the list, unless the answer before made the same from the same;
 * returns whether it could. */
static gboolean
make_table (NpAsking *asking, guint place, char *sql)
{
  if (place < asking->made->len && !strcmp (asking->made->pdata[place], sql)) {
    g_free (sql);
    return TRUE;
  }
  drop_tables (asking, place);
  g_ptr_array_add (asking->made, sql);
  return run_statement (asking, sql);
}

/* SQLite copies a part wherever it is named, with all that is in it: those that are named more than
 * once are made tables first.  Returns what is left of the statement, transfer full; NULL: a part
 * cannot be made, and the whole says why. */
static char *
make_tables (NpAsking *asking, const char *sql)
{
  const char *rest;
  guint n = 0;
  g_autoptr (GArray) parts = np_parts_of (sql, &rest);
  g_autoptr (GString) with = g_string_new (NULL); /* those that stay parts */
  if (asking->rows != np_answer_tables_rows (asking->kept)) /* they may have read those */
    drop_tables (asking, 0);
  asking->rows = np_answer_tables_rows (asking->kept);
  for (guint i = 0; i < parts->len; i++) {
    const NpPart *part = &g_array_index (parts, NpPart, i);
    if (!np_part_is_shared (part)) {
      g_string_append (with, with->len ? ", " : "with ");
      g_string_append_len (with, part->name, part->end - part->name);
      continue;
    }
    char *table = g_strdup_printf (MAKE "%.*s as %s %.*s", (int) part->name_length, part->name,
                                   with->str, (int) part->select_length, part->select);
    if (!strstr (table, "--")) /* in one line, as lines `with:` have it */
      g_strdelimit (table, "\n", ' ');
    if (!make_table (asking, n++, table)) {
      drop_tables (asking, 0);
      return NULL;
    }
  }
  drop_tables (asking, n);
  return g_strconcat (with->str, " ", rest, NULL);
}

char *
np_asking_run (NpAsking *asking, const NpAnswer *answer,
               gboolean (*found) (gpointer user, const NpFound *found), gpointer user)
{
  sqlite3_stmt *stmt = NULL;
  const char *rest = "", *why;
  char *problem;
  g_clear_pointer (&asking->refused, g_free);
  asking->answer = answer;
  asking->steps = asking->taken = 0;
  g_autofree char *left = make_tables (asking, answer->sql);
  if ((!left || sqlite3_prepare_v2 (asking->db, left, -1, &stmt, &rest))
      && sqlite3_prepare_v2 (asking->db, answer->sql, -1, &stmt, &rest))
    problem = sql_error (asking);
  else if ((why = statement_problem (stmt, rest)))
    problem = wrong (answer, answer->line, why);
  else
    problem = take_rows (asking, stmt, found, user);
  asking->taken += stmt ? sqlite3_stmt_status (stmt, SQLITE_STMTSTATUS_VM_STEP, 0) : 0;
  sqlite3_finalize (stmt);
  asking->answer = NULL;
  return problem;
}
