/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - varints read eight bytes at once, for events; all else is read by protobuf/wire.h.
 * wire.c finds out afterwards why a field cannot be read. */
#pragma once

#include "protobuf/wire.h"

#define XP_LIKELY(x) __builtin_expect (!!(x), 1)
#define XP_UNLIKELY(x) __builtin_expect (!!(x), 0)
#define XP_INLINE static inline __attribute__ ((always_inline))

/* Varints are read byte by byte; eight bytes at once; or so with BMI2's pext.  The mode is a
 * constant wherever it is passed, so that the choice costs nothing. */
enum { XP_PLAIN, XP_SWAR, XP_BMI2 };

#if defined __x86_64__ && defined __GNUC__
#define XP_HAVE_BMI2 1
#endif

/* Reads on where 8 bytes gave 56 bits and no end. */
XP_INLINE const uint8_t *
xp_varint_tail (const uint8_t *p, const uint8_t *end, uint64_t low, uint64_t *value)
{
  if (p >= end)
    return NULL;
  *value = low | (uint64_t) (*p & 0x7f) << 56;
  if (!(*p++ & 0x80))
    return p;
  if (p >= end || *p & 0x80)
    return NULL;
  *value |= (uint64_t) *p << 63;
  return p + 1;
}

/* Squeezes the top bit out of each byte of w. */
XP_INLINE uint64_t
xp_collapse_spaces (uint64_t w, int mode)
{
#ifdef XP_HAVE_BMI2
  if (mode == XP_BMI2) {
    /* The instruction is written as text, so that the file needs no -mbmi2: the caller has asked
     * the processor. */
    uint64_t r;
    __asm__ ("pextq %2, %1, %0" : "=r"(r) : "r"(w), "r"(UINT64_C (0x7f7f7f7f7f7f7f7f)));
    return r;
  }
#endif
  (void) mode;
  w &= UINT64_C (0x7f7f7f7f7f7f7f7f);
  w = (w & UINT64_C (0x007f007f007f007f)) | (w & UINT64_C (0x7f007f007f007f00)) >> 1;
  w = (w & UINT64_C (0x00003fff00003fff)) | (w & UINT64_C (0x3fff00003fff0000)) >> 2;
  return (w & UINT64_C (0x0fffffff)) | (w & UINT64_C (0x0fffffff00000000)) >> 4;
}

/* Does the same as pb_varint, for values that are seldom small.  8 bytes may be loaded up to
 * `safe`. */
XP_INLINE const uint8_t *
xp_varint_long (const uint8_t *p, const uint8_t *end, const uint8_t *safe, uint64_t *value,
                int mode)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (mode != XP_PLAIN && XP_LIKELY (p <= safe)) {
    uint64_t w;
    memcpy (&w, p, 8);
    uint64_t stop = ~w & UINT64_C (0x8080808080808080);
    if (XP_LIKELY (stop)) {
      int n = (__builtin_ctzll (stop) >> 3) + 1;
      *value = xp_collapse_spaces (w & (stop ^ (stop - 1)), mode);
      return XP_LIKELY (n <= end - p) ? p + n : NULL;
    }
    return end - p < 8 ? NULL : xp_varint_tail (p + 8, end, xp_collapse_spaces (w, mode), value);
  }
#endif
  return pb_varint (p, end, value);
}

/* Does the same, for values that often have one byte. */
XP_INLINE const uint8_t *
xp_varint_fast (const uint8_t *p, const uint8_t *end, const uint8_t *safe, uint64_t *value,
                int mode)
{
  if (XP_LIKELY (p < end) && !(*p & 0x80)) {
    *value = *p;
    return p + 1;
  }
  return xp_varint_long (p, end, safe, value, mode);
}

/* Error texts name these messages of the format. */
typedef enum {
  XP_SPACE,
  XP_PLANE,
  XP_LINE,
  XP_EVENT,
  XP_STAT,
  XP_META_ENTRY,
  XP_STAT_ENTRY,
  XP_META,
  XP_STAT_META,
  XP_HLO
} XpMessage;

/* Says why the field at p of a message that ends at end cannot be read, as one line. */
void xp_why (const uint8_t *file, const uint8_t *p, const uint8_t *end, XpMessage in, char *text,
             size_t size);
/* Returns how this processor reads varints fastest. */
int xp_best_mode (void);
bool xp_has_bmi2 (void);
