/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - finds texts that rows give by number, and names copies, sets and waits as Kineto writes
 * them, so that both formats group alike. */
#include "nsys.h"

#include <string.h>

/* -- Texts of the file ------------------------------------------------------------------------ */

/* The last text of a number holds. */
static void
replace (gpointer into, gconstpointer next)
{
  *(NsString *) into = *(const NsString *) next;
}

nprof_status
ns_strings_load (Nsys *self, const char *table, const char *id_column, const char *text_column)
{
  NsRows rows;
  nprof_status status = NPROF_OK;
  if (!ns_has (self, table))
    return status;
  status = ns_rows_begin (self, table, &rows);
  int id = status ? -1 : ns_column (&rows, id_column);
  int text = status ? -1 : ns_column (&rows, text_column);
  gint64 number;
  while (!status && ns_rows_next (&rows, &status)) {
    const char *value = ns_text (&rows, text);
    if (!ns_int (&rows, id, &number) || !value)
      continue;
    ((NsString *) ids_add (&self->strings, number))->text = nprof_intern (self->host, value);
  }
  ns_rows_end (&rows);
  ids_join (&self->strings, replace);
  return status;
}

static nprof_str
numbered (Nsys *self, const char *what, gint64 number)
{
  char text[64];
  int n = g_snprintf (text, sizeof text, "%s %" G_GINT64_FORMAT, what, number);
  return self->host->intern (self->host, text, (size_t) n);
}

nprof_str
ns_string (Nsys *self, gint64 id)
{
  const NsString *found = ids_find (&self->strings, id);
  return found ? found->text : numbered (self, "name", id);
}

/* Returns the length without "_v7000" at the end; tools of Nsight leave it out as well. */
static size_t
without_version (const char *text, size_t len)
{
  size_t at = len;
  while (at > 0 && g_ascii_isdigit (text[at - 1]))
    at--;
  size_t digits = len - at;
  return digits >= 4 && digits <= 5 && at > 2 && text[at - 1] == 'v' && text[at - 2] == '_' ? at - 2
                                                                                            : len;
}

nprof_str
ns_call_name (Nsys *self, gint64 id)
{
  size_t len;
  nprof_str name = ns_string (self, id);
  const char *text = self->host->string (self->host, name, &len);
  size_t shorter = without_version (text, len);
  if (shorter == len)
    return name;
  NsString *known = ids_find (&self->strings, id);
  name = self->host->intern (self->host, text, shorter);
  if (known)
    known->text = name;
  return name;
}

/* -- Copies, sets and waits -------------------------------------------------------------------- */

/* source: CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind; words of Kineto */
static const char *const copies[]
    = { NULL,   "HtoD", "DtoH", "HtoA", "AtoH",     "AtoA",     "AtoD",
        "DtoA", "DtoD", "HtoH", "PtoP", "UVM HtoD", "UVM DtoH", "UVM DtoD" };
/* of ENUM_CUDA_MEM_KIND, which counts from 0 and has no unknown in front */
static const char *const memories[]
    = { "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static" };
/* of ENUM_CUPTI_SYNC_TYPE */
static const char *const waits[]
    = { NULL, "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync" };

static const char *
word (const char *const *words, gsize n, gint64 number)
{
  const char *text = number >= 0 && number < (gint64) n ? words[number] : NULL;
  return text ? text : "Unknown";
}
#define WORD(words, number) word (words, G_N_ELEMENTS (words), number)

nprof_str
ns_copy_name (Nsys *self, gint64 kind, gint64 from, gint64 to)
{
  char text[128];
  int n = g_snprintf (text, sizeof text, "Memcpy %s (%s -> %s)", WORD (copies, kind),
                      WORD (memories, from), WORD (memories, to));
  return self->host->intern (self->host, text, (size_t) n);
}

nprof_str
ns_set_name (Nsys *self, gint64 kind)
{
  char text[64];
  int n = g_snprintf (text, sizeof text, "Memset (%s)", WORD (memories, kind));
  return self->host->intern (self->host, text, (size_t) n);
}

nprof_str
ns_sync_name (Nsys *self, gint64 type)
{
  const char *text = word (waits, G_N_ELEMENTS (waits), type);
  return nprof_intern (self->host, strcmp (text, "Unknown") == 0 ? "Sync" : text);
}

/* -- Operators --------------------------------------------------------------------------------- */

/* source: torch/csrc/profiler/util.cpp, getNvtxStr: "NAME, seq = N, op_id = N, sizes = ..." */
size_t
ns_operator_name (const char *text)
{
  static const char *const marks[] = { ", seq = ", ", op_id = " };
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++) {
    const char *at = strstr (text, marks[i]);
    if (at && g_ascii_isdigit (at[strlen (marks[i])]))
      return (size_t) (at - text);
  }
  return 0;
}
