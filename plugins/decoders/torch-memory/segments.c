/* SPDX-License-Identifier: Apache-2.0 */
/* segments.c - tells what was reserved and in use when the snapshot was taken: tables
 * memory_segments and memory_blocks. */

#include "snapshot.h"

#include <string.h>

#define BYTES(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "byte", help)

NPROF_TABLE (memory_segments, "Memory that PyTorch has reserved",
             "When the snapshot was taken. free: reserved and not in use.", MEMORY_SEGMENTS)

NPROF_TABLE (memory_blocks, "Who held memory when the snapshot was taken",
             "Rows of a device add up to its blocks in use.", MEMORY_BLOCKS)

enum { DEVICE, WHO, STATE, N_KEYS };
typedef struct { /* of either table: pool or source, stream or state */
  gint64 key[N_KEYS];
  gint64 count, reserved, allocated, requested, largest;
} Sum;

static guint
sum_hash (gconstpointer data)
{
  const gint64 *key = data;
  return g_int64_hash (&key[0]) * 31 + g_int64_hash (&key[1]) * 7 + g_int64_hash (&key[2]);
}

static gboolean
sum_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (gint64) * N_KEYS) == 0;
}

static Sum *
sum_of (GHashTable *sums, gint64 device, gint64 who, gint64 state)
{
  const gint64 key[N_KEYS] = { device, who, state };
  Sum *sum = g_hash_table_lookup (sums, key);
  if (!sum) {
    sum = g_new0 (Sum, 1);
    memcpy (sum->key, key, sizeof key);
    g_hash_table_insert (sums, sum->key, sum);
  }
  return sum;
}

static nprof_str
text_of (Snapshot *s, const PkValue *dict, const char *key)
{
  const PkValue *value = pk_get (dict, key);
  return value && value->type == PK_TEXT ? s->host->intern (s->host, value->text, value->len) : 0;
}

static gboolean
in_use (const PkValue *block)
{
  const PkValue *state = pk_get (block, "state");
  return state && !pk_is (state, "inactive");
}

/* -- Every block ----------------------------------------------------------- */

typedef nprof_status (*BlockFn) (Snapshot *s, const PkValue *segment, const PkValue *block,
                                 gint64 address, gpointer user);

static nprof_status
each_of_segment (Snapshot *s, guint32 number, const PkValue *segment, BlockFn fn, gpointer user)
{
  const PkItems *blocks = pk_list (segment, "blocks");
  gint64 address = pk_int (segment, "address", 0), total = pk_int (segment, "total_size", -1),
         sum = 0;
  if (!blocks || total < 0 || pk_int (segment, "device", -1) < 0)
    return tm_damaged (s, "segments[%u]: expected are device, total_size and blocks", number);
  nprof_status status = NPROF_OK;
  for (guint32 i = 0; i < blocks->n && !status; i++) {
    const PkValue *block = &blocks->value[i];
    gint64 size = pk_int (block, "size", -1), requested = pk_int (block, "requested_size", size);
    if (size < 0 || size > total - sum || requested < 0 || (in_use (block) && requested > size))
      return tm_damaged (
          s,
          "segments[%u], block %u: a size that does not fit, of the block or of what was asked for",
          number, i);
    status = fn (s, segment, block,
                 pk_int (block, "address", (gint64) ((guint64) address + (guint64) sum)), user);
    sum += size;
  }
  return status;
}

static nprof_status
each_block (Snapshot *s, BlockFn fn, gpointer user)
{
  const PkItems *segments = pk_list (&s->root, "segments");
  guint64 walked = 0;
  gint64 reserved = 0;
  nprof_status status = NPROF_OK;
  for (guint32 i = 0; i < segments->n && !status; i++) {
    const PkItems *blocks = pk_list (&segments->value[i], "blocks");
    walked += 1 + (blocks ? blocks->n : 0);
    if (__builtin_add_overflow (reserved, pk_int (&segments->value[i], "total_size", 0), &reserved))
      return tm_damaged (s, "segments[%u]: sizes add up to more than 2^63", i);
    if (walked > s->len) /* a list that is used again and again */
      return tm_damaged (s, "segments[%u]: more blocks than the file has bytes", i);
    status = each_of_segment (s, i, &segments->value[i], fn, user);
  }
  return status;
}

/* -- Tables ---------------------------------------------------------------- */

typedef struct {
  GHashTable *segments, *blocks; /* of Sum */
  const PkValue *last;           /* segment that was counted */
} Sums;

static nprof_status
add_block (Snapshot *s, const PkValue *segment, const PkValue *block, gint64 address, gpointer user)
{
  Sums *sums = user;
  (void) address;
  gint64 device = pk_int (segment, "device", 0), size = pk_int (block, "size", 0);
  gint64 requested = pk_int (block, "requested_size", size);
  Sum *of = sum_of (sums->segments, device, text_of (s, segment, "segment_type"),
                    pk_int (segment, "stream", 0));
  if (segment != sums->last) {
    of->count++;
    of->reserved += pk_int (segment, "total_size", 0);
    sums->last = segment;
  }
  if (!in_use (block)) {
    of->largest = MAX (of->largest, size);
    return NPROF_OK;
  }
  Stack stack;
  nprof_status status = tm_stack (s, block, &stack);
  if (status)
    return status;
  Sum *by = sum_of (sums->blocks, device, stack.source, text_of (s, block, "state"));
  by->count++;
  by->requested += requested;
  by->allocated += size;
  of->requested += requested;
  of->allocated += size;
  return NPROF_OK;
}

typedef struct {
  const struct nprof_host *host;
  gboolean blocks;
} Order;

static int
by_text (const struct nprof_host *host, gint64 a, gint64 b)
{
  return strcmp (a ? nprof_text (host, (nprof_str) a) : "",
                 b ? nprof_text (host, (nprof_str) b) : "");
}

static int
by_place (gconstpointer a, gconstpointer b, gpointer user)
{
  const Sum *x = *(Sum *const *) a, *y = *(Sum *const *) b;
  const Order *order = user;
  if (x->key[DEVICE] != y->key[DEVICE])
    return x->key[DEVICE] < y->key[DEVICE] ? -1 : 1;
  if (order->blocks && x->requested != y->requested)
    return x->requested > y->requested ? -1 : 1;
  int texts = by_text (order->host, x->key[WHO], y->key[WHO]);
  if (texts || order->blocks)
    return texts ? texts : by_text (order->host, x->key[STATE], y->key[STATE]);
  return (x->key[STATE] > y->key[STATE]) - (x->key[STATE] < y->key[STATE]);
}

static nprof_status
write_segments (Snapshot *s, const Sum *sum)
{
  const struct memory_segments_row row = {
    .device = nprof_some_int (sum->key[DEVICE]),
    .pool = nprof_some_str ((nprof_str) sum->key[WHO]),
    .stream = nprof_some_int (sum->key[STATE]),
    .segments = nprof_some_int (sum->count),
    .reserved_bytes = nprof_some_int (sum->reserved),
    .allocated_bytes = nprof_some_int (sum->allocated),
    .requested_bytes = nprof_some_int (sum->requested),
    .largest_free_bytes = nprof_some_int (sum->largest),
  };
  return s->host->row (s->host, &memory_segments_table,
                       memory_segments_cells (nprof_cell_own_input (s->host), &row).cells);
}

static nprof_status
write_blocks (Snapshot *s, const Sum *sum)
{
  const struct memory_blocks_row row = {
    .device = nprof_some_int (sum->key[DEVICE]),
    .source = nprof_some_str ((nprof_str) sum->key[WHO]),
    .state = nprof_some_str ((nprof_str) sum->key[STATE]),
    .blocks = nprof_some_int (sum->count),
    .requested_bytes = nprof_some_int (sum->requested),
    .allocated_bytes = nprof_some_int (sum->allocated),
  };
  return s->host->row (s->host, &memory_blocks_table,
                       memory_blocks_cells (nprof_cell_own_input (s->host), &row).cells);
}

static nprof_status
write_sums (Snapshot *s, GHashTable *sums, gboolean blocks)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer sum;
  g_hash_table_iter_init (&iter, sums);
  while (g_hash_table_iter_next (&iter, NULL, &sum))
    g_ptr_array_add (rows, sum);
  Order order = { s->host, blocks };
  g_ptr_array_sort_with_data (rows, by_place, &order);
  nprof_status status
      = s->host->table (s->host, blocks ? &memory_blocks_table : &memory_segments_table);
  for (guint i = 0; i < rows->len && !status; i++)
    status = blocks ? write_blocks (s, rows->pdata[i]) : write_segments (s, rows->pdata[i]);
  return status;
}

nprof_status
tm_segments (Snapshot *s)
{
  Sums sums = { g_hash_table_new_full (sum_hash, sum_equal, NULL, g_free),
                g_hash_table_new_full (sum_hash, sum_equal, NULL, g_free), NULL };
  nprof_status status = each_block (s, add_block, &sums);
  if (!status)
    status = write_sums (s, sums.segments, FALSE);
  if (!status)
    status = write_sums (s, sums.blocks, TRUE);
  g_hash_table_unref (sums.segments);
  g_hash_table_unref (sums.blocks);
  return status;
}

/* -- How a device ended ---------------------------------------------------- */

static nprof_status
note_block (Snapshot *s, const PkValue *segment, const PkValue *block, gint64 address,
            gpointer user)
{
  DeviceState *state = user;
  (void) s;
  const PkValue *is = pk_get (block, "state");
  if (pk_int (segment, "device", -1) != state->device || !is || !pk_is (is, "active_allocated"))
    return NPROF_OK;
  TmBlock *b = g_new (TmBlock, 1);
  const gint64 size = pk_int (block, "size", 0);
  *b = (TmBlock){ address, pk_int (block, "requested_size", size), size };
  state->requested += b->requested;
  state->taken += (guint64) size;
  g_hash_table_replace (state->blocks, &b->address, b);
  return NPROF_OK;
}

DeviceState *
tm_device_state (Snapshot *s, guint32 device)
{
  DeviceState *state = g_new0 (DeviceState, 1);
  const PkItems *segments = pk_list (&s->root, "segments");
  state->device = device;
  state->blocks = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  for (guint32 i = 0; i < segments->n; i++)
    if (pk_int (&segments->value[i], "device", -1) == device)
      state->reserved += pk_int (&segments->value[i], "total_size", 0);
  each_block (s, note_block, state); /* tm_segments has found it sound */
  return state;
}

void
tm_device_state_free (DeviceState *state)
{
  g_hash_table_unref (state->blocks);
  g_free (state);
}
