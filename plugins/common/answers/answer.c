/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - reads files of answers: lines `-- KEY: VALUE`, then the statement. */
#include "answers/answer.h"
#include "answers/parts.h"
#include "answers/sentence.h"
#include "profile/window-parts.h"
#include "system/by-text.h"

#include <string.h>

typedef struct {
  NpAnswer *answer;
  const char *base;         /* the name of the file, without .sql */
  const GPtrArray *answers; /* that were read before */
  GHashTable *sets;         /* names of the sets of words */
  GString *with;            /* parts of statements of others, ", " behind each */
  char *problem;            /* of the line that is read; NULL: none */
  guint line;
} Reading;

/* -- Lines of the head ------------------------------------------------------------------------- */

static void
need_free (gpointer data)
{
  NpAnswerNeed *need = data;
  g_free (need->table);
  g_strfreev (need->columns);
  g_free (need);
}

static void
word_free (gpointer data)
{
  NpAnswerWord *word = data;
  g_free (word->set);
  g_free (word->value);
  g_free (word->text);
  g_free (word);
}

static GStrv
split_words (const char *text)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_auto (GStrv) all = g_strsplit (text, " ", -1);
  for (char **one = all; *one; one++)
    if (**one)
      g_strv_builder_add (words, *one);
  return g_strv_builder_end (words);
}

static void
read_each (Reading *r, const char *value)
{
  g_strfreev (r->answer->each);
  r->answer->each = split_words (value);
}

/* Returns the name of a table as its declaration has it: one with a dot stands in quotes, as in
 * SQL. */
static char *
plain_name (const char *name, gsize len)
{
  const gboolean quoted = len > 2 && name[0] == '"' && name[len - 1] == '"';
  return g_strndup (name + quoted, len - 2 * quoted);
}

static void
read_needs (Reading *r, const char *value)
{
  const char *open = strstr (value, " (");
  const gsize len = strlen (value);
  if (!open || open == value || value[len - 1] != ')') {
    r->problem = g_strdup ("expected needs: TABLE (COLUMN ...), or TABLE? (COLUMN ...)");
    return;
  }
  NpAnswerNeed *need = g_new0 (NpAnswerNeed, 1);
  g_autofree char *columns = g_strndup (open + 2, len - (gsize) (open - value) - 3);
  need->may_lack = open[-1] == '?';
  need->table = plain_name (value, (gsize) (open - value) - need->may_lack);
  need->columns = split_words (columns);
  need->line = r->line;
  g_ptr_array_add (r->answer->needs, need);
}

static void
add_word (Reading *r, const char *set, const char *value, const char *text)
{
  NpAnswerWord *word = g_new0 (NpAnswerWord, 1);
  word->set = g_strdup (set);
  word->value = g_strdup (value);
  word->text = g_strdup (text);
  g_ptr_array_add (r->answer->words, word);
  g_hash_table_add (r->sets, g_strdup (set));
}

static void
read_word (Reading *r, const char *value)
{
  g_auto (GStrv) halves = g_strsplit (value, ": ", 2);
  g_auto (GStrv) key = split_words (halves[0] ? halves[0] : "");
  if (g_strv_length (halves) != 2 || g_strv_length (key) != 2) {
    r->problem = g_strdup ("expected word: SET VALUE: TEXT, or SET *: TEXT for any other value");
    return;
  }
  add_word (r, key[0], key[1], halves[1]);
}

/* Returns whether the answer, which may be NULL, has such a set. */
static gboolean
add_words_of (Reading *r, const char *set, const NpAnswer *other)
{
  const guint before = r->answer->words->len;
  for (guint i = 0; other && i < other->words->len; i++) {
    const NpAnswerWord *word = other->words->pdata[i];
    if (!strcmp (word->set, set))
      add_word (r, set, word->value, word->text);
  }
  return r->answer->words->len > before;
}

/* Of a value the first word counts, so a line `word` before this one says it otherwise. */
static void
read_words (Reading *r, const char *value)
{
  g_auto (GStrv) key = split_words (value);
  if (g_strv_length (key) == 2 && !strcmp (key[1], "parts"))
    for (Part i = 0; i < PARTS; i++)
      add_word (r, key[0], window_part (i)->name, window_part (i)->said);
  else if (g_strv_length (key) != 2
           || !add_words_of (r, key[0], np_answers_find (r->answers, key[1])))
    r->problem = g_strdup ("expected words: SET parts, for what parts of windows are called, or "
                           "SET ANSWER, for that set of an answer whose path comes before");
}

/* Returns the part of a name of a statement, in one line; NULL: it has none, or comments are in it.
 * Transfer full. */
static char *
part_of (const char *sql, const char *name)
{
  const char *rest;
  g_autoptr (GArray) parts = np_parts_of (sql, &rest);
  for (guint i = 0; i < parts->len; i++) {
    const NpPart *part = &g_array_index (parts, NpPart, i);
    if (strlen (name) != part->name_length || memcmp (part->name, name, part->name_length))
      continue;
    g_autofree char *text = g_strndup (part->name, (gsize) (part->end - part->name));
    return strstr (text, "--") ? NULL : g_strdelimit (g_steal_pointer (&text), "\n", ' ');
  }
  return NULL;
}

/* Parts that come of others stand before its own, which keeps the numbers of lines. */
static void
read_with (Reading *r, const char *value)
{
  g_auto (GStrv) key = split_words (value);
  const NpAnswer *of = g_strv_length (key) == 2 ? np_answers_find (r->answers, key[1]) : NULL;
  g_autofree char *part = of ? part_of (of->sql, key[0]) : NULL;
  if (part)
    g_string_append_printf (r->with, "%s, ", part);
  else
    r->problem = g_strdup ("expected with: NAME ANSWER, for the part `NAME as (...)` of the "
                           "statement of an answer whose path comes before");
}

static void
read_note (Reading *r, const char *value)
{
  g_string_append_printf (r->answer->note, "%s%s", r->answer->note->len ? " " : "", value);
}

static void
read_sentence (Reading *r, NpAnswerSentence *to, const char *value)
{
  if (to->parts) {
    r->problem = g_strdup ("an answer says one sentence");
    return;
  }
  to->said = g_strdup (value);
  to->parts = np_sentence_parse (value, r->sets, &r->problem);
  to->line = r->line;
}

static void
read_say (Reading *r, const char *value)
{
  read_sentence (r, &r->answer->say, value);
}

static void
read_condition (Reading *r, const char *value)
{
  read_sentence (r, &r->answer->condition, value);
}

static void
read_advice (Reading *r, const char *value)
{
  read_sentence (r, &r->answer->advice, value);
}

static void
read_detail (Reading *r, const char *value)
{
  read_sentence (r, &r->answer->detail, value);
}

static void
read_record (Reading *r, const char *value)
{
  read_sentence (r, &r->answer->record, value);
}

/* "20 step", "50 mfu MFU": the head is the label where it is not told. */
static void
read_place (Reading *r, NpAnswerKind kind, const char *value)
{
  g_auto (GStrv) words = g_strsplit (value, " ", 3);
  guint64 place;
  if (g_strv_length (words) < 2
      || !g_ascii_string_to_unsigned (words[0], 10, 1, 999, &place, NULL)) {
    r->problem = g_strdup_printf ("expected %s: PLACE LABEL [HEAD], PLACE from 1 to 999",
                                  kind == NP_ANSWER_LINE ? "line" : "ability");
    return;
  }
  r->answer->kind = kind;
  r->answer->order = (guint) place;
  g_free (r->answer->label);
  g_free (r->answer->head);
  r->answer->label = g_strdup (words[1]);
  r->answer->head = g_strdelimit (g_strdup (words[2] ? words[2] : words[1]), "_", ' ');
}

static void
read_line_of_screen (Reading *r, const char *value)
{
  read_place (r, NP_ANSWER_LINE, value);
}

static void
read_ability (Reading *r, const char *value)
{
  read_place (r, NP_ANSWER_ABILITY, value);
}

#define TEXT(member) G_STRUCT_OFFSET (NpAnswer, member)

/* Keys whose value is kept as it stands, or read by a function. */
static const struct {
  const char *key;
  gsize text;
  void (*read) (Reading *reading, const char *value);
} keys[] = {
  { "code", TEXT (code), NULL },
  { "when", TEXT (threshold), NULL },
  { "stake", TEXT (source), NULL },
  { "of", TEXT (table), NULL },
  { "shown", TEXT (place), NULL },
  { "about", TEXT (about), NULL },
  { "each", 0, read_each },
  { "needs", 0, read_needs },
  { "word", 0, read_word },
  { "words", 0, read_words },
  { "with", 0, read_with },
  { "say", 0, read_say },
  { "note", 0, read_note },
  { "line", 0, read_line_of_screen },
  { "whole", TEXT (whole), NULL },
  { "ability", 0, read_ability },
  { "record", 0, read_record },
  { "advice", 0, read_advice },
  { "condition", 0, read_condition },
  { "detail", 0, read_detail },
};

static void
read_text (Reading *r, gsize member, const char *value)
{
  char **text = G_STRUCT_MEMBER_P (r->answer, member);
  g_free (*text);
  *text = g_strdup (value);
}

static void
read_pair (Reading *r, const char *key, const char *value)
{
  if (!strcmp (key, "SPDX-License-Identifier"))
    return;
  if (!strcmp (key, r->base)) {
    read_text (r, TEXT (summary), value);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (!strcmp (key, keys[i].key)) {
      if (keys[i].read)
        keys[i].read (r, value);
      else
        read_text (r, keys[i].text, value);
      return;
    }
  r->problem = g_strdup_printf (
      "%s: expected ability, about, advice, code, condition, detail, each, line, needs, "
      "note, of, record, say, shown, stake, when, whole, with, word, words, or %s, the "
      "name of the file",
      key, r->base);
}

static void
read_line (Reading *r, const char *line)
{
  const char *text = line + 2 + (line[2] == ' ');
  g_auto (GStrv) halves = g_strsplit (text, ": ", 2);
  if (!*text)
    return;
  if (g_strv_length (halves) == 2)
    read_pair (r, halves[0], halves[1]);
  else
    r->problem = g_strdup ("expected -- KEY: VALUE");
}

/* -- The file ---------------------------------------------------------------------------------- */

/* Reads the head and leaves the rest as the statement. */
static void
read_all (Reading *r, const char *text)
{
  for (r->line = 1; !r->problem && g_str_has_prefix (text, "--"); r->line++) {
    const char *end = strchr (text, '\n');
    g_autofree char *line = end ? g_strndup (text, (gsize) (end - text)) : g_strdup (text);
    read_line (r, line);
    text = end ? end + 1 : text + strlen (text);
    if (r->problem)
      return;
  }
  const gboolean joins = r->with->len && g_str_has_prefix (text, "with ");
  r->answer->sql = joins ? g_strconcat ("with ", r->with->str, text + 5, NULL) : g_strdup (text);
  if (r->with->len && !joins)
    r->problem
        = g_strdup ("expected a statement that begins with `with`, as lines `with:` stand above");
  r->answer->line = r->line;
}

/* Returns what a file lacks as a whole; NULL: nothing. */
static const char *
lack_of (const NpAnswer *a)
{
  return !a->summary ? "the first line is -- NAME: SUMMARY, NAME that of the file"
         : !a->threshold && a->kind == NP_ANSWER_FINDING ? "a line `when:` says when it is said"
         : !a->table && a->kind != NP_ANSWER_LINE ? "a line `of:` names the table that shows it"
         : !a->needs->len                         ? "a line `needs:` names a table that it reads"
         : !a->say.parts                          ? "a line `say:` is its sentence"
         : !a->sql[strspn (a->sql, " \t\n")]      ? "a statement stands below the lines of --"
                                                  : NULL;
}

static NpAnswer *
answer_new (const char *path, const char *prefix, const char *base)
{
  NpAnswer *a = g_new0 (NpAnswer, 1);
  a->kind = NP_ANSWER_FINDING;
  a->path = g_strdup (path);
  a->name = g_strconcat (prefix, base, NULL);
  a->code = g_strdup (base);
  a->source = g_strdup ("");
  a->place = g_strdup ("");
  a->whole = g_strdup ("");
  a->note = g_string_new ("");
  a->each = g_new0 (char *, 1);
  a->needs = g_ptr_array_new_with_free_func (need_free);
  a->words = g_ptr_array_new_with_free_func (word_free);
  return a;
}

static void
sentence_clear (NpAnswerSentence *sentence)
{
  g_free (sentence->said);
  g_clear_pointer (&sentence->parts, g_ptr_array_unref);
}

void
np_answer_free (NpAnswer *a)
{
  g_free (a->path);
  g_free (a->name);
  g_free (a->summary);
  g_free (a->code);
  g_free (a->threshold);
  g_free (a->source);
  g_free (a->table);
  g_free (a->place);
  g_free (a->about);
  g_free (a->label);
  g_free (a->head);
  g_free (a->whole);
  g_free (a->sql);
  g_string_free (a->note, TRUE);
  g_strfreev (a->each);
  g_ptr_array_unref (a->needs);
  g_ptr_array_unref (a->words);
  sentence_clear (&a->say);
  sentence_clear (&a->condition);
  sentence_clear (&a->advice);
  sentence_clear (&a->detail);
  sentence_clear (&a->record);
  g_free (a);
}

/* Returns NULL with *problem, "PATH:LINE: what", transfer full: the file is wrong. */
static NpAnswer *
read_file (const GPtrArray *answers, const char *path, const char *prefix, char **problem)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL, *file = g_path_get_basename (path),
                  *base = g_strndup (file, strlen (file) - strlen (".sql"));
  if (!g_file_get_contents (path, &text, NULL, &error)) {
    *problem = g_strdup (error->message);
    return NULL;
  }
  g_autoptr (NpAnswer) answer = answer_new (path, prefix, base);
  g_autoptr (GHashTable) sets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) with = g_string_new (NULL);
  Reading r = { .answer = answer, .base = base, .answers = answers, .sets = sets, .with = with };
  if (g_utf8_validate (text, -1, NULL))
    read_all (&r, text);
  else
    r.problem = g_strdup ("it is no UTF-8");
  g_autofree char *wrong = r.problem;
  const char *lack = wrong ? wrong : lack_of (answer);
  if (!lack)
    return g_steal_pointer (&answer);
  *problem = g_strdup_printf ("%s:%u: %s", path, r.line, lack);
  return NULL;
}

/* -- Folders ----------------------------------------------------------------------------------- */

/* Returns the paths of what is in a folder, in their order; transfer full. */
static GPtrArray *
paths_in (const char *folder)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (*name != '.')
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, np_by_text);
  return paths;
}

const NpAnswer *
np_answers_find (const GPtrArray *answers, const char *name)
{
  for (guint i = 0; i < answers->len; i++)
    if (!strcmp (((const NpAnswer *) answers->pdata[i])->name, name))
      return answers->pdata[i];
  return NULL;
}

/* Returns what is wrong, transfer full. */
static char *
add_file (GPtrArray *answers, const char *path, const char *prefix)
{
  char *problem = NULL;
  g_autoptr (NpAnswer) answer = read_file (answers, path, prefix, &problem);
  const NpAnswer *other = answer ? np_answers_find (answers, answer->name) : NULL;
  if (other)
    return g_strdup_printf ("%s:1: %s has its name, %s, too", path, other->path, other->name);
  if (answer)
    g_ptr_array_add (answers, g_steal_pointer (&answer));
  return problem;
}

void
np_answers_read (GPtrArray *answers, const char *folder, const char *prefix,
                 void (*tell) (gpointer user, const char *problem), gpointer user)
{
  g_autoptr (GPtrArray) subjects = paths_in (folder);
  for (guint i = 0; i < subjects->len; i++) {
    g_autoptr (GPtrArray) files = paths_in (subjects->pdata[i]);
    if (g_str_has_suffix (subjects->pdata[i], ".sql")) {
      g_autofree char *alone = g_strdup_printf (
          "%s:1: an answer lies in a folder named after its subject: SUBJECT/NAME.sql",
          (const char *) subjects->pdata[i]);
      tell (user, alone);
    }
    for (guint k = 0; k < files->len; k++) {
      g_autofree char *problem = g_str_has_suffix (files->pdata[k], ".sql")
                                     ? add_file (answers, files->pdata[k], prefix)
                                     : NULL;
      if (problem)
        tell (user, problem);
    }
  }
}
