/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - reads what a row says of a collective: its kind, bytes and group.  Bytes are S of
 * nccl-tests: the message, or for collectives that gather or scatter the parts of all ranks. */
#include "collectives.h"
#include "profile/collective-keys.h"

#include <string.h>

enum { STATED, GROUP, LABEL, RANKS, SIZE, IN, OUT, DTYPE, INPUT_SIZE, OUTPUT_SIZE, EXTERNAL };

const char *const co_keys[]
    = { NPROF_KEY_COLLECTIVE,        COLLECTIVE_KEY_GROUP,      COLLECTIVE_KEY_GROUP_LABEL,
        COLLECTIVE_KEY_GROUP_RANKS,  COLLECTIVE_KEY_GROUP_SIZE, COLLECTIVE_KEY_ELEMENTS_IN,
        COLLECTIVE_KEY_ELEMENTS_OUT, COLLECTIVE_KEY_DTYPE,      COLLECTIVE_KEY_INPUT_SIZE,
        COLLECTIVE_KEY_OUTPUT_SIZE,  COLLECTIVE_KEY_OPERATOR,   NULL };

/* The rank gives and gets so many elements or bytes; -1: not told. */
typedef struct {
  gint64 in, out;
} Amount;

static gint64
count_of (const Collectives *c, guint key)
{
  int64_t n;
  return c->pick.field[key].type && nprof_reader_int (&c->pick, key, &n) && n >= 0 ? n : -1;
}

static gint64
whole (gint64 part, gint64 ranks)
{
  gint64 n;
  return part < 0 || ranks <= 0 || __builtin_mul_overflow (part, ranks, &n) ? -1 : n;
}

/* Returns the size that bandwidths are of: for all-gather and reduce-scatter that of all parts, of
 * others the larger of in and out; -1: not known. source: nccl-tests, the comments of GetBw (S) */
static gint64
size_of (AnKindOf kind, Amount a, gint64 ranks)
{
  switch (kind) {
  case AN_KIND_ALLGATHER:
    return a.out >= 0 ? a.out : whole (a.in, ranks);
  case AN_KIND_REDUCESCATTER:
    return a.in >= 0 ? a.in : whole (a.out, ranks);
  default:
    return MAX (a.in, a.out);
  }
}

static void
put_elements (const Collectives *c, Call *call, Amount elements)
{
  guint bits = call->dtype ? an_bits_of_type (nprof_text (c->host, call->dtype)) : 0;
  gint64 n = size_of (call->kind, elements, call->ranks), all;
  if (!bits || n < 0 || __builtin_mul_overflow (n, (gint64) bits, &all))
    return;
  call->bytes = all / 8 + (all % 8 != 0);
  call->has_bytes = true;
}

static Amount
elements_of (const Collectives *c)
{
  return (Amount){ count_of (c, IN), count_of (c, OUT) };
}

static void
put_bytes (const Collectives *c, Call *call)
{
  Amount bytes = { count_of (c, INPUT_SIZE), count_of (c, OUTPUT_SIZE) };
  if (bytes.in < 0 && bytes.out < 0) {
    put_elements (c, call, elements_of (c));
    return;
  }
  call->bytes = size_of (call->kind, bytes, call->ranks);
  call->has_bytes = call->bytes >= 0;
}

/* Puts the group: ranks that are listed name it best, then its label, then the name that the
 * library gave it.  The inner lists of a permutation are pairs of one group. */
static void
put_group (const Collectives *c, Call *call)
{
  const struct nprof_reader *pick = &c->pick;
  nprof_str ranks = nprof_reader_str (pick, RANKS);
  AnRanks listed = { 0, 0, -1 };
  if (ranks)
    listed = an_ranks_of_text (nprof_text (c->host, ranks), call->kind == AN_KIND_PERMUTE);
  gint64 size = count_of (c, SIZE);
  call->ranks = size > 0 ? size : listed.size;
  nprof_str label = nprof_reader_str (pick, LABEL);
  call->group = ranks ? ranks : label ? label : nprof_reader_str (pick, GROUP);
}

/* Once for each kernel or instruction: letters are compared for long. */
static AnKindOf
kind_of (Collectives *c, nprof_str stated, nprof_str name, nprof_str category)
{
  const guint32 key[] = { stated, name, category };
  guint32 number = an_key_table_get (&c->kind_keys, key);
  if (number < c->kinds->len)
    return c->kinds->data[number];
  AnKindOf kind
      = an_kind_of (stated ? nprof_text (c->host, stated) : "", nprof_text (c->host, name));
  if (kind == AN_KIND_COLLECTIVE)
    kind = an_kind_of ("", nprof_text (c->host, category));
  g_byte_array_append (c->kinds, &(guint8){ (guint8) kind }, 1);
  return kind;
}

static Call
read_call (Collectives *c, const struct nprof_batch *batch, uint32_t i)
{
  Call call = { .dtype = nprof_reader_str (&c->pick, DTYPE) };
  call.kind = kind_of (c, nprof_reader_str (&c->pick, STATED), batch->name[i], batch->category[i]);
  put_group (c, &call);
  put_bytes (c, &call);
  return call;
}

/* -- Operators of the host, which say it where kernels do not: PyTorch until 2023 -------------- */

typedef struct {
  guint64 external;
  guint32 input;
  Call call;
} Stated;

static guint
stated_hash (gconstpointer key)
{
  const Stated *s = key;
  return (guint) (s->external * 31 + s->input);
}

static gboolean
stated_equal (gconstpointer a, gconstpointer b)
{
  const Stated *x = a, *y = b;
  return x->external == y->external && x->input == y->input;
}

static bool
external_of (const Collectives *c, guint64 *id)
{
  return c->pick.field[EXTERNAL].type && nprof_reader_uint (&c->pick, EXTERNAL, id) && *id;
}

void
co_note_for_kernels (Collectives *c, const struct nprof_batch *batch, uint32_t i)
{
  nprof_reader_row (&c->pick, batch, i);
  guint64 external;
  if (!external_of (c, &external))
    return;
  if (!c->stated)
    c->stated = g_hash_table_new_full (stated_hash, stated_equal, g_free, NULL);
  Stated *s = g_new (Stated, 1);
  *s = (Stated){ .external = external, .input = batch->input, .call = read_call (c, batch, i) };
  g_hash_table_replace (c->stated, s, s);
}

static const Call *
stated_for (Collectives *c, uint32_t input)
{
  Stated wanted = { .input = input };
  if (!c->stated || !external_of (c, &wanted.external))
    return NULL;
  const Stated *s = g_hash_table_lookup (c->stated, &wanted);
  return s ? &s->call : NULL;
}

/* -- Calls of the host that kernels are launched in: PyTorch until 2.1 ------------------------- */

/* The operator says the group, and the annotation within it the elements. */
typedef struct {
  gint64 start, end;
  Call call; /* without bytes */
  Amount elements;
} Around;

bool
co_any_says (const Collectives *c, const struct nprof_batch *batch)
{
  return an_any_has_key (batch, c->key_elements) || an_any_has_key (batch, c->key_size);
}

static const Around *
around_at (const Collectives *c, nprof_track thread, gint64 at)
{
  const Around *a = c->around ? g_hash_table_lookup (c->around, GUINT_TO_POINTER (thread)) : NULL;
  return a && a->start <= at && at < a->end ? a : NULL;
}

/* What the row says goes before what the one around it says. */
static void
note_around (Collectives *c, const struct nprof_batch *batch, uint32_t i)
{
  const gint64 start = batch->start[i];
  const Around *outer = around_at (c, batch->track[i], start);
  Around *a = g_new0 (Around, 1);
  nprof_reader_row (&c->pick, batch, i);
  *a = (Around){ start, start + MAX (batch->duration[i], 0), read_call (c, batch, i),
                 elements_of (c) };
  if (outer && !a->call.ranks)
    a->call.ranks = outer->call.ranks;
  if (outer && !a->call.group)
    a->call.group = outer->call.group;
  if (!c->around)
    c->around = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_hash_table_replace (c->around, GUINT_TO_POINTER (batch->track[i]), a);
}

static void
note_launch (Collectives *c, const struct nprof_batch *batch, uint32_t i, guint64 id)
{
  const Around *a = around_at (c, batch->track[i], batch->start[i]);
  if (!a)
    return;
  if (!c->launched)
    c->launched = g_hash_table_new_full (stated_hash, stated_equal, g_free, NULL);
  Stated *s = g_new (Stated, 1);
  *s = (Stated){ .external = id, .input = batch->input, .call = a->call };
  put_elements (c, &s->call, a->elements);
  g_hash_table_replace (c->launched, s, s);
}

void
co_host_row (Collectives *c, const struct nprof_batch *batch, uint32_t i)
{
  if (!batch->attr_at)
    return;
  if (an_has_key (batch, i, c->key_elements) || an_has_key (batch, i, c->key_size)) {
    note_around (c, batch, i);
    return;
  }
  const guint64 id = c->around ? an_row_launch (batch, i, c->launch_keys, 0).correlation : 0;
  if (id)
    note_launch (c, batch, i, id);
}

static const Call *
launched_for (const Collectives *c, const struct nprof_batch *batch, uint32_t i)
{
  if (!c->launched)
    return NULL;
  const Stated wanted = { .external = an_row_launch (batch, i, c->launch_keys, 0).correlation,
                          .input = batch->input };
  const Stated *s = wanted.external ? g_hash_table_lookup (c->launched, &wanted) : NULL;
  return s ? &s->call : NULL;
}

Call
co_call (Collectives *c, const struct nprof_batch *batch, uint32_t i)
{
  nprof_reader_row (&c->pick, batch, i);
  Call call = read_call (c, batch, i);
  if (call.has_bytes || call.ranks)
    return call;
  const Call *of_host = stated_for (c, batch->input);
  of_host = of_host ? of_host : launched_for (c, batch, i);
  if (!of_host)
    return call;
  AnKindOf kind = call.kind;
  call = *of_host;
  if (call.kind == AN_KIND_COLLECTIVE)
    call.kind = kind;
  return call;
}
