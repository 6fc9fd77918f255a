/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - finds the tables of one process: the input, and those beside it whose names begin
 * alike. */
#include "rc.h"

#include <string.h>

/* In the order in which one stands for all: the first that is there. */
static const char *const endings[] = {
  "kernel_trace.csv",
  "hip_api_trace.csv",
  "hsa_api_trace.csv",
  "rccl_api_trace.csv",
  "marker_api_trace.csv",
  "memory_copy_trace.csv",
  "memory_allocation_trace.csv",
  "scratch_memory_trace.csv",
  "rocdecode_api_trace.csv",
  "rocjpeg_api_trace.csv",
  "counter_collection.csv",
  "agent_info.csv",
};

/* Returns the place of a name in that order, and how long what stands before is; a name that is
 * none: the last place. */
static gsize
rank_of (const char *name, gsize *stem)
{
  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (name, endings[i])) {
      *stem = strlen (name) - strlen (endings[i]);
      return i;
    }
  *stem = 0;
  return G_N_ELEMENTS (endings);
}

static const char *
own_name (const Rc *self)
{
  const char *name = self->host->input (self->host, self->host->own_input)->file;
  return name ? name : "";
}

/* Returns the place of a file of the same process; the last place: it is of none, or of another. */
static gsize
rank_beside (const char *own, const char *name)
{
  gsize stem, other;
  const gsize none = G_N_ELEMENTS (endings), rank = rank_of (name, &other);
  if (rank_of (own, &stem) == none || rank == none || strchr (name, '/'))
    return none;
  return stem == other && strncmp (own, name, stem) == 0 ? rank : none;
}

static int
collect (void *names, const char *name)
{
  g_ptr_array_add (names, g_strdup (name));
  return 0;
}

/* -- Who stands for the profile ---------------------------------------------------------------- */

/* Returns the folder of a label: what stands before its last name. */
static gsize
folder_of (const char *label)
{
  const char *slash = strrchr (label, '/');
  return slash ? (gsize) (slash - label) : 0;
}

/* Returns whether an input of the run that comes before reads this file as well. */
static bool
is_given_before (const Rc *self)
{
  const struct nprof_host *host = self->host;
  const char *own = own_name (self);
  const char *label = nprof_text (host, host->input (host, host->own_input)->label);
  for (uint32_t i = 0; i < host->own_input; i++) {
    const struct nprof_input_info *other = host->input (host, i);
    const char *there = nprof_text (host, other->label);
    const gsize folder = folder_of (label);
    if (other->file && strcmp (other->decoder, "rocprofv3-csv") == 0
        && rank_beside (own, other->file) < G_N_ELEMENTS (endings) && folder_of (there) == folder
        && strncmp (label, there, folder) == 0)
      return true;
  }
  return false;
}

bool
rc_is_part (Rc *self, bool given)
{
  gsize stem;
  bool part = false;
  const char *own = own_name (self);
  const gsize rank = rank_of (own, &stem);
  if (given)
    return is_given_before (self);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (self->host->siblings (self->host, collect, names))
    return false;
  for (guint i = 0; i < names->len; i++)
    part |= rank_beside (own, g_ptr_array_index (names, i)) < rank;
  return part;
}

/* -- Its tables -------------------------------------------------------------------------------- */

static void
add_table (Rc *self, const char *name, const void *data, uint64_t len)
{
  RcTable table;
  if (rc_table_of (data, (const char *) data + len, &table) == RC_NONE) {
    self->host->skip (self->host, name, 0, "its header is of no table that is known");
    return;
  }
  table.file = g_strdup (name);
  g_array_append_val (self->tables, table);
}

static int
by_kind (gconstpointer a, gconstpointer b)
{
  const RcTable *x = a, *y = b;
  return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : strcmp (x->file, y->file);
}

nprof_status
rc_files_find (Rc *self, const void *data, uint64_t len)
{
  const struct nprof_host *host = self->host;
  const char *own = own_name (self);
  gsize stem;
  rank_of (own, &stem);
  self->stem = g_strndup (own, stem);
  add_table (self, own, data, len);
  if (!self->tables->len)
    return nprof_fail (host, NPROF_E_FORMAT,
                       "line 1: the header is of no table of rocprofv3 (kernel_trace, "
                       "hip_api_trace, memory_copy_trace, ...): name one of them, or their folder");
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  nprof_status status = host->siblings (host, collect, names);
  for (guint i = 0; i < names->len && !status; i++) {
    const char *name = g_ptr_array_index (names, i);
    uint64_t size;
    if (rank_beside (own, name) == G_N_ELEMENTS (endings))
      continue;
    const void *bytes = host->sibling (host, name, &size);
    if (!bytes)
      return NPROF_E_IO;
    add_table (self, name, bytes, size);
  }
  g_array_sort (self->tables, by_kind);
  return status;
}
