/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/units.h - times, bytes, rates, shares and counts as people read them, header-only, the same
 * in every locale: three significant digits and a unit.  A whole part is never cut, so the largest
 * unit may have more digits, and what has no larger units is exact where it is whole: "12,345".  A
 * share has tenths of a percent, so that parts of one whole add up.  Programs get whole numbers,
 * never these texts.  tests/units.json has examples. */
#ifndef NPROF_UNITS_H
#define NPROF_UNITS_H

#include <nprof/format.h>

/* A number and its unit, which a blank divides where there is a unit. */
struct nprof_figure {
  char number[NPROF_MAX_NUMBER]; /* "1.24", "12,345", "NaN"                     */
  const char *unit;              /* "ms", "%"; "" for counts, else the one given */
  bool rounded;                  /* the number is not exact                     */
};

/* Both as one text.  C and C++ keep it to the end of the expression: printf ("%s", nprof_time
 * (ps).text). */
struct nprof_figure_text {
  char text[NPROF_MAX_NUMBER + 16];
};

#define NPROF_UNIT_STEPS 7 /* no unit has more that are larger, with itself and the end */

struct nprof_unit_step {
  const char *suffix;
  double size; /* of the unit that values come in */
};

/* Returns the larger ones of a unit that tables and facts state, ascending, up to a NULL suffix;
 * NULL: it has none.  Memory counts in powers of two, as devices state it; rates in powers of ten,
 * as peaks are stated. */
static inline const struct nprof_unit_step *
nprof_unit_steps (const char *unit)
{
  static const struct {
    const char *unit;
    struct nprof_unit_step steps[NPROF_UNIT_STEPS];
  } units[] = {
    { "ps", { { "ps", 1 }, { "ns", 1e3 }, { "us", 1e6 }, { "ms", 1e9 }, { "s", 1e12 } } },
    { "ns", { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } } },
    { "byte",
      { { "B", 1 },
        { "KiB", 1024. },
        { "MiB", 1048576. },
        { "GiB", 1073741824. },
        { "TiB", 1099511627776. } } },
    { "byte/s",
      { { "B/s", 1 }, { "kB/s", 1e3 }, { "MB/s", 1e6 }, { "GB/s", 1e9 }, { "TB/s", 1e12 } } },
    { "flop",
      { { "FLOP", 1 },
        { "kFLOP", 1e3 },
        { "MFLOP", 1e6 },
        { "GFLOP", 1e9 },
        { "TFLOP", 1e12 },
        { "PFLOP", 1e15 } } },
    { "flop/s",
      { { "FLOP/s", 1 },
        { "kFLOP/s", 1e3 },
        { "MFLOP/s", 1e6 },
        { "GFLOP/s", 1e9 },
        { "TFLOP/s", 1e12 },
        { "PFLOP/s", 1e15 } } },
    { "Hz", { { "Hz", 1 }, { "kHz", 1e3 }, { "MHz", 1e6 }, { "GHz", 1e9 } } },
  };
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp (units[i].unit, unit) == 0)
      return units[i].steps;
  return NULL;
}

/* Writes u with a comma before each three digits, and k of its digits as decimals. */
static inline char *
nprof_format_grouped (char *to, uint64_t u, unsigned k, char comma)
{
  char digits[24], *end = nprof_format_u64 (digits, u / nprof_power_of_ten (k));
  for (char *at = digits; at < end; at++) {
    if (at > digits && (end - at) % 3 == 0)
      *to++ = comma;
    *to++ = *at;
  }
  if (k)
    *to++ = '.';
  for (unsigned d = k; d; d--)
    *to++ = (char) ('0' + u / nprof_power_of_ten (d - 1) % 10);
  return to;
}

/* Writes x > 0 as "1.23e-7". */
static inline char *
nprof_format_power (char *to, double x)
{
  int exponent = 2;
  for (; x >= 999.5; x /= 10)
    exponent++;
  for (; x < 99.95; x *= 10)
    exponent--;
  to = nprof_format_grouped (to, (uint64_t) (x + .5), 2, ',');
  *to++ = 'e';
  return nprof_format_i64 (to, exponent);
}

/* Returns value / size times 10^k, rounded: whole is 0 < value. */
static inline double
nprof_round_digits (double value, double size, unsigned k)
{
  return floor (value * (double) nprof_power_of_ten (k) / size + .5);
}

/* Returns how many decimals give value / size three digits. */
static inline unsigned
nprof_three_digits (double value, double size)
{
  unsigned k = 0;
  while (k < 6 && nprof_round_digits (value, size, k + 1) < 1000)
    k++;
  return k;
}

/* Writes value / size, both above 0, with three digits, or all of a longer whole part; *rounded: it
 * is not exact. */
static inline char *
nprof_format_three (char *to, double value, double size, bool *rounded)
{
  double x = value / size;
  *rounded = true;
  if (x >= 1e15 || x < 1e-4)
    return nprof_format_power (to, x);
  unsigned k = nprof_three_digits (value, size);
  double digits = nprof_round_digits (value, size, k);
  *rounded = digits / (double) nprof_power_of_ten (k) != x;
  return nprof_format_grouped (to, (uint64_t) digits, k, ',');
}

/* Returns the unit in which value > 0 has a whole part, and at most three digits in it. */
static inline const struct nprof_unit_step *
nprof_choose_step (const struct nprof_unit_step *steps, double value)
{
  const struct nprof_unit_step *last = steps + NPROF_UNIT_STEPS - 1;
  while (steps < last && steps[1].suffix && nprof_round_digits (value, steps->size, 0) >= 1000)
    steps++;
  return steps;
}

/* Writes a share above 0 as percents. */
static inline char *
nprof_format_percent (char *to, double share, bool negative, bool *rounded)
{
  double tenths = floor (share * 1000 + .5);
  *rounded = tenths / 1000 != share;
  if (share >= 1e12)
    return nprof_format_power (to, 100 * share);
  if (tenths >= 1)
    return nprof_format_grouped (to, (uint64_t) tenths, 1, ',');
  to -= negative;
  strcpy (to, negative ? ">-0.1" : "<0.1");
  return to + strlen (to);
}

/* `unit` is one that tables and facts state: "ps", "byte", "byte/s", "flop", "flop/s", "Hz", "1" of
 * shares, "" of counts; it is kept where it is another, and must live as long. */
static inline struct nprof_figure
nprof_figure (double value, const char *unit)
{
  const struct nprof_unit_step *steps = nprof_unit_steps (unit);
  bool share = strcmp (unit, "1") == 0;
  struct nprof_figure f = { { 0 }, steps ? steps->suffix : share ? "%" : unit, false };
  double size = steps ? steps->size : 1, magnitude = fabs (value);
  char *to = f.number;
  if (!isfinite (value)) {
    *nprof_format_double (to, value) = 0;
    f.unit = "";
    return f;
  }
  if (value < 0)
    *to++ = '-';
  if (steps) {
    const struct nprof_unit_step *step = nprof_choose_step (steps, magnitude);
    f.unit = step->suffix;
    size = step->size;
  }
  if (share && magnitude > 0)
    to = nprof_format_percent (to, magnitude, value < 0, &f.rounded);
  else if (share)
    to = nprof_format_grouped (to, 0, 1, ',');
  else if ((size == 1 && magnitude == floor (magnitude) && magnitude < 1e15) || !(magnitude > 0))
    to = nprof_format_grouped (to, (uint64_t) magnitude, 0, ',');
  else
    to = nprof_format_three (to, magnitude, size, &f.rounded);
  *to = 0;
  return f;
}

/* The same of a whole number, of which no digit is lost where its unit has no larger ones. */
static inline struct nprof_figure
nprof_figure_u64 (uint64_t value, bool negative, const char *unit)
{
  if (nprof_unit_steps (unit) || strcmp (unit, "1") == 0)
    return nprof_figure (negative ? -(double) value : (double) value, unit);
  struct nprof_figure f = { { 0 }, unit, false };
  f.number[0] = '-';
  *nprof_format_grouped (f.number + negative, value, 0, ',') = 0;
  return f;
}

static inline struct nprof_figure
nprof_figure_i64 (int64_t value, const char *unit)
{
  return nprof_figure_u64 (value < 0 ? 0 - (uint64_t) value : (uint64_t) value, value < 0, unit);
}

static inline struct nprof_figure_text
nprof_figure_join (struct nprof_figure f)
{
  struct nprof_figure_text t;
  snprintf (t.text, sizeof t.text, "%s%s%s", f.number, *f.unit ? " " : "", f.unit);
  return t;
}

/* "1.24 ms" of picoseconds. */
static inline struct nprof_figure_text
nprof_time (double ps)
{
  return nprof_figure_join (nprof_figure (ps, "ps"));
}

/* "1.90 GiB". */
static inline struct nprof_figure_text
nprof_bytes (double bytes)
{
  return nprof_figure_join (nprof_figure (bytes, "byte"));
}

/* "29.4 GB/s". */
static inline struct nprof_figure_text
nprof_byte_rate (double bytes_per_second)
{
  return nprof_figure_join (nprof_figure (bytes_per_second, "byte/s"));
}

/* "32.4 %" of 0.324. */
static inline struct nprof_figure_text
nprof_share (double share)
{
  return nprof_figure_join (nprof_figure (share, "1"));
}

/* "12,345". */
static inline struct nprof_figure_text
nprof_count (uint64_t count)
{
  return nprof_figure_join (nprof_figure_u64 (count, false, ""));
}

/* A point in time, exact, in its largest unit, without a comma: --from and --to take it. */
static inline struct nprof_figure_text
nprof_point (int64_t ps)
{
  static const struct {
    const char *unit;
    unsigned digits;
  } units[] = { { " ps", 0 }, { " ns", 3 }, { " us", 6 }, { " ms", 9 }, { " s", 12 } };
  uint64_t size = ps < 0 ? 0 - (uint64_t) ps : (uint64_t) ps;
  size_t i = 0;
  while (i < 4 && size >= nprof_power_of_ten (units[i + 1].digits))
    i++;
  struct nprof_figure_text t;
  strcpy (nprof_format_decimal (t.text, ps, units[i].digits, '.'), units[i].unit);
  return t;
}

#endif
