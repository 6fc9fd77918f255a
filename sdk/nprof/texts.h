/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/texts.h - what a sink makes of a string (quoted, escaped), made once for each
 * distinct string and kept for the run, header-only. */
#ifndef NPROF_TEXTS_H
#define NPROF_TEXTS_H

#include <nprof/format.h>
#include <nprof/plugin.h>

struct nprof_made {
  const char *text; /* NULL: not made yet */
  size_t len;
};

struct nprof_texts {
  const struct nprof_host *host;
  /* Puts what it makes of `text`; puts nothing when the text can stand as it is. */
  void (*make) (const void *user, struct nprof_buf *to, const char *text, size_t len);
  const void *user;
  struct nprof_made *made; /* by handle */
  uint32_t n;
  bool failed;             /* out of memory */
};

static inline void
nprof_texts_clear (struct nprof_texts *t)
{
  size_t len;
  for (uint32_t k = 0; k < t->n; k++)
    if (t->made[k].text && t->made[k].text != t->host->string (t->host, k, &len))
      free ((void *) t->made[k].text);
  free (t->made);
  t->made = NULL;
  t->n = 0;
}

static inline bool
nprof_texts_grow (struct nprof_texts *t, nprof_str str)
{
  uint32_t n = t->n ? t->n : 1024;
  while (n <= str && n <= UINT32_MAX / 2)
    n *= 2;
  if (n <= str)
    n = UINT32_MAX;
  struct nprof_made *made = (struct nprof_made *) realloc (t->made, n * sizeof *made);
  if (!made)
    return false;
  memset (made + t->n, 0, (n - t->n) * sizeof *made);
  t->made = made;
  t->n = n;
  return true;
}

static inline struct nprof_made
nprof_texts_make (struct nprof_texts *t, nprof_str str)
{
  struct nprof_buf to = { NULL, 0, 0, false };
  struct nprof_made made;
  made.text = t->host->string (t->host, str, &made.len);
  t->make (t->user, &to, made.text, made.len);
  if (to.failed || (str >= t->n && !nprof_texts_grow (t, str))) {
    t->failed = true;
    nprof_buf_clear (&to);
    return made;
  }
  if (to.len) {
    char *fitted = (char *) realloc (to.data, to.len);
    made.text = fitted ? fitted : to.data;
    made.len = to.len;
  } else {
    free (to.data);
  }
  t->made[str] = made;
  return made;
}

static inline struct nprof_made
nprof_texts_get (struct nprof_texts *t, nprof_str str)
{
  return str < t->n && t->made[str].text ? t->made[str] : nprof_texts_make (t, str);
}

#endif
