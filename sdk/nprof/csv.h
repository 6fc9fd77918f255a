/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/csv.h - records of comma-separated values in memory (RFC 4180; LF or CRLF), one at a time
 * and without copies, header-only.  What the fields mean it leaves to its callers.  All
 * [any-thread]; fields are ranges of the input and live as long as that.
 *
 *   struct nprof_csv r;
 *   for (const char *at = data; at < end;) {
 *     at = nprof_csv_record (&r, at, end);
 *     if (r.why)
 *       return nprof_damage (host, (uint64_t) (r.bad - data), "%s", r.why);
 *     if (!nprof_csv_is_blank (&r) && r.n > 2)
 *       use (r.field[0].p, r.field[0].len);
 *   } */
#ifndef NPROF_CSV_H
#define NPROF_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NPROF_CSV_FIELDS 96 /* kept of a record */

struct nprof_csv_field {
  const char *p; /* without the quotes around it                                */
  size_t len;
  bool doubled;  /* holds "" for each quote: nprof_csv_plain                    */
  bool quoted;
};

struct nprof_csv {
  const char *at, *end; /* from its first byte to behind its last, without line end */
  unsigned n;           /* fields, also of those that were not kept             */
  unsigned lines;       /* ends of lines that belong to it                      */
  struct nprof_csv_field field[NPROF_CSV_FIELDS];
  const char *bad, *why; /* where and why it cannot be read; why NULL: it can   */
};

static inline void
nprof_csv_add (struct nprof_csv *r, const char *p, const char *end, bool quoted, bool doubled)
{
  if (r->n < NPROF_CSV_FIELDS) {
    const struct nprof_csv_field field = { p, (size_t) (end - p), doubled, quoted };
    r->field[r->n] = field;
  }
  r->n++;
}

static inline const char *
nprof_csv_fail (struct nprof_csv *r, const char *at, const char *why)
{
  r->bad = at;
  r->why = why;
  return NULL;
}

/* p is behind the opening quote.  Returns what is behind the closing one. */
static inline const char *
nprof_csv_quoted (struct nprof_csv *r, const char *p, const char *end)
{
  const char *from = p, *q = p;
  bool doubled = false;
  while ((q = (const char *) memchr (q, '"', (size_t) (end - q))) && q + 1 < end && q[1] == '"') {
    doubled = true;
    q += 2;
  }
  if (!q)
    return nprof_csv_fail (r, from - 1, "a quote is not closed");
  for (const char *nl = from; (nl = (const char *) memchr (nl, '\n', (size_t) (q - nl))); nl++)
    r->lines++;
  nprof_csv_add (r, from, q, true, doubled);
  return q + 1;
}

static inline const char *
nprof_csv_unquoted (struct nprof_csv *r, const char *p, const char *line_end)
{
  const char *comma = (const char *) memchr (p, ',', (size_t) (line_end - p));
  nprof_csv_add (r, p, comma ? comma : line_end, false, false);
  return comma ? comma : line_end;
}

static inline const char *
nprof_csv_line_end (const char *p, const char *end)
{
  const char *nl = (const char *) memchr (p, '\n', (size_t) (end - p));
  return nl ? nl : end;
}

/* Returns the end of the line without its CR. */
static inline const char *
nprof_csv_trimmed (const char *p, const char *nl)
{
  return nl > p && nl[-1] == '\r' ? nl - 1 : nl;
}

/* Returns the end of the fields, at the end of a line or of the input; NULL: it cannot be read. */
static inline const char *
nprof_csv_fields (struct nprof_csv *r, const char *p, const char *end)
{
  const char *nl = nprof_csv_line_end (p, end), *stop = nprof_csv_trimmed (p, nl);
  for (;; p++) {
    if (p < stop && *p == '"') {
      p = nprof_csv_quoted (r, p + 1, end);
      if (p && p > nl)
        nl = nprof_csv_line_end (p, end);
      stop = p ? nprof_csv_trimmed (p, nl) : NULL;
      if (p && p < stop && *p != ',')
        return nprof_csv_fail (r, p, "text behind a closing quote");
    } else {
      p = nprof_csv_unquoted (r, p, stop);
    }
    if (!p || p >= stop) {
      r->end = stop;
      return p ? nl : NULL;
    }
  }
}

/* Reads the record at p, which is before end.  Returns where the next one begins: the next line,
 * where this record cannot be read. */
static inline const char *
nprof_csv_record (struct nprof_csv *r, const char *p, const char *end)
{
  r->at = p;
  r->n = r->lines = 0;
  r->why = NULL;
  const char *nl = nprof_csv_fields (r, p, end);
  if (!nl) {
    nl = nprof_csv_line_end (p, end);
    r->end = nl;
    r->lines = 0;
  }
  r->lines += nl < end;
  return nl < end ? nl + 1 : end;
}

/* Skips a record as nprof_csv_record, but its fields are not known, and `end` (of the line)
 * says only whether it is blank. */
static inline const char *
nprof_csv_pass (struct nprof_csv *r, const char *p, const char *end)
{
  const char *nl = nprof_csv_line_end (p, end);
  if (memchr (p, '"', (size_t) (nl - p)))
    return nprof_csv_record (r, p, end);
  r->at = p;
  r->end = nprof_csv_trimmed (p, nl);
  r->n = 0;
  r->lines = nl < end;
  r->why = NULL;
  return nl < end ? nl + 1 : end;
}

/* Returns whether the line has nothing in it. */
static inline bool
nprof_csv_is_blank (const struct nprof_csv *r)
{
  return r->at == r->end;
}

static inline bool
nprof_csv_is (const struct nprof_csv_field *field, const char *text)
{
  return strlen (text) == field->len && memcmp (text, field->p, field->len) == 0;
}

/* Returns the number of the field that is that text, as a first line names columns; -1: none. */
static inline int
nprof_csv_find (const struct nprof_csv *r, const char *text)
{
  for (unsigned i = 0; i < r->n && i < NPROF_CSV_FIELDS; i++)
    if (nprof_csv_is (&r->field[i], text))
      return (int) i;
  return -1;
}

/* Copies the field with "" made "; `to` has room for len bytes.  Returns the length. */
static inline size_t
nprof_csv_plain (const struct nprof_csv_field *field, char *to)
{
  size_t n = 0;
  for (size_t i = 0; i < field->len; i++) {
    to[n++] = field->p[i];
    i += field->doubled && field->p[i] == '"';
  }
  return n;
}

#endif
