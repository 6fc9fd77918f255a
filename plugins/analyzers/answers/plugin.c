/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer answers: asks the answers of nprof's data folder of all tables of a run,
 * and makes tables of what stands out, what the recording can tell, and the first screen.  Their
 * grammar: docs/formats/answers.md. */
#include "answers/ask.h"
#include "table/kept-table.h"

#include <nprof/draft/answers.h>
#include <nprof/draft/clip.h>
#include <nprof/table.h>

/* clang-format off */
#define FINDINGS(C) \
  C (KEY, device, "that it is about") \
  C (COUNT, rank, "of the device, else of the input, in a job") \
  C (KEY, step, "name or number of the step") \
  C (KEY, code, "what stands out: idle, operator, ...") \
  C (KEY, answer, "that says it: docs/formats/answers.md") \
  C (TEXT, about, "part of the time of devices: findings of one, or of parts in it, say the same") \
  C (PS, stake, "time at stake") \
  C (NOTE, source, "what stake_ns is the time of, or why there is none") \
  C (RATIO, share, "that the sentence says") \
  C (RATIO, gain, "how many times faster it is under the condition, above 1: see certainty") \
  C (TEXT, condition, "under which that is gained") \
  C (TEXT, certainty, "of the gain: lower_bound, upper_bound, modelled") \
  C (TEXT, advice, "what to try") \
  C (TEXT, threshold, "beyond which it is said") \
  C (TEXT, text, "one sentence; {device}, {name}, {other} ... are columns of the row") \
  C (TEXT, track, "thread or process that it is about") \
  C (TEXT, name, "first name in the sentence") \
  C (TEXT, other, "second name in the sentence") \
  C (NOTE, because, "reason in the sentence") \
  C (NOTE, detail, "what proves it; {name} ... are columns of the row") \
  C (TEXT, of_table, "table that shows it") \
  C (TEXT, shown, "widget of nprof view that shows it") \
  C (PS, start, "where it is seen") \
  C (PS, end, "where that ends")
#define ABILITIES(C) \
  C (KEY, question, "what is asked, for programs") \
  C (TEXT, head, "the same for people") \
  C (TEXT, able, "yes, partly, no") \
  C (TEXT, code, "why not, or why in part, for programs") \
  C (NOTE, why, "the same for people, or what it rests on") \
  C (TEXT, record, "what to record so that it is known") \
  C (BOOL, missed, "whether recordings of this kind have it, and this one has not") \
  C (TEXT, tables, "that tell it, the first before all; a blank between two") \
  C (TEXT, command, "of nprof that shows it") \
  C (TEXT, empty, "tables that have no rows for that, a blank between two") \
  C (TEXT, answer, "that says it: docs/formats/answers.md")
#define SUMMARY(C) \
  C (KEY, device, "that it is about; unknown: the job, or the whole file") \
  C (KEY, label, "what the line is, for programs") \
  C (TEXT, head, "the same for people; unknown: as that of the line before") \
  C (TEXT, text, "the line; {device}, {name}, {other} ... are columns of the row") \
  C (PS, time, "its figure, where that is a time") \
  C (RATIO, ratio, "its figure, where that is a share, or how many times faster (above 1)") \
  C (BYTES, bytes, "its figure, where that is bytes") \
  C (COUNT, count, "its figure, where that counts") \
  C (TEXT, whole, "of what: step, phase (step1, phase1: one alone), period, span, device_time ...") \
  C (TEXT, code, "of the verdict, or why it is unknown") \
  C (TEXT, track, "thread or process that it is about") \
  C (TEXT, step, "that it is about") \
  C (TEXT, name, "first name in the line") \
  C (TEXT, other, "second name in the line") \
  C (NOTE, because, "reason in the line") \
  C (TEXT, record, "what to record so that it is known") \
  C (TEXT, of_table, "table that shows more") \
  C (TEXT, answer, "that says it: docs/formats/answers.md")
NPROF_TABLE_ROW (abilities, ABILITIES)
NPROF_TABLE (abilities, "What the recording can tell", "nprof doctor shows it.", ABILITIES)
NPROF_TABLE_ROW (summary, SUMMARY)
NPROF_TABLE (summary, "Summary", "The first screen, a row a line.", SUMMARY)
NPROF_TABLE_ROW (findings, FINDINGS)
NPROF_TABLE (findings, "What stands out",
             "Rows of one answer stand by time at stake, the most first.", FINDINGS)
/* clang-format on */

static const struct nprof_table *const tables[]
    = { &findings_table, &abilities_table, &summary_table, NULL };

#define TEAM "team." /* what the names of answers of option folder begin with */

typedef struct {
  const struct nprof_host *host;
  const char *folder; /* option */
  GPtrArray *answers; /* of NpAnswer */
  NpAnswerTables *kept;
  GPtrArray *wrong; /* of char *: what is wrong with answers that are unknown for that */
  NpTable *rows; /* of the answer that is asked */
} Answers;

static void
tell (gpointer self, const char *problem)
{
  const Answers *a = self;
  a->host->log (a->host, NPROF_WARNING, problem);
  g_ptr_array_add (a->wrong, g_strdup (problem));
}

/* -- Rows -------------------------------------------------------------------------------------- */

static struct nprof_maybe_int
whole (const NpFound *f, const char *column)
{
  gint64 value;
  gboolean known = np_found_whole (f, column, &value);
  return nprof_int_if (known, value);
}

static struct nprof_maybe_double
real (const NpFound *f, const char *column)
{
  double value;
  return np_found_real (f, column, &value) ? nprof_some_double (value)
                                           : (struct nprof_maybe_double){ 0 };
}

static struct nprof_maybe_text
text (const NpFound *f, const char *column)
{
  return nprof_some_text (np_found_text (f, column));
}

static struct nprof_maybe_str
key (const Answers *a, const char *value)
{
  return nprof_some_str (value ? a->host->intern (a->host, value, strlen (value)) : 0);
}

static struct nprof_cell
input_of (const Answers *a, const NpFound *f)
{
  const char *input = np_found_text (f, "input");
  return input ? nprof_cell_str (key (a, input).value) : nprof_cell_null ();
}

static gboolean
add_row (gpointer self, const NpFound *f)
{
  Answers *a = self;
  const char *source = np_found_text (f, "source"), *code = np_found_text (f, "code"),
             *about = np_found_text (f, "about");
  const struct findings_row row = {
    .device = key (a, np_found_text (f, "device")),
    .rank = nprof_int_if (f->rank >= 0, f->rank),
    .step = key (a, np_found_text (f, "step")),
    .code = key (a, code ? code : f->answer->code),
    .answer = key (a, f->answer->name),
    .about = nprof_some_text (about ? about : f->answer->about),
    .stake = whole (f, "stake"),
    .source = source ? nprof_some_text (source) : nprof_some_text (f->answer->source),
    .share = real (f, "share"),
    .gain = real (f, "gain"),
    .condition = nprof_some_text (f->condition),
    .certainty = text (f, "certainty"),
    .advice = nprof_some_text (f->advice),
    .threshold = nprof_some_text (f->answer->threshold),
    .text = nprof_some_text (f->text),
    .track = text (f, "track"),
    .name = text (f, "name"),
    .other = text (f, "other"),
    .because = text (f, "because"),
    .detail = f->detail ? nprof_some_text (f->detail) : text (f, "detail"),
    .of_table = nprof_some_text (f->answer->table),
    .shown = nprof_some_text (f->answer->place),
    .start = whole (f, "start_ps"),
    .end = whole (f, "end_ps"),
  };
  np_kept_table_add (a->rows, findings_cells (input_of (a, f), &row).cells);
  return TRUE;
}

/* Shows what is known, also in part. */
static char *
command_of (const NpFound *f)
{
  const char *other = np_found_text (f, "of_table"), *of = other ? other : f->answer->table;
  return *of && g_strcmp0 (np_found_text (f, "able"), "no")
             ? g_strdup_printf ("nprof report --only %.*s FILE", (int) strcspn (of, " "), of)
             : NULL;
}

static gboolean
add_ability (gpointer self, const NpFound *f)
{
  Answers *a = self;
  g_autofree char *command = command_of (f);
  gint64 missed;
  const gboolean told = np_found_whole (f, "missed", &missed);
  const struct abilities_row row = {
    .question = key (a, f->answer->label),
    .head = nprof_some_text (f->answer->head),
    .able = text (f, "able"),
    .code = text (f, "code"),
    .why = nprof_some_text (*f->text ? f->text : NULL),
    .record = nprof_some_text (f->record),
    .missed = nprof_bool_if (TRUE, told && missed),
    .tables = nprof_some_text (f->answer->table),
    .command = nprof_some_text (command),
    .empty = text (f, "empty"),
    .answer = nprof_some_text (f->answer->name),
  };
  np_kept_table_add (a->rows, abilities_cells (input_of (a, f), &row).cells);
  return TRUE;
}

/* Of several rows of one answer the first has the head. */
static gboolean
add_line (gpointer self, const NpFound *f)
{
  Answers *a = self;
  const char *whole_text = np_found_text (f, "whole"), *table = np_found_text (f, "of_table");
  const struct summary_row row = {
    .device = key (a, np_found_text (f, "device")),
    .label = key (a, f->answer->label),
    .head = nprof_some_text (a->rows->n_rows ? NULL : f->answer->head),
    .text = nprof_some_text (f->text),
    .time = whole (f, "time_ps"),
    .ratio = real (f, "ratio"),
    .bytes = whole (f, "bytes"),
    .count = whole (f, "count"),
    .whole = nprof_some_text (whole_text          ? whole_text
                              : *f->answer->whole ? f->answer->whole
                                                  : NULL),
    .code = text (f, "code"),
    .track = text (f, "track"),
    .step = text (f, "step"),
    .name = text (f, "name"),
    .other = text (f, "other"),
    .because = text (f, "because"),
    .record = text (f, "record"),
    .of_table = nprof_some_text (table ? table : f->answer->table),
    .answer = nprof_some_text (f->answer->name),
  };
  np_kept_table_add (a->rows, summary_cells (input_of (a, f), &row).cells);
  return TRUE;
}

/* What becomes of the rows of answers of a kind. */
static const struct {
  const struct nprof_table *table;
  gboolean (*add) (gpointer self, const NpFound *found);
} kinds[] = { [NP_ANSWER_ABILITY] = { &abilities_table, add_ability },
              [NP_ANSWER_FINDING] = { &findings_table, add_row },
              [NP_ANSWER_LINE] = { &summary_table, add_line } };

#define WRONG_SHOWN 3 /* lines of the first screen */

/* Returns "SUBJECT/NAME.sql:LINE: what" of "PATH:LINE: what". */
static const char *
from_subject (const char *problem)
{
  const char *end = strstr (problem, ".sql:");
  guint slashes = 0;
  for (const char *p = end; p && p > problem; p--)
    if (*p == '/' && ++slashes == 2)
      return p + 1;
  return problem;
}

/* Returns NAME of it, transfer full. */
static char *
name_in (const char *problem)
{
  const char *end = strstr (problem, ".sql:"), *from = end;
  while (from && from > problem && from[-1] != '/')
    from--;
  return end ? g_strndup (from, (gsize) (end - from)) : g_strdup ("answers");
}

/* Returns the cell of the only input; of several it is unknown, as the answer is of all. */
static struct nprof_cell
only_input (const struct nprof_host *host)
{
  return host->run (host)->n_inputs == 1 ? nprof_cell_str (host->input (host, 0)->label)
                                         : nprof_cell_null ();
}

/* What is wrong makes an answer unknown, which its line says in its place. */
static void
add_wrong (Answers *a)
{
  for (guint i = 0; i < MIN (a->wrong->len, WRONG_SHOWN); i++) {
    const gboolean last = i + 1 == WRONG_SHOWN && a->wrong->len > WRONG_SHOWN;
    g_autofree char *more
        = last ? g_strdup_printf ("; and %u more: nprof answers --check", a->wrong->len - i - 1)
               : g_strdup ("");
    g_autofree char *said = g_strconcat ("wrong answer {other}", more, NULL),
                    *name = name_in (a->wrong->pdata[i]);
    const struct summary_row row = {
      .label = key (a, "unknown"),
      .head = nprof_some_text (i ? NULL : "unknown"),
      .text = nprof_some_text (said),
      .code = nprof_some_text ("wrong_answer"),
      .other = nprof_some_text (from_subject (a->wrong->pdata[i])),
      .answer = nprof_some_text (name),
    };
    np_kept_table_add (a->rows, summary_cells (only_input (a->host), &row).cells);
  }
}

/* Gives the rows to the run, and to the answers that read them: lines of the screen are asked when
 * all others are there. */
static nprof_status
give_rows (Answers *a, const NpTable *rows, const struct nprof_table *of)
{
  nprof_status status = NPROF_OK;
  g_autofree struct nprof_cell *cells = g_new0 (struct nprof_cell, rows->n_columns);
  for (guint64 row = 0; row < rows->n_rows && status == NPROF_OK; row++) {
    for (guint c = 0; c < rows->n_columns; c++)
      cells[c] = np_table_cell (rows, row, (int) c);
    np_answer_tables_add (a->kept, a->host, of, cells, 1);
    status = a->host->row (a->host, of, cells);
  }
  return status;
}

/* Asks one, all of whose rows are right or none is given. To prepare a statement takes longer than
 * to run it over a small profile, so none is asked that can say nothing. */
static nprof_status
ask (Answers *a, NpAsking *asking, const NpAnswer *answer)
{
  const struct nprof_table *of = kinds[answer->kind].table;
  g_autofree char *problem = NULL;
  g_autoptr (NpTable) rows = np_kept_table_new (of);
  a->rows = rows;
  if (np_answer_tables_have (a->kept, answer, &problem)
      && !np_answer_tables_lack_rows (a->kept, answer))
    problem = np_asking_run (asking, answer, kinds[answer->kind].add, a);
  if (!problem)
    return give_rows (a, rows, of);
  g_autofree char *told = g_strdup_printf ("%s: answer %s is unknown", problem, answer->name);
  tell (a, told);
  return NPROF_OK;
}

static gboolean
is_cancelled (gpointer self)
{
  const Answers *a = self;
  return a->host->cancelled (a->host);
}

/* Abilities are first, so that findings read which platform it is; findings stay as they are,
 * others are in the order that they say. */
static int
by_place (gconstpointer a, gconstpointer b)
{
  const NpAnswer *x = *(NpAnswer *const *) a, *y = *(NpAnswer *const *) b;
  return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                            : (x->order > y->order) - (x->order < y->order);
}

static nprof_status
answers_finish (void *self)
{
  Answers *a = self;
  g_autofree char *problem = NULL;
  g_autoptr (NpAsking) asking
      = a->answers->len ? np_asking_new (a->kept, is_cancelled, a, &problem) : NULL;
  if (problem) {
    g_autofree char *told = g_strdup_printf ("nothing is known to stand out: %s", problem);
    tell (a, told);
  }
  nprof_status status = NPROF_OK;
  g_ptr_array_sort (a->answers, by_place);
  for (guint i = 0; asking && i < a->answers->len && status == NPROF_OK; i++)
    status = ask (a, asking, a->answers->pdata[i]);
  g_autoptr (NpTable) rows = np_kept_table_new (&summary_table);
  a->rows = rows;
  add_wrong (a);
  return status == NPROF_OK ? give_rows (a, rows, &summary_table) : status;
}

/* -- Life -------------------------------------------------------------------------------------- */

/* Reads the answers of a folder; that a team's take part is said. */
static void
read_folder (Answers *a, const char *folder, const char *prefix)
{
  if (!strcmp (prefix, TEAM)) {
    g_autofree char *said = g_strdup_printf ("answers of a team are asked too: %s", folder);
    a->host->log (a->host, NPROF_INFO, said);
  }
  np_answers_read (a->answers, folder, prefix, tell, a);
}

static nprof_status
answers_open (void *self, const struct nprof_host *host)
{
  Answers *a = self;
  const struct nprof_answers *folders
      = (const struct nprof_answers *) host->extension (host, NPROF_ANSWERS);
  const char *folder, *prefix;
  nprof_window_of (host); /* sums were cut by those that made them */
  a->host = host;
  a->answers = g_ptr_array_new_with_free_func ((GDestroyNotify) np_answer_free);
  a->wrong = g_ptr_array_new_with_free_func (g_free);
  for (uint32_t k = 0; folders && (folder = folders->folder (host, k, &prefix)); k++)
    read_folder (a, folder, prefix);
  if (*a->folder)
    read_folder (a, a->folder, TEAM);
  a->kept = np_answer_tables_new (a->answers);
  nprof_status status = NPROF_OK;
  for (guint i = 0; tables[i] && status == NPROF_OK; i++) {
    np_answer_tables_add (a->kept, host, tables[i], NULL, 0); /* so that it is there */
    status = host->table (host, tables[i]);
  }
  return status;
}

static nprof_status
answers_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
               uint32_t n_rows)
{
  Answers *a = self;
  np_answer_tables_add (a->kept, a->host, table, cells, n_rows);
  return NPROF_OK;
}

static void
answers_close (void *self)
{
  Answers *a = self;
  g_clear_pointer (&a->kept, np_answer_tables_free);
  g_clear_pointer (&a->answers, g_ptr_array_unref);
  g_clear_pointer (&a->wrong, g_ptr_array_unref);
}

static const struct nprof_option *const options[] = {
  NPROF_PATH_OPTION (Answers, folder, "folder", "", "has more answers, SUBJECT/NAME.sql"),
  NULL,
};

static const struct nprof_component answers = {
  .size = sizeof answers,
  .kind = NPROF_ANALYZER,
  .name = "answers",
  .summary = "what stands out in the other tables, by the rules of nprof answers",
  .options = options,
  .tables = tables,
  .flags = NPROF_ANALYZER_ANSWERS,
  .instance_size = sizeof (Answers),
  .open = answers_open,
  .table = answers_table,
  .finish = answers_finish,
  .close = answers_close,
};

NPROF_PLUGIN ("answers", NPROF_VERSION, "Apache-2.0", &answers)
