/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - what numbers and short words of a NEFF are called.  Names that are not
 * documented by the vendor are marked as likely. */
#pragma once

#include <stdint.h>

/* The engine of keys.h ("tensor", "vector", ...) by the word that a NEFF uses for it ("pe",
 * "Activation0"); NULL: none.  len: the word's. */
const char *neff_engine (const char *word, unsigned long len);
/* The likely mnemonic of an opcode; NULL: none is known. */
const char *neff_opcode (uint8_t opcode);
/* "coalesced-cc, vnc (likely), 0x40000"; "" without bits.  Transfer full, with g_free. */
char *neff_features (uint64_t bits);
