/* SPDX-License-Identifier: Apache-2.0 */
/* header.h - the 1024 bytes before the payload of a NEFF, and the recognition of such a file.
 * Layout: aws-neuron-sdk, neuron-runtime/explore/work-with-neff-files.rst. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEFF_HEADER_SIZE 1024
#define NEFF_MAX_NODES 64

enum { NEFF_SHA256 = 1, NEFF_MD5 = 2 };                /* pkg_version */
enum { NEFF_NOT_PACKED, NEFF_GZIP, NEFF_TAR };

typedef struct {
  uint64_t pkg_version, header_size, data_size, major, minor;
  char build_version[128 + 1];
  uint32_t num_tpb;
  uint8_t hash[32], uuid[16];
  char name[256 + 1];
  uint32_t requested_tpb_count;
  uint8_t tpb_per_node[NEFF_MAX_NODES];
  uint64_t feature_bits;
  uint32_t lnc_size; /* 0 in older files */
} NeffHeader;

/* `data` has at least NEFF_HEADER_SIZE bytes. */
void neff_header_read (NeffHeader *header, const uint8_t *data);
/* Tells what the payload is, by its first bytes, because the package version does not. */
int neff_packing (const uint8_t *payload, size_t len);
/* Returns the bid of the decoder: 90, 60 for one that is cut, 20 by name alone, else 0. */
int neff_probe (const void *head, size_t len, uint64_t size, const char *path);
