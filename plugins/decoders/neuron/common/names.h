/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - names of numbers and short words of a NEFF.  Names that are not documented by the
 * vendor are marked as likely. */
#pragma once

#include <stdint.h>

/* Returns the engine of keys.h ("tensor", "vector", ...) by the word that a NEFF uses for it ("pe",
 * "Activation0"); NULL: none.  `len` is the word's. */
const char *neff_engine (const char *word, unsigned long len);
/* Returns the likely mnemonic of an opcode; NULL: none is known. */
const char *neff_opcode (uint8_t opcode);
/* Returns "coalesced-cc, vnc (likely), 0x40000"; "" without bits.  Transfer full, with g_free. */
char *neff_features (uint64_t bits);
