/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - puts JSON of a producer as typed annotations, in one pass over its bytes: objects become
 * dicts, arrays stay arrays, integers of 64 bits exact.  What is not as most producers write it
 * (other text than ASCII, escapes, words and numbers that JSON does not have) is made strict first,
 * and put from there. */
#include "perfetto.h"

#include "trace-out/strict-json.h"

#define DEPTH 100 /* JSON that is nested deeper stays text */
#define NO_WORD G_MAXUINT32

struct source {
  struct perfetto_sink *self;
  struct nprof_buf *to;
  const char *at, *end;
  gboolean strict;  /* it is as nprof_put_json writes it     */
  gboolean skips;   /* what is put will be cut off again     */
  const char *text; /* of a string that is no word           */
  size_t len;
};

static gboolean put_value (struct source *s, guint depth);

static inline char
next (struct source *s)
{
  if (s->at<s->end && * s->at> ' ')
    return *s->at;
  while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
    s->at++;
  return s->at < s->end ? *s->at : 0;
}

/* -- Strings --------------------------------------------------------------- */

/* Returns the quote that ends a string; NULL: it holds more than ASCII without escapes. */
static const char *
end_of_plain (const char *at, const char *end)
{
  const guint64 ones = G_GUINT64_CONSTANT (0x0101010101010101), tops = ones << 7;
  for (guint64 eight; end - at >= 8; at += 8) {
    memcpy (&eight, at, 8);
    const guint64 quote = eight ^ ones * '"', slash = eight ^ ones * '\\';
    if (((quote - ones) | (slash - ones) | (eight - ones) | eight) & tops)
      break; /* one of these is among them, or a byte behind one looks so */
  }
  for (; at < end; at++) {
    if (*at == '"')
      return at;
    if (*at == '\\' || (signed char) *at <= 0)
      return NULL;
  }
  return NULL;
}

/* Makes the word of a strict string, without its quotes and escapes; returns its end. */
static const char *
unescape (struct nprof_buf *to, const char *at)
{
  static const char plain[] = "b\bf\fn\nr\rt\t";
  const char *end = strict_json_skip_string (at) - 1;
  to->len = 0;
  for (at++; at < end; at++) {
    const char *run = at;
    while (at < end && *at != '\\')
      at++;
    nprof_put (to, run, (size_t) (at - run));
    if (at == end)
      break;
    at++;
    const char *escaped = *at == 'u' ? NULL : strchr (plain, *at);
    if (*at == 'u') {
      int c = nprof_json_hex4 (at + 1, end);
      char utf8[6];
      if (c > 0)
        nprof_put (to, utf8, (size_t) g_unichar_to_utf8 ((gunichar) c, utf8));
      else
        nprof_put_text (to, "\xe2\x90\x80");
      at += 4;
    } else {
      nprof_put_char (to, escaped ? escaped[1] : *at);
    }
  }
  return end + 1;
}

/* Finds the text of the string at s->at, and goes behind it. */
static inline gboolean
string_at (struct source *s, const char **text, size_t *len)
{
  const char *end = end_of_plain (s->at + 1, s->end);
  if (end) {
    *text = s->at + 1;
    *len = (size_t) (end - *text);
    s->at = end + 1;
    return TRUE;
  }
  if (!s->strict)
    return FALSE;
  struct nprof_buf *word = &s->self->word;
  s->at = unescape (word, s->at);
  s->to->failed |= word->failed;
  *text = word->failed ? "" : word->data;
  *len = word->failed ? 0 : word->len;
  return TRUE;
}

static inline struct word *
word_at (struct interned *table, guint32 k)
{
  return k < table->words.all->len ? &g_array_index (table->words.all, struct word, k) : NULL;
}

static inline gboolean
is_here (const struct source *s, const struct word *word)
{
  return word && word->plain && s->end - s->at > (gssize) word->len + 2
         && s->at[word->len + 1] == '"' && !memcmp (s->at + 1, word->text, word->len);
}

/* Finds the word of the string at s->at, most often the one that came behind the last one before,
 * and goes behind it; NO_WORD: it is long, s->text. */
static gboolean
find_here (struct source *s, guint kind, guint32 *found)
{
  struct interned *table = s->self->interned + kind;
  const struct word *last = word_at (table, table->last_word);
  const struct word *guess = last ? word_at (table, last->after) : NULL;
  if (is_here (s, guess)) {
    s->at += guess->len + 2;
    *found = table->last_word = last->after;
    return TRUE;
  }
  if (!string_at (s, &s->text, &s->len))
    return FALSE;
  *found = NO_WORD;
  if (s->len > INTERNED_LENGTH)
    return TRUE;
  *found = perfetto_find_word (s->self, kind, s->text, s->len);
  word_at (table, last ? table->last_word : *found)->after = *found;
  table->last_word = *found;
  return TRUE;
}

static void
put_long (struct source *s, guint kind)
{
  wire_bytes (s->to, kind == INTERNED_ARG_NAMES ? ARG_NAME : ARG_STRING, s->text, s->len);
}

static gboolean
put_string (struct source *s, guint kind)
{
  guint32 word = NO_WORD;
  if (!(perfetto_interns (s->self, 0) ? find_here (s, kind, &word)
                                      : string_at (s, &s->text, &s->len)))
    return FALSE;
  if (s->skips)
    return TRUE;
  if (word == NO_WORD)
    put_long (s, kind);
  else
    perfetto_put_word (s->self, s->to, kind, word);
  return TRUE;
}

/* -- Numbers and words ----------------------------------------------------- */

static const char *
end_of_scalar (const char *at, const char *end)
{
  while (at < end && *at != ',' && *at != '}' && *at != ']' && (guchar) *at > ' ')
    at++;
  return at;
}

/* Reads digits that make a number below 10^18 without a sign; FALSE: something else is there. */
static inline gboolean
read_digits (struct source *s, guint64 *number)
{
  const char *at = s->at, *most = s->end - at > 18 ? at + 18 : s->end;
  guint64 sum = 0;
  for (; at < most && (guchar) (*at - '0') < 10; at++)
    sum = sum * 10 + (guchar) (*at - '0');
  if (at == s->at || at == s->end || (*s->at == '0' && at - s->at > 1)
      || (*at != ',' && *at != '}' && *at != ']' && *at != ' ' && *at != '\n'))
    return FALSE;
  s->at = at;
  *number = sum;
  return TRUE;
}

static void
put_long_number (struct nprof_buf *to, const char *text, gboolean whole)
{
  gint64 i;
  guint64 u;
  if (!whole || !strcmp (text, "-0"))
    wire_double (to, ARG_DOUBLE, g_ascii_strtod (text, NULL));
  else if (g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &i, NULL))
    wire_uint (to, ARG_INT, (guint64) i);
  else if (g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &u, NULL))
    wire_uint (to, ARG_UINT, u);
  else
    wire_text (to, ARG_STRING, text); /* an integer that no type holds */
}

static gboolean
put_scalar (struct source *s)
{
  guint64 number;
  if (read_digits (s, &number)) {
    wire_uint (s->to, ARG_INT, number);
    return TRUE;
  }
  const char *from = s->at, *end = s->at = end_of_scalar (from, s->end);
  const size_t len = (size_t) (end - from);
  gboolean is_true = len == 4 && !memcmp (from, "true", 4);
  if (is_true || (len == 5 && !memcmp (from, "false", 5))) {
    wire_uint (s->to, ARG_BOOL, is_true);
  } else if (len == 4 && !memcmp (from, "null", 4)) {
    wire_text (s->to, ARG_STRING, "null");
  } else {
    char text[64];
    bool whole = false;
    if (!nprof_json_is_number (from, end, &whole))
      return FALSE;
    g_autofree char *longer = len < sizeof text ? NULL : g_strndup (from, len);
    memcpy (text, from, MIN (len, sizeof text - 1));
    text[MIN (len, sizeof text - 1)] = 0;
    put_long_number (s->to, longer ? longer : text, whole);
  }
  return TRUE;
}

/* -- Values ---------------------------------------------------------------- */

/* Puts what stands behind a key. */
static gboolean
put_member_value (struct source *s, guint depth)
{
  if (next (s) != ':')
    return FALSE;
  s->at++;
  return put_value (s, depth);
}

/* Goes behind the comma or the bracket that follows a value; *more: it was a comma. */
static inline gboolean
go_on (struct source *s, char close, gboolean *more)
{
  const char c = next (s);
  *more = c == ',';
  if (c != ',' && c != close)
    return FALSE;
  s->at++;
  return TRUE;
}

static gboolean
put_member (struct source *s, guint depth)
{
  size_t from = wire_begin (s->to, ARG_MEMBER);
  if (next (s) != '"' || !put_string (s, INTERNED_ARG_NAMES) || !put_member_value (s, depth))
    return FALSE;
  wire_end (s->to, from);
  return TRUE;
}

/* Most elements are numbers and words, which are short. */
static gboolean
put_element (struct source *s, guint depth)
{
  guint64 number;
  next (s);
  if (read_digits (s, &number)) {
    wire_one (s->to, ARG_ELEMENT, ARG_INT, number);
    return TRUE;
  }
  size_t from = wire_begin (s->to, ARG_ELEMENT);
  if (!put_value (s, depth))
    return FALSE;
  wire_end (s->to, from);
  return TRUE;
}

static gboolean
put_elements (struct source *s, char close, guint depth)
{
  for (gboolean more = TRUE; more;)
    if (!(close == '}' ? put_member (s, depth + 1) : put_element (s, depth + 1))
        || !go_on (s, close, &more))
      return FALSE;
  return TRUE;
}

/* Puts the fields of a value, and goes behind it. FALSE: it is not as most write it. */
static gboolean
put_value (struct source *s, guint depth)
{
  const char c = next (s);
  if (c == '"')
    return put_string (s, INTERNED_ARG_STRINGS);
  if (c != '{' && c != '[')
    return put_scalar (s);
  const char *from = s->at++, close = c == '{' ? '}' : ']';
  if (depth == DEPTH) {
    if (!s->strict)
      return FALSE;
    s->at = strict_json_skip_value (from);
    wire_bytes (s->to, ARG_STRING, from, (size_t) (s->at - from));
    return TRUE;
  }
  if (next (s) != close)
    return put_elements (s, close, depth);
  s->at++;
  wire_text (s->to, ARG_STRING, c == '{' ? "{}" : "[]");
  return TRUE;
}

/* Puts a member of the source's object beside the attributes; one that was decoded is not said
 * twice. */
static gboolean
put_arg (struct source *s)
{
  guint32 key;
  size_t from = wire_begin (s->to, EVENT_ARG);
  if (next (s) != '"' || !find_here (s, INTERNED_ARG_NAMES, &key))
    return FALSE;
  if (key == NO_WORD)
    put_long (s, INTERNED_ARG_NAMES);
  else
    s->skips = perfetto_put_key (s->self, s->to, key);
  if (!put_member_value (s, 1))
    return FALSE;
  if (s->skips)
    s->to->len = from - 2; /* as long as the tag and the length of an arg */
  else
    wire_end (s->to, from);
  s->skips = FALSE;
  return TRUE;
}

static gboolean
put_object (struct source *s)
{
  if (next (s) != '{')
    return FALSE;
  s->at++;
  if (next (s) == '}') {
    s->at++;
    return TRUE;
  }
  for (gboolean more = TRUE; more;)
    if (!put_arg (s) || !go_on (s, '}', &more))
      return FALSE;
  return TRUE;
}

/* Puts all of a text by `put`, from its strict form if need be. */
static gboolean
put_whole (struct perfetto_sink *self, struct nprof_buf *to, const struct nprof_field *field,
           gboolean (*put) (struct source *))
{
  const size_t before = to->len;
  const char *text = field->bytes + field->value.bytes.at;
  struct source s = { .self = self, .to = to, .at = text, .end = text + field->value.bytes.len };
  if (put (&s) && !next (&s) && s.at == s.end)
    return TRUE;
  struct nprof_buf *json = &self->scratch;
  to->len = before;
  json->len = 0;
  nprof_put_json (json, text, field->value.bytes.len, 0);
  nprof_put_char (json, 0); /* at which steps over what is strict end */
  to->failed |= json->failed;
  if (json->failed)
    return TRUE;
  s = (struct source){
    .self = self, .to = to, .at = json->data, .end = json->data + json->len - 1, .strict = TRUE
  };
  if (put (&s))
    return TRUE;
  to->len = before;
  return FALSE;
}

static gboolean
put_outermost (struct source *s)
{
  return put_value (s, 0);
}

void
perfetto_put_json (struct perfetto_sink *self, struct nprof_buf *to,
                   const struct nprof_field *field)
{
  put_whole (self, to, field, put_outermost);
}

gboolean
perfetto_put_members (struct perfetto_sink *self, struct nprof_buf *to,
                      const struct nprof_field *field)
{
  return put_whole (self, to, field, put_object);
}
