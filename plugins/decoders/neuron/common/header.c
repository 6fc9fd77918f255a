/* SPDX-License-Identifier: Apache-2.0 */
/* header.c - reads the header of a NEFF; facts.c gives its values their meaning. */
#include "header.h"

#include <string.h>

static uint64_t
u64 (const uint8_t *at)
{
  uint64_t u = 0;
  for (int i = 7; i >= 0; i--)
    u = u << 8 | at[i];
  return u;
}

static uint32_t
u32 (const uint8_t *at)
{
  return (uint32_t) (at[0] | at[1] << 8 | at[2] << 16) | (uint32_t) at[3] << 24;
}

void
neff_header_read (NeffHeader *h, const uint8_t *data)
{
  memset (h, 0, sizeof *h);
  h->pkg_version = u64 (data);
  h->header_size = u64 (data + 0x008);
  h->data_size = u64 (data + 0x010);
  h->major = u64 (data + 0x018);
  h->minor = u64 (data + 0x020);
  memcpy (h->build_version, data + 0x028, sizeof h->build_version - 1);
  h->num_tpb = u32 (data + 0x0a8);
  memcpy (h->hash, data + 0x0ac, sizeof h->hash);
  memcpy (h->uuid, data + 0x0cc, sizeof h->uuid);
  memcpy (h->name, data + 0x0dc, sizeof h->name - 1);
  h->requested_tpb_count = u32 (data + 0x1dc);
  memcpy (h->tpb_per_node, data + 0x1e0, sizeof h->tpb_per_node);
  h->feature_bits = u64 (data + 0x220);
  h->lnc_size = u32 (data + 0x228);
}

int
neff_packing (const uint8_t *payload, size_t len)
{
  if (len >= 2 && payload[0] == 0x1f && payload[1] == 0x8b)
    return NEFF_GZIP;
  if (len >= 262 && memcmp (payload + 257, "ustar", 5) == 0)
    return NEFF_TAR;
  return NEFF_NOT_PACKED;
}

static bool
named_neff (const char *path)
{
  size_t len = path ? strlen (path) : 0;
  return len > 5 && strcmp (path + len - 5, ".neff") == 0;
}

/* Looks at everything that can be wrong, because there is no magic number. */
int
neff_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const uint8_t *data = head;
  int by_name = named_neff (path) ? 20 : 0;
  if (len < NEFF_HEADER_SIZE)
    return by_name;
  NeffHeader h;
  neff_header_read (&h, data);
  if (h.header_size != NEFF_HEADER_SIZE || h.pkg_version < 1 || h.pkg_version > 2 || h.major > 16)
    return by_name;
  if (neff_packing (data + NEFF_HEADER_SIZE, len - NEFF_HEADER_SIZE) == NEFF_NOT_PACKED)
    return by_name;
  return size == 0 || (size >= NEFF_HEADER_SIZE && h.data_size <= size - NEFF_HEADER_SIZE) ? 90
                                                                                           : 60;
}
