/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/string-cache.h - what a sink makes of a string (quoted, escaped), made once for each
 * distinct string and kept for the run, header-only. */
#ifndef NPROF_STRING_CACHE_H
#define NPROF_STRING_CACHE_H

#include <nprof/format.h>
#include <nprof/plugin.h>

struct nprof_cached_string {
  const char *text; /* NULL: not made yet */
  size_t len;
};

struct nprof_string_cache {
  const struct nprof_host *host;
  /* Puts what it makes of `text`; puts nothing when the text can stand as it is. */
  void (*make) (const void *user, struct nprof_buf *to, const char *text, size_t len);
  const void *user;
  struct nprof_cached_string *cached; /* by handle */
  uint32_t n;
  bool failed; /* out of memory */
};

static inline void
nprof_string_cache_clear (struct nprof_string_cache *t)
{
  size_t len;
  for (uint32_t k = 0; k < t->n; k++)
    if (t->cached[k].text && t->cached[k].text != t->host->string (t->host, k, &len))
      free ((void *) t->cached[k].text);
  free (t->cached);
  t->cached = NULL;
  t->n = 0;
}

static inline bool
nprof_string_cache_grow (struct nprof_string_cache *t, nprof_str str)
{
  uint32_t n = t->n ? t->n : 1024;
  while (n <= str && n <= UINT32_MAX / 2)
    n *= 2;
  if (n <= str)
    n = UINT32_MAX;
  struct nprof_cached_string *cached
      = (struct nprof_cached_string *) realloc (t->cached, n * sizeof *cached);
  if (!cached)
    return false;
  memset (cached + t->n, 0, (n - t->n) * sizeof *cached);
  t->cached = cached;
  t->n = n;
  return true;
}

static inline struct nprof_cached_string
nprof_string_cache_make (struct nprof_string_cache *t, nprof_str str)
{
  struct nprof_buf to = { NULL, 0, 0, false };
  struct nprof_cached_string cached;
  cached.text = t->host->string (t->host, str, &cached.len);
  if (str && !cached.len) /* nobody interned it: no memory for all handles up to it */
    return cached;
  t->make (t->user, &to, cached.text, cached.len);
  if (to.failed || (str >= t->n && !nprof_string_cache_grow (t, str))) {
    t->failed = true;
    nprof_buf_clear (&to);
    return cached;
  }
  if (to.len) {
    char *fitted = (char *) realloc (to.data, to.len);
    cached.text = fitted ? fitted : to.data;
    cached.len = to.len;
  } else {
    free (to.data);
  }
  t->cached[str] = cached;
  return cached;
}

static inline struct nprof_cached_string
nprof_string_cache_get (struct nprof_string_cache *t, nprof_str str)
{
  return str < t->n && t->cached[str].text ? t->cached[str] : nprof_string_cache_make (t, str);
}

#endif
