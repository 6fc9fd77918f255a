/* SPDX-License-Identifier: Apache-2.0 */
/* icudata.c - no tables of ICU, in place of 31 MB. libarchive needs libxml2 for archives of xar,
 * libxml2 ICU for encodings that are not Unicode, and nprof reads neither. ENTRY is the name that
 * ICU looks for. */

#include <stdint.h>

/* A header of ICU's data files (unicode/udata.h), and a table of contents without an entry. */
const struct {
  uint16_t header_size;
  uint8_t magic[2];
  uint16_t info_size, reserved;
  uint8_t big_endian, charset, char_size, reserved_byte, format[4], format_version[4], version[4];
  uint8_t padding[8];
  uint32_t entries;
} ENTRY __attribute__ ((aligned (16))) = {
  32, { 0xda, 0x27 }, 20, 0, 0, 0, 2, 0, "ToCP", { 1 }, { 0 }, { 0 }, 0,
};
