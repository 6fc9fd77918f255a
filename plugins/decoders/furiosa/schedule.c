/* SPDX-License-Identifier: Apache-2.0 */
/* schedule.c - reads schedule.json, the plan that the compiler of RNGD writes: which instruction is
 * to run in which cycles, and where tensors lie meanwhile. Nothing in it was measured. format:
 * furiosa.md */
#include "schedule.h"

#include <math.h>
#include <string.h>

NPROF_TABLE (schedule, "Planned instructions",
             "a plan of the compiler, no measurement; cycles of a clock that the file does "
             "not tell",
             SCHEDULE)

NPROF_TABLE (schedule_tensors, "Planned tensors",
             "a plan of the compiler, no measurement: where tensors lie, and in which cycles",
             SCHEDULE_TENSORS)

/* -- Values ------------------------------------------------------------------------------------ */

/* Returns the member with that key; one of kind TE_NONE where there is none. */
static TeValue
member (FuPart *part, const TeValue *object, const char *key)
{
  TeValue value;
  return ch_member (part->chrome.c->scanner, object, key, &value) ? value
                                                                  : (TeValue){ .kind = TE_NONE };
}

static struct nprof_maybe_int
some_int (const TeValue *v)
{
  return nprof_int_if (v->kind == TE_INT, v->i);
}

static struct nprof_maybe_double
some_double (const TeValue *v)
{
  if (v->kind != TE_INT && v->kind != TE_WORD)
    return nprof_some_double (NAN);
  g_autofree char *text = g_strndup (v->p, v->len);
  char *end;
  double x = g_ascii_strtod (text, &end);
  return nprof_double_if (*text && !*end && isfinite (x), x);
}

/* Returns the text without its escapes, transfer full; what is no text stays as the file has it. */
static char *
text_of (const TeValue *v)
{
  char *text = g_malloc (v->len + 1);
  size_t n = v->kind == TE_TEXT ? te_unescape (text, v->p, v->len) : v->len;
  if (v->kind != TE_TEXT && n)
    memcpy (text, v->p, n);
  text[n] = '\0';
  return text;
}

static struct nprof_maybe_str
some_text (FuPart *part, const TeValue *v)
{
  g_autofree char *text = v->kind == TE_NONE || v->kind == TE_WORD ? NULL : text_of (v);
  return nprof_str_if (text, text ? nprof_intern (part->chrome.host, text) : 0);
}

/* Returns what is between the brackets, without quotes and blanks: "MainContext,VectorEngine". */
static struct nprof_maybe_str
some_list (FuPart *part, const TeValue *v)
{
  if (v->kind != TE_ARRAY || v->len < 2)
    return nprof_some_str (0);
  g_autoptr (GString) text = g_string_new (NULL);
  for (size_t i = 1; i + 1 < v->len; i++)
    if (!strchr ("\" \t\r\n", v->p[i]))
      g_string_append_c (text, v->p[i]);
  return nprof_any_str (nprof_intern (part->chrome.host, text->str));
}

/* -- Rows -------------------------------------------------------------------------------------- */

typedef struct {
  TeValue begin, end;
  bool known;
  int64_t cycles;
} Lifetime;

static Lifetime
lifetime_of (FuPart *part, const TeValue *object)
{
  TeValue whole = member (part, object, "lifetime");
  Lifetime l = { .begin = member (part, &whole, "begin"), .end = member (part, &whole, "end") };
  l.known = l.begin.kind == TE_INT && l.end.kind == TE_INT
            && !__builtin_sub_overflow (l.end.i, l.begin.i, &l.cycles) && l.cycles >= 0;
  return l;
}

/* Splits "--> FILE:LINE:COLUMN", a blank line, and the program's text. */
static char *
source_of (char *description, const char **text)
{
  char *line = g_str_has_prefix (description, "--> ") ? description + 4 : NULL;
  *text = description;
  if (!line)
    return NULL;
  char *end = line + strcspn (line, "\n");
  *text = end + strspn (end, "\n");
  return g_strndup (line, (gsize) (end - line));
}

/* Writes a span where the user gives a clock; its track is of no device, because nothing ran. */
static nprof_status
planned_span (FuPart *part, struct nprof_maybe_str name, struct nprof_maybe_str where,
              const Lifetime *l, const char *source)
{
  Furiosa *f = fu_of (part);
  const struct nprof_host *host = part->chrome.host;
  int64_t begin, end;
  if (!f->milli_hz || !l->known || !fu_cycles_ps (f, l->begin.i, &begin)
      || !fu_cycles_ps (f, l->end.i, &end))
    return NPROF_OK;
  nprof_track plan = host->track (host, 0, NPROF_TRACK_DERIVED, nprof_intern (host, "plan"),
                                  nprof_intern (host, "plan of the compiler, not measured"), 0);
  nprof_str key = where.known ? where.value : nprof_intern (host, "no context");
  nprof_track track = plan ? host->track (host, plan, NPROF_TRACK_DERIVED, key, 0, 0) : 0;
  if (!track)
    return NPROF_E_NOMEM;
  nprof_status status = nprof_span (part->chrome.w, track,
                                    name.known ? name.value : nprof_intern (host, "instruction"),
                                    begin, end - begin);
  if (status)
    return status;
  nprof_set_category (part->chrome.w, nprof_intern (host, "planned"));
  status = nprof_attr_int (part->chrome.w, f->key[FU_KEY_BEGIN_CYCLE], l->begin.i);
  status = status ? status : nprof_attr_int (part->chrome.w, f->key[FU_KEY_END_CYCLE], l->end.i);
  if (!status && source)
    status = nprof_attr_str (part->chrome.w, nprof_intern (host, NPROF_KEY_SOURCE),
                             nprof_intern (host, source));
  return status;
}

static nprof_status
instruction (FuPart *part, const TeValue *object)
{
  TeValue index = member (part, object, "index"), type = member (part, object, "tpe");
  TeValue contexts = member (part, object, "contexts"), told = member (part, object, "description");
  TeValue inputs = member (part, object, "input_tensors"),
          outputs = member (part, object, "output_tensors");
  TeValue util = member (part, object, "util"), total = member (part, &util, "total_util");
  TeValue base = member (part, &util, "base_util"), efficiency = member (part, &util, "efficiency");
  const struct nprof_maybe_str name = some_text (part, &type), where = some_list (part, &contexts);
  Lifetime l = lifetime_of (part, object);
  g_autofree char *description = told.kind == TE_TEXT ? text_of (&told) : g_strdup ("");
  const char *text;
  g_autofree char *source = source_of (description, &text);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  const struct schedule_row row = {
    .instruction = some_text (part, &index),
    .type = name,
    .contexts = where,
    .begin_cycle = some_int (&l.begin),
    .end_cycle = some_int (&l.end),
    .cycles = nprof_int_if (l.known, l.cycles),
    .source = nprof_str_if (source, source ? nprof_intern (part->chrome.host, source) : 0),
    .description = nprof_text_if (*valid, valid),
    .total_util = some_double (&total),
    .base_util = some_double (&base),
    .efficiency = some_double (&efficiency),
    .inputs = some_list (part, &inputs),
    .outputs = some_list (part, &outputs),
  };
  nprof_status status = part->chrome.host->row (
      part->chrome.host, &schedule_table,
      schedule_cells (nprof_cell_str (fu_of (part)->chrome.input->label), &row).cells);
  return status ? status : planned_span (part, name, where, &l, source);
}

static nprof_status
tensor (FuPart *part, const TeValue *object)
{
  TeValue index = member (part, object, "index"), name = member (part, object, "name");
  TeValue buffer = member (part, object, "buffer_type"), address = member (part, object, "address");
  TeValue size = member (part, object, "size"), shape = member (part, object, "shape");
  Lifetime l = lifetime_of (part, object);
  const struct schedule_tensors_row row = {
    .tensor = some_text (part, &index),
    .name = some_text (part, &name),
    .buffer = some_text (part, &buffer),
    .begin_cycle = some_int (&l.begin),
    .end_cycle = some_int (&l.end),
    .address = some_int (&address),
    .bytes = some_int (&size),
    .shape = some_text (part, &shape),
  };
  return part->chrome.host->row (
      part->chrome.host, &schedule_tensors_table,
      schedule_tensors_cells (nprof_cell_str (fu_of (part)->chrome.input->label), &row).cells);
}

/* -- The whole --------------------------------------------------------------------------------- */

typedef nprof_status (*Each) (FuPart *part, const TeValue *object);

static nprof_status
damaged (FuPart *part, const char *at, const char *why)
{
  part->line = 1;
  for (const char *p = fu_of (part)->chrome.data; p < at; p++)
    part->line += *p == '\n';
  return fu_csv_damage (part, at, "%s", why);
}

static nprof_status
each_of (FuPart *part, const TeValue *array, Each fn)
{
  TeScan s = { .with = part->chrome.c->scanner, .end = array->p + array->len };
  const char *p = array->p + 1;
  TeValue value;
  nprof_status status = NPROF_OK;
  while (!status) {
    p = fu_separators (p, s.end);
    if (p >= s.end || *p == ']')
      break;
    const char *next = s.with->value (&s, p, &value);
    if (!next)
      return damaged (part, s.bad, s.why);
    status
        = value.kind == TE_OBJECT ? fn (part, &value) : damaged (part, p, "an object was expected");
    p = next;
    if (!status)
      status = fu_csv_progress (part, p);
  }
  return status;
}

static nprof_status
top_member (FuPart *part, const TeValue *key, const TeValue *value)
{
  if (te_text_is (key, "instructions") && value->kind == TE_ARRAY)
    return each_of (part, value, instruction);
  if (te_text_is (key, "tensors") && value->kind == TE_ARRAY)
    return each_of (part, value, tensor);
  return NPROF_OK;
}

nprof_status
fu_schedule_decode (FuPart *part)
{
  Furiosa *f = fu_of (part);
  TeScan s = { .with = f->chrome.scanner, .end = f->chrome.end };
  const char *p = te_space (fu_bom (f->chrome.data, s.end), s.end);
  TeValue key, value;
  nprof_status status = NPROF_OK;
  part->chrome.reported = f->chrome.data;
  if (p < s.end)
    p++; /* its { */
  for (const char *next; !status && (next = te_member (&s, p, &key, &value)); p = next)
    status = top_member (part, &key, &value);
  if (!status && s.why)
    status = damaged (part, s.bad, s.why);
  return status
             ? status
             : part->chrome.host->progress (part->chrome.host, fu_byte (f, part->chrome.reported),
                                            fu_byte (f, s.end));
}

nprof_status
fu_schedule_plan (Furiosa *f)
{
  const struct nprof_host *host = f->chrome.host;
  nprof_log (host, NPROF_WARNING,
             "this is a plan of the compiler, no measurement: its cycles are in table schedule%s",
             f->milli_hz ? ", and as spans of category planned" : "; clock=HZ makes spans of them");
  nprof_status status = host->property (host, "measured", "no: a plan of the compiler");
  status = status ? status : host->table (host, &schedule_table);
  return status ? status : host->table (host, &schedule_tensors_table);
}

/* A plan has instructions with a lifetime, and no events. */
bool
fu_is_schedule (const char *p, const char *end)
{
  size_t len = (size_t) (end - p);
  const char *list = memmem (p, len, "\"instructions\"", 14);
  return *p == '{' && list && memmem (p, len, "\"lifetime\"", 10) && memmem (p, len, "\"tpe\"", 5)
         && !memmem (p, len, "\"traceEvents\"", 13);
}
