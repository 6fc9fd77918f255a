/* SPDX-License-Identifier: Apache-2.0 */
/* collective.c - reads what the text of an HLO instruction says of a collective: its groups of
 * ranks, its elements and their type.  Where the text is cut or elements are of several types, less
 * is said. format: HloInstruction::ToString of XLA */
#include "profile/collective-keys.h"
#include "xplane.h"

static const char *const opcodes[] = {
  "all-reduce",         "all-gather",           "reduce-scatter", "all-to-all", "ragged-all-to-all",
  "collective-permute", "collective-broadcast", "send",           "recv"
};

/* These are the elements of all arrays in a list of types. */
typedef struct {
  PbSpan type; /* p is NULL: none yet                     */
  int64_t n;
  bool unsure; /* of several types, or too many to count  */
} Elements;

static bool
is_word (uint8_t c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '-';
}

/* Returns the elements that the dimensions behind the [ of a type make; -1: they cannot be
 * counted. */
static int64_t
dimensions (const uint8_t *p, const uint8_t *end)
{
  int64_t n = 1, one = 0;
  bool digits = false;
  for (; p < end; p++) {
    if (g_ascii_isdigit (*p)) {
      if (one > INT64_C (1) << 56)
        return -1;
      one = one * 10 + (*p - '0');
      digits = true;
    } else if (*p == ',' || *p == ']') {
      if (digits && __builtin_mul_overflow (n, one, &n))
        return -1;
      if (*p == ']')
        return n;
      one = 0;
    } else if (*p != '<' && *p != '=') { /* <= before the bound of a dynamic one */
      return -1;
    }
  }
  return -1;
}

static void
add_array (Elements *e, PbSpan type, int64_t n)
{
  bool other
      = e->type.p
        && (xp_len (type) != xp_len (e->type) || memcmp (type.p, e->type.p, xp_len (type)) != 0);
  e->unsure |= n < 0 || other || __builtin_add_overflow (e->n, n, &e->n);
  e->type = type;
}

/* Counts arrays: every NAME[ in it is one, but in the layout that stands in braces behind it. */
static void
count (PbSpan list, Elements *e)
{
  int braces = 0;
  for (const uint8_t *p = list.p; p < list.end; p++) {
    braces += (*p == '{') - (*p == '}');
    const uint8_t *from = p;
    while (!braces && p < list.end && is_word (*p))
      p++;
    if (p > from && p < list.end && *p == '[')
      add_array (e, (PbSpan){ from, p }, dimensions (p + 1, list.end));
    p -= p > from;
  }
}

/* Returns the end of what begins at p: before its closing bracket, or a comma or space outside of
 * brackets. */
static const uint8_t *
behind (const uint8_t *p, const uint8_t *end)
{
  int depth = 0;
  for (; p < end; p++) {
    depth += (*p == '(' || *p == '[' || *p == '{') - (*p == ')' || *p == ']' || *p == '}');
    if (depth < 0 || (depth == 0 && (*p == ',' || *p == ' ')))
      break;
  }
  return p;
}

/* Returns the value of NAME=, or an empty one. */
static PbSpan
parameter (PbSpan text, const char *name)
{
  const uint8_t *at = memmem (text.p, xp_len (text), name, strlen (name));
  if (!at)
    return (PbSpan){ NULL, NULL };
  at += strlen (name);
  return (PbSpan){ at, behind (at, text.end) };
}

/* Recognises all-reduce( and all-reduce-start(; an instruction with -done says nothing new. */
static bool
is_collective (PbSpan opcode, bool *starts)
{
  *starts = xp_len (opcode) > 6 && memcmp (opcode.end - 6, "-start", 6) == 0;
  opcode.end -= *starts ? 6 : 0;
  for (gsize i = 0; i < G_N_ELEMENTS (opcodes); i++)
    if (xp_is (opcode, opcodes[i]))
      return true;
  return false;
}

static void
put_int (XpScan *s, const char *key, int64_t value)
{
  if (s->host->wanted (s->host, key))
    xp_attrs_add (&s->shared, nprof_intern (s->host, key), NPROF_INT64,
                  (nprof_value){ .i = value });
}

static void
put_text (XpScan *s, const char *key, PbSpan text)
{
  if (xp_len (text) && s->host->wanted (s->host, key))
    xp_attrs_add (&s->shared, nprof_intern (s->host, key), NPROF_STRING,
                  (nprof_value){ .s = xp_intern (s->host, text) });
}

void
xp_collective (XpScan *s, PbSpan text)
{
  const uint8_t *is = memmem (text.p, xp_len (text), " = ", 3);
  if (!is)
    return;
  PbSpan result = { is + 3, behind (is + 3, text.end) };
  PbSpan opcode = { result.end + (result.end < text.end), result.end };
  for (opcode.end = opcode.p; opcode.end < text.end && is_word (*opcode.end);)
    opcode.end++;
  bool starts;
  if (opcode.end == text.end || *opcode.end != '(' || !is_collective (opcode, &starts))
    return;
  PbSpan operands = { opcode.end + 1, behind (opcode.end, text.end) };
  Elements in = { 0 }, out = { 0 };
  count (operands, &in);
  count (result, &out);
  if (in.type.p && !in.unsure)
    put_int (s, COLLECTIVE_KEY_ELEMENTS_IN, in.n);
  if (out.type.p && !out.unsure && !starts) /* the value of a start holds its operands as well */
    put_int (s, COLLECTIVE_KEY_ELEMENTS_OUT, out.n);
  const Elements *of = in.type.p ? &in : &out;
  if (!of->unsure)
    put_text (s, COLLECTIVE_KEY_DTYPE, of->type);
  PbSpan groups = parameter (text, "replica_groups=");
  put_text (s, COLLECTIVE_KEY_GROUP_RANKS,
            xp_len (groups) ? groups : parameter (text, "source_target_pairs="));
}
