/* SPDX-License-Identifier: Apache-2.0 */
/* pickle.c - runs the machine of a pickle: a stack of values, marks in it, and a memo of values
 * that are used again.  Values refer to each other and are never copied, so a file cannot grow
 * without end. */

#include "pickle/values.h"

#include <string.h>

/* These opcodes are those of pickletools.py. */
enum {
  PROTO = 0x80,
  FRAME = 0x95,
  STOP = '.',
  MARK = '(',
  POP = '0',
  POP_MARK = '1',
  DUP = '2',
  NONE = 'N',
  NEWTRUE = 0x88,
  NEWFALSE = 0x89,
  BININT = 'J',
  BININT1 = 'K',
  BININT2 = 'M',
  LONG1 = 0x8a,
  LONG4 = 0x8b,
  BINFLOAT = 'G',
  SHORT_BINUNICODE = 0x8c,
  BINUNICODE = 'X',
  BINUNICODE8 = 0x8d,
  SHORT_BINBYTES = 'C',
  BINBYTES = 'B',
  BINBYTES8 = 0x8e,
  EMPTY_LIST = ']',
  EMPTY_TUPLE = ')',
  EMPTY_DICT = '}',
  LIST = 'l',
  TUPLE = 't',
  DICT = 'd',
  TUPLE1 = 0x85,
  TUPLE2 = 0x86,
  TUPLE3 = 0x87,
  APPEND = 'a',
  APPENDS = 'e',
  SETITEM = 's',
  SETITEMS = 'u',
  MEMOIZE = 0x94,
  BINPUT = 'q',
  LONG_BINPUT = 'r',
  BINGET = 'h',
  LONG_BINGET = 'j'
};


/* -- Bytes ----------------------------------------------------------------- */

static gboolean
damaged (Pickle *p, const char *what)
{
  if (!p->problem)
    p->problem = g_strdup (what);
  return FALSE;
}

static const guint8 *
take_bytes (Pickle *p, guint64 n)
{
  if (n > p->len - p->at) {
    damaged (p, "the file ends in the middle of a value");
    return NULL;
  }
  p->at += n;
  return p->data + p->at - n;
}

/* Takes a number of n bytes, the lowest first. */
static gboolean
take_number (Pickle *p, guint n, guint64 *number)
{
  const guint8 *bytes = take_bytes (p, n);
  *number = 0;
  for (guint i = 0; bytes && i < n; i++)
    *number |= (guint64) bytes[i] << 8 * i;
  return bytes != NULL;
}

/* -- The stack ------------------------------------------------------------- */

static gboolean
push (Pickle *p, PkValue value)
{
  g_array_append_val (p->stack, value);
  return TRUE;
}

/* Returns the lowest place that belongs to the innermost mark. */
static guint
floor_of (const Pickle *p)
{
  return p->marks->len ? g_array_index (p->marks, guint, p->marks->len - 1) : 0;
}

static gboolean
pop (Pickle *p, PkValue *value)
{
  if (p->stack->len <= floor_of (p))
    return damaged (p, "a value is used that was not given");
  *value = g_array_index (p->stack, PkValue, p->stack->len - 1);
  g_array_set_size (p->stack, p->stack->len - 1);
  return TRUE;
}

static gboolean
push_items (Pickle *p, PkType type, guint from)
{
  PkValue value = { .type = type, .items = pk_items_new (p) };
  if (p->stack->len > from)
    pk_items_append (value.items, &g_array_index (p->stack, PkValue, from), p->stack->len - from);
  g_array_set_size (p->stack, from);
  return push (p, value);
}

/* Pushes a tuple of the n topmost values. */
static gboolean
push_tuple (Pickle *p, guint n)
{
  if (p->stack->len - floor_of (p) < n)
    return damaged (p, "a tuple of values that were not given");
  return push_items (p, PK_LIST, p->stack->len - n);
}

static gboolean
pop_mark (Pickle *p, guint *from)
{
  if (!p->marks->len)
    return damaged (p, "the end of a list or dict that was not begun");
  *from = floor_of (p);
  g_array_set_size (p->marks, p->marks->len - 1);
  return TRUE;
}

static gboolean
push_marked (Pickle *p, PkType type)
{
  guint from;
  return pop_mark (p, &from) && push_items (p, type, from);
}

/* Adds the values above `from` to the list or dict below. */
static gboolean
extend_items (Pickle *p, PkType type, guint from)
{
  guint n = p->stack->len - from;
  if (from <= floor_of (p) || (type == PK_DICT && n % 2))
    return damaged (p, "items of a list or dict that was not given");
  PkValue *into = &g_array_index (p->stack, PkValue, from - 1);
  if (into->type != type)
    return damaged (p, type == PK_DICT ? "keys are set in what is no dict"
                                       : "items are added to what is no list");
  pk_items_append (into->items, into + 1, n);
  g_array_set_size (p->stack, from);
  return TRUE;
}

static gboolean
extend_marked (Pickle *p, PkType type)
{
  guint from;
  return pop_mark (p, &from) && extend_items (p, type, from);
}

static gboolean
extend_top (Pickle *p, PkType type, guint n)
{
  return p->stack->len < floor_of (p) + n ? damaged (p, "an item that was not given")
                                          : extend_items (p, type, p->stack->len - n);
}

/* -- The memo -------------------------------------------------------------- */

static gboolean
put_memo (Pickle *p, guint64 slot)
{
  if (p->stack->len <= floor_of (p))
    return damaged (p, "nothing is there to be remembered");
  if (slot > p->memo->len)
    return damaged (p, "a slot of the memo is beyond the next one");
  PkValue value = g_array_index (p->stack, PkValue, p->stack->len - 1);
  if (slot == p->memo->len)
    g_array_append_val (p->memo, value);
  else
    g_array_index (p->memo, PkValue, slot) = value;
  return TRUE;
}

static gboolean
get (Pickle *p, guint64 slot)
{
  return slot < p->memo->len ? push (p, g_array_index (p->memo, PkValue, slot))
                             : damaged (p, "a slot of the memo that is empty");
}

/* -- Numbers and texts ----------------------------------------------------- */

static gboolean
push_int (Pickle *p, gint64 i)
{
  return push (p, (PkValue){ .type = PK_INT, .i = i });
}

/* Pushes two's complement of any length; a number that does not fit 64 bits is no size and no
 * address.  Addresses are unsigned: one of 2^63 and more is kept as its 64 bits. */
static gboolean
push_long (Pickle *p, guint64 n)
{
  const guint8 *bytes = take_bytes (p, n);
  if (!bytes)
    return FALSE;
  guint8 sign = n && bytes[n - 1] & 0x80 ? 0xff : 0;
  while (n > 8 && bytes[n - 1] == sign && (bytes[n - 2] & 0x80) == (sign & 0x80))
    n--;
  if (n == 9 && !bytes[8])
    n = 8;
  if (n > 8)
    return damaged (p, "an integer of more than 64 bits");
  guint64 value = sign ? G_MAXUINT64 : 0;
  for (guint i = 0; i < n; i++)
    value = (value & ~((guint64) 0xff << 8 * i)) | (guint64) bytes[i] << 8 * i;
  return push_int (p, (gint64) value);
}

static gboolean
push_float (Pickle *p)
{
  const guint8 *bytes = take_bytes (p, 8);
  union {
    guint64 bits;
    double f;
  } value = { 0 };
  for (guint i = 0; bytes && i < 8; i++)
    value.bits = value.bits << 8 | bytes[i];
  return bytes && push (p, (PkValue){ .type = PK_FLOAT, .f = value.f });
}

static gboolean
push_text (Pickle *p, guint size_bytes)
{
  guint64 n;
  if (!take_number (p, size_bytes, &n))
    return FALSE;
  if (n > G_MAXUINT32)
    return damaged (p, "a text of more than 4 GB");
  const guint8 *text = take_bytes (p, n);
  return text
         && push (p, (PkValue){ .type = PK_TEXT, .len = (guint32) n, .text = (const char *) text });
}

/* -- Opcodes --------------------------------------------------------------- */

static gboolean
refuse_opcode (Pickle *p, guint8 op)
{
  g_free (p->problem);
  p->problem
      = g_strdup_printf ("opcode 0x%02x would call or name code; such a file holds data only",
                         op);
  return FALSE;
}

/* Runs an opcode with a number behind it. */
static gboolean
step_numbered (Pickle *p, guint8 op)
{
  static const guint8 sizes[256] = {
    [PROTO] = 1, [FRAME] = 8,  [BININT] = 4,      [BININT1] = 1, [BININT2] = 2,    [LONG1] = 1,
    [LONG4] = 4, [BINPUT] = 1, [LONG_BINPUT] = 4, [BINGET] = 1,  [LONG_BINGET] = 4
  };
  guint64 n;
  if (!sizes[op])
    return refuse_opcode (p, op);
  if (!take_number (p, sizes[op], &n))
    return FALSE;
  switch (op) {
  case PROTO:
    return n >= 2 && n <= 5 ? TRUE : damaged (p, "the protocol is none of 2 to 5");
  case FRAME: /* only says how many bytes belong together */
    return n <= p->len - p->at ? TRUE : damaged (p, "the file ends in the middle of a frame");
  case BININT:
    return push_int (p, (gint32) (guint32) n);
  case LONG1:
  case LONG4:
    return push_long (p, n);
  case BINPUT:
  case LONG_BINPUT:
    return put_memo (p, n);
  case BINGET:
  case LONG_BINGET:
    return get (p, n);
  default:
    return push_int (p, (gint64) n);
  }
}

static gboolean
step_plain (Pickle *p, guint8 op)
{
  PkValue value;
  guint from;
  switch (op) {
  case MARK:
    g_array_append_val (p->marks, p->stack->len);
    return TRUE;
  case POP:
    return pop (p, &value);
  case POP_MARK:
    if (!pop_mark (p, &from))
      return FALSE;
    g_array_set_size (p->stack, from);
    return TRUE;
  case DUP:
    return pop (p, &value) && push (p, value) && push (p, value);
  case NONE:
    return push (p, (PkValue){ .type = PK_NONE });
  case NEWTRUE:
  case NEWFALSE:
    return push (p, (PkValue){ .type = PK_BOOL, .i = op == NEWTRUE });
  case MEMOIZE:
    return put_memo (p, p->memo->len);
  case BINFLOAT:
    return push_float (p);
  default:
    return step_numbered (p, op);
  }
}

static gboolean
run_opcode (Pickle *p, guint8 op)
{
  switch (op) {
  case SHORT_BINUNICODE:
  case SHORT_BINBYTES:
    return push_text (p, 1);
  case BINUNICODE:
  case BINBYTES:
    return push_text (p, 4);
  case BINUNICODE8:
  case BINBYTES8:
    return push_text (p, 8);
  case EMPTY_LIST:
  case EMPTY_TUPLE:
    return push_items (p, PK_LIST, p->stack->len);
  case EMPTY_DICT:
    return push_items (p, PK_DICT, p->stack->len);
  case TUPLE1:
  case TUPLE2:
  case TUPLE3:
    return push_tuple (p, op - TUPLE1 + 1u);
  case LIST:
  case TUPLE:
    return push_marked (p, PK_LIST);
  case DICT:
    return push_marked (p, PK_DICT);
  case APPEND:
    return extend_top (p, PK_LIST, 1);
  case APPENDS:
    return extend_marked (p, PK_LIST);
  case SETITEM:
    return extend_top (p, PK_DICT, 2);
  case SETITEMS:
    return extend_marked (p, PK_DICT);
  default:
    return step_plain (p, op);
  }
}

static gboolean
run (Pickle *p, PkValue *root)
{
  for (;;) {
    p->op_at = p->at;
    const guint8 *op = take_bytes (p, 1);
    if (!op)
      return FALSE;
    if (*op == STOP)
      return pop (p, root);
    if (!run_opcode (p, *op))
      return FALSE;
  }
}

Pickle *
pk_read (const void *data, guint64 len, PkValue *root, char **problem, guint64 *at)
{
  Pickle *p = pk_new (data, len);
  if (run (p, root))
    return p;
  *problem = g_steal_pointer (&p->problem);
  *at = p->op_at;
  pk_free (p);
  return NULL;
}
