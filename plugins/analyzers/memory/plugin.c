/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer memory: finds the peak of each allocator, and who held it. */
#include "memory.h"

static nprof_status
memory_open (void *self, const struct nprof_host *host)
{
  Memory *m = self;
  m->host = host;
  m->clip = nprof_window_of (host);
  m->places = an_places_new (host);
  m->name_memory = nprof_intern (host, "[memory]");
  m->name_failure = nprof_intern (host, "oom");
  m->name_allocation = nprof_intern (host, "MemoryAllocation");
  m->name_deallocation = nprof_intern (host, "MemoryDeallocation");
  m->key_args = nprof_intern (host, "args");
  m->key_source = nprof_intern (host, NPROF_KEY_SOURCE);
  m->key_memory_size = nprof_intern (host, NPROF_KEY_MEMORY_SIZE);
  m->operators[0] = nprof_intern (host, "cpu_op");
  m->operators[1] = nprof_intern (host, "Operator"); /* until 2021 */
  m->names = g_byte_array_new ();
  m->allocators = g_ptr_array_new_with_free_func (me_allocator_free);
  an_key_table_init (&m->keys, 3);
  an_key_table_init (&m->naming, 2);
  m->named = g_array_new (FALSE, TRUE, sizeof (guint));
  an_key_table_init (&m->holders, H_WORDS);
  an_key_table_init (&m->modules, 2);
  m->allocated = g_array_new (FALSE, TRUE, sizeof (gint64));
  m->held = g_array_new (FALSE, TRUE, sizeof (gint64));
  m->stacks = g_ptr_array_new_with_free_func (me_stack_free);
  m->failures = g_array_new (FALSE, FALSE, sizeof (Failure));
  m->waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
  m->now = G_MININT64;
  return nprof_reader_init (&m->reader, host, me_xla_keys);
}

static nprof_status
memory_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  me_choose (self, batch, rows);
  return NPROF_OK;
}

static nprof_status
memory_consume (void *self, const struct nprof_batch *batch)
{
  me_rows (self, batch);
  return NPROF_OK;
}

static nprof_status
memory_finish (void *self)
{
  Memory *m = self;
  me_pass (m, G_MAXINT64);
  me_end (m);
  nprof_status status = me_write (m);
  return status ? status : me_write_failures (m);
}

static void
memory_close (void *self)
{
  Memory *m = self;
  g_clear_pointer (&m->allocators, g_ptr_array_unref);
  g_clear_pointer (&m->named, g_array_unref);
  g_clear_pointer (&m->names, g_byte_array_unref);
  g_clear_pointer (&m->allocated, g_array_unref);
  g_clear_pointer (&m->held, g_array_unref);
  g_clear_pointer (&m->stacks, g_ptr_array_unref);
  g_clear_pointer (&m->failures, g_array_unref);
  g_clear_pointer (&m->waiting, g_array_unref);
  an_key_table_clear (&m->keys);
  an_key_table_clear (&m->naming);
  an_key_table_clear (&m->holders);
  an_key_table_clear (&m->modules);
  an_places_free (m->places);
  nprof_reader_clear (&m->reader);
}

static const struct nprof_row_want args_of_instants
    = { .size = sizeof args_of_instants, .kinds = 1u << NPROF_INSTANT, .key = "args" };

static const struct nprof_row_want source_of_instants
    = { .size = sizeof source_of_instants, .kinds = 1u << NPROF_INSTANT, .key = NPROF_KEY_SOURCE };

/* clang-format off */
static const struct nprof_component memory = {
  .size = sizeof memory,
  .kind = NPROF_ANALYZER,
  .name = "memory",
  .summary = "memory of allocators: the peak, who held it, modules",
  .tables = (const struct nprof_table *const[]) { &memory_table, &memory_holders_table, &memory_modules_table,
                                                   &memory_failures_table, NULL },
  .wants = (const char *const[]) { "allocator_name", "index_on_host", "device_ordinal",
                                   "bytes_reserved", "bytes_allocated", "bytes_available", "fragmentation",
                                   "peak_bytes_in_use", "requested_bytes", "allocation_bytes", "addr",
                                   NPROF_KEY_FRAMEWORK_OP, "region_type", "tensor_shapes", NPROF_KEY_SHAPE,
                                   NPROF_KEY_MEMORY_SIZE, NULL },
  .row_wants = (const struct nprof_row_want *const[]) { &args_of_instants, &source_of_instants, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Memory),
  .open = memory_open,
  .consume = memory_consume,
  .finish = memory_finish,
  .close = memory_close,
  .choose = memory_choose,
};
/* clang-format on */

NPROF_PLUGIN ("memory", NPROF_VERSION, "Apache-2.0", &memory)
