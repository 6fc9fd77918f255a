/* SPDX-License-Identifier: Apache-2.0 */
/* query.c - keeps the memory of one question, and the words for what went wrong. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
nprof_query_init (struct nprof_query *query, struct nprof_store *store)
{
  memset (query, 0, sizeof *query);
  query->store = store;
  query->memory = calloc (1, sizeof *query->memory);
  return query->memory || np_query_no_memory (query, "the question");
}

void
nprof_query_clear (struct nprof_query *query)
{
  for (size_t i = 0;
       query->memory && i < sizeof query->memory->buffer / sizeof *query->memory->buffer; i++)
    free (query->memory->buffer[i].p);
  free (query->memory);
  query->memory = NULL;
}

bool
np_query_fail (struct nprof_query *query, const char *format, ...)
{
  va_list args;
  query->no_memory = false;
  va_start (args, format);
  vsnprintf (query->error, sizeof query->error, format, args);
  va_end (args);
  return false;
}

bool
np_query_no_memory (struct nprof_query *query, const char *what)
{
  np_query_fail (query, "no memory for %s", what);
  query->no_memory = true;
  return false;
}

bool
np_query_damaged (struct nprof_query *query, uint32_t file, uint64_t at, const char *what)
{
  np_store_damaged (query->store, file, at);
  return np_query_fail (query,
                        "%s/%s: byte %llu: %s: read the profile again with nprof view --force",
                        query->store->path, np_store_files[file], (unsigned long long) at, what);
}

bool
np_query_stopped (struct nprof_query *query)
{
  return query->stop && query->stop (query->user)
         && !np_query_fail (query, "the question was taken back");
}

void *
np_query_memory (struct nprof_query *query, int use, size_t n, size_t size)
{
  bool possible = n < SIZE_MAX / 2 / size;
  size_t need = possible ? (n + 1) * size : SIZE_MAX, old = query->memory->buffer[use].max;
  if (need <= old)
    return query->memory->buffer[use].p;
  size_t max = old * 2 > need ? old * 2 : need;
  char *p = possible ? realloc (query->memory->buffer[use].p, max) : NULL;
  if (!p) {
    np_query_no_memory (query, "the answer");
    return NULL;
  }
  memset (p + old, 0, max - old);
  query->memory->buffer[use].p = p;
  query->memory->buffer[use].max = max;
  return p;
}
