/* SPDX-License-Identifier: Apache-2.0 */
/* processes.c - reads what is said of each process beside its records: metadata, agents,
 * counters, what kinds and operations are called, kernels; and finds the sections of records. */
#include "rv.h"

#include <string.h>

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
kind_free (gpointer data)
{
  RvKind *kind = data;
  g_array_unref (kind->operations);
  g_free (kind);
}

static void
section_clear (gpointer data)
{
  g_free (((RvSection *) data)->name);
}

static void
process_free (gpointer data)
{
  RvProcess *p = data;
  ids_clear (&p->symbols);
  ids_clear (&p->texts);
  ids_clear (&p->names);
  ids_clear (&p->counts);
  g_array_unref (p->sections);
  g_ptr_array_unref (p->kinds);
  g_free (p);
}

static RvProcess *
process_new (void)
{
  RvProcess *p = g_new0 (RvProcess, 1);
  p->kinds = g_ptr_array_new_with_free_func (kind_free);
  ids_init (&p->symbols, sizeof (RocmSymbol));
  ids_init (&p->texts, sizeof (RocmText));
  ids_init (&p->names, sizeof (RocmText));
  ids_init (&p->counts, sizeof (RocmCount));
  p->sections = g_array_new (FALSE, FALSE, sizeof (RvSection));
  g_array_set_clear_func (p->sections, section_clear);
  return p;
}

/* -- Small parts ------------------------------------------------------------------------------- */

typedef void Each (Rv *self, RvProcess *p, const TeValue *value);

/* The array was read as a value before, so that it can be read. */
static void
each (Rv *self, RvProcess *p, const TeValue *array, Each *fn)
{
  TeValue value;
  const char *at = array->kind == TE_ARRAY ? array->p + 1 : NULL;
  while (at && (at = rv_next (self, at, &value)))
    fn (self, p, &value);
}

/* Returns what runs: the first word of ["python", "train.py"].  Transfer full. */
static char *
command_of (Rv *self, const TeValue *command)
{
  TeValue word = *command;
  if (command->kind == TE_ARRAY && !rv_next (self, command->p + 1, &word))
    return NULL;
  const nprof_str text = rv_text (self, &word);
  return text ? g_strdup (nprof_text (self->host, text)) : NULL;
}

static void
take_metadata (Rv *self, RvProcess *p, const TeValue *metadata)
{
  TeValue values[3], node[2];
  rv_members (self, metadata, NAMES ("node", "pid", "command"), values);
  rv_members (self, &values[0], NAMES ("hostname", "machine_id"), node);
  const nprof_str host = rv_text (self, node[0].kind == TE_TEXT ? &node[0] : &node[1]);
  g_autofree char *command = command_of (self, &values[2]);
  p->process = rocm_process (&self->rocm, host ? nprof_text (self->host, host) : NULL,
                             MAX (rv_int (&values[1]), 0), command);
}

enum { TYPE_GPU = 2 }; /* of agents; 1 is a CPU */

static void
take_agent (Rv *self, RvProcess *p, const TeValue *value)
{
  TeValue v[7];
  rv_members (self, value,
              NAMES ("id", "type", "logical_node_type_id", "product_name", "name", "cu_count",
                     "max_engine_clk_fcompute"),
              v);
  RocmAgent *agent = rocm_agent (p->process, (guint64) rv_inner (self, &v[0], "handle"));
  agent->gpu = rv_int (&v[1]) == TYPE_GPU;
  agent->index = MAX (rv_int (&v[2]), 0);
  agent->product = rv_text (self, &v[3]);
  if (!agent->product)
    agent->product = rv_text (self, &v[4]);
  agent->cores = rv_int (&v[5]);
  agent->mhz = rv_int (&v[6]);
}

static void
take_counter (Rv *self, RvProcess *p, const TeValue *value)
{
  TeValue v[2];
  rv_members (self, value, NAMES ("id", "name"), v);
  const RocmText name = { .id = rv_inner (self, &v[0], "handle"), .text = rv_text (self, &v[1]) };
  if (name.text)
    *(RocmText *) ids_add (&p->names, name.id) = name;
}

static void
take_operation (Rv *self, RvProcess *p, const TeValue *value)
{
  const RvKind *kind = g_ptr_array_index (p->kinds, p->kinds->len - 1);
  const nprof_str name = rv_text (self, value);
  g_array_append_val (kind->operations, name);
}

static void
take_kind (Rv *self, RvProcess *p, const TeValue *value)
{
  TeValue v[2];
  RvKind *kind = g_new0 (RvKind, 1);
  rv_members (self, value, NAMES ("kind", "operations"), v);
  kind->kind = rv_text (self, &v[0]);
  kind->category = rocm_category (&self->rocm, nprof_text (self->host, kind->kind));
  kind->marks = rocm_is_marker (nprof_text (self->host, kind->kind));
  kind->operations = g_array_new (FALSE, FALSE, sizeof (nprof_str));
  g_ptr_array_add (p->kinds, kind);
  each (self, p, &v[1], take_operation);
}

static void
take_mark (Rv *self, RvProcess *p, const TeValue *value)
{
  TeValue v[2];
  rv_members (self, value, NAMES ("key", "value"), v);
  const RocmText text = { .id = rv_int (&v[0]), .text = rv_text (self, &v[1]) };
  if (text.text)
    *(RocmText *) ids_add (&p->texts, text.id) = text;
}

static void
take_strings (Rv *self, RvProcess *p, const TeValue *strings)
{
  TeValue v[2];
  rv_members (self, strings, NAMES ("buffer_records", "marker_api"), v);
  each (self, p, &v[0], take_kind);
  each (self, p, &v[1], take_mark);
}

static void
take_symbol (Rv *self, RvProcess *p, const TeValue *value)
{
  TeValue v[4];
  rv_members (self, value,
              NAMES ("kernel_id", "formatted_kernel_name", "kernel_name", "arch_vgpr_count"), v);
  const TeValue *name = &v[v[1].kind == TE_TEXT && v[1].len ? 1 : 2];
  const nprof_str text = rv_text (self, name);
  RocmSymbol symbol = { .id = rv_int (&v[0]), .registers = rv_int (&v[3]) };
  if (!text || symbol.id <= 0) /* number 0 is none */
    return;
  symbol.name = rocm_kernel_name (&self->rocm, nprof_text (self->host, text));
  *(RocmSymbol *) ids_add (&p->symbols, symbol.id) = symbol;
}

const RvKind *
rv_kind (const RvProcess *p, gint64 number)
{
  return number >= 0 && number < (gint64) p->kinds->len ? g_ptr_array_index (p->kinds, number)
                                                        : NULL;
}

nprof_str
rv_operation (const RvKind *kind, gint64 number)
{
  return kind && number >= 0 && number < (gint64) kind->operations->len
             ? g_array_index (kind->operations, nprof_str, number)
             : 0;
}

/* -- An element of the document ---------------------------------------------------------------- */

enum { METADATA, AGENTS, COUNTERS, STRINGS, SYMBOLS, PARTS };

static const char *const part_names[PARTS]
    = { "metadata", "agents", "counters", "strings", "kernel_symbols" };

static void
load_parts (Rv *self, RvProcess *p, const TeValue *parts)
{
  take_metadata (self, p, &parts[METADATA]);
  each (self, p, &parts[AGENTS], take_agent);
  each (self, p, &parts[COUNTERS], take_counter);
  if (parts[STRINGS].kind == TE_OBJECT)
    take_strings (self, p, &parts[STRINGS]);
  each (self, p, &parts[SYMBOLS], take_symbol);
  ids_settle (&p->names);
  ids_settle (&p->texts);
  ids_settle (&p->symbols);
}

/* Skips an array, element by element, since it may be as large as the file. */
static const char *
pass_array (Rv *self, const char *at)
{
  TeValue value;
  const char *behind = at + 1;
  while ((at = rv_next (self, behind, &value))) {
    behind = at;
    self->stopped = rv_progress (self, at);
    if (self->stopped)
      return NULL;
  }
  return self->scan.why ? NULL : rv_closed (self, behind);
}

static void
note_section (RvProcess *p, const TeValue *key, const char *at, bool counters)
{
  if (counters) {
    if (te_text_is (key, "counter_collection"))
      p->counted = at;
    return;
  }
  const RvSection section = { g_strndup (key->p, key->len), at };
  g_array_append_val (p->sections, section);
}

/* Notes where the arrays of an object begin, which may be cut.  Returns what is behind it. */
static const char *
find_sections (Rv *self, RvProcess *p, const char *at, bool counters)
{
  TeValue key, value;
  if (at >= self->end || *at != '{')
    return rv_value (self, at, &value);
  const char *behind = at + 1;
  while ((at = rv_key (self, behind, &key))) {
    const bool array = at < self->end && *at == '[';
    if (array)
      note_section (p, &key, at, counters);
    behind = array ? pass_array (self, at) : rv_value (self, at, &value);
    if (!behind)
      return NULL;
  }
  return self->scan.why ? NULL : rv_closed (self, behind);
}

/* Returns what is behind the process at p; NULL: it cannot be read. */
static const char *
load_process (Rv *self, const char *at)
{
  TeValue key, value, parts[PARTS] = { 0 };
  RvProcess *p = process_new ();
  g_ptr_array_add (self->processes, p);
  const char *behind = at + 1;
  while (behind && (at = rv_key (self, behind, &key))) {
    const bool records = te_text_is (&key, "buffer_records");
    if (records || te_text_is (&key, "callback_records")) {
      behind = find_sections (self, p, at, !records);
      continue;
    }
    behind = rv_value (self, at, &value);
    for (guint i = 0; behind && i < PARTS; i++)
      if (te_text_is (&key, part_names[i]))
        parts[i] = value;
  }
  const TeScan stopped = self->scan;
  load_parts (self, p, parts);
  self->scan = stopped;
  return self->scan.why || !behind ? NULL : rv_closed (self, behind);
}

static const char *
load_all (Rv *self, const char *at)
{
  TeValue value;
  const char *p = at + 1;
  for (;;) {
    p = rv_space (self, p);
    if (p < self->end && *p == ']')
      return p + 1;
    p = p < self->end && *p == '{' ? load_process (self, p) : rv_value (self, p, &value);
    if (!p)
      return NULL;
  }
}

nprof_status
rv_processes_load (Rv *self)
{
  TeValue key, value;
  const char *at, *p = te_space (self->data, self->end);
  self->processes = g_ptr_array_new_with_free_func (process_free);
  if (p >= self->end || *p != '{')
    return nprof_fail (self->host, NPROF_E_FORMAT,
                       "byte %" G_GUINT64_FORMAT ": a JSON object was expected, "
                       "{\"rocprofiler-sdk-tool\": [...]}: name the _results.json of rocprofv3",
                       rv_byte (self, p));
  p++;
  while (p && (at = rv_key (self, p, &key))) {
    const bool tool = te_text_is (&key, "rocprofiler-sdk-tool") && at < self->end && *at == '[';
    p = tool ? load_all (self, at) : rv_value (self, at, &value);
  }
  if (self->stopped)
    return self->stopped;
  if (self->scan.why)
    return rv_damage (self);
  if (!self->processes->len)
    return nprof_fail (self->host, NPROF_E_FORMAT,
                       "the document has no process in \"rocprofiler-sdk-tool\": name the "
                       "_results.json of rocprofv3");
  return NPROF_OK;
}
