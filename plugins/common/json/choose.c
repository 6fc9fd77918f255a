/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - chooses the scanner for this processor; NPROF is built for any x86-64, so the
 * processor is asked when it runs. */
#include "system/cpu.h"
#include "json/scan.h"

#include <stdlib.h>
#include <string.h>

extern const TeScanner te_scanner_scalar;
#ifdef __x86_64__
extern const TeScanner te_scanner_sse2, te_scanner_avx2, te_scanner_avx512;

static const TeScanner *const scanners[]
    = { &te_scanner_avx512, &te_scanner_avx2, &te_scanner_sse2, &te_scanner_scalar };

static bool
runs_here (const TeScanner *scanner)
{
  bool avx2
      = np_cpu_has_avx2 () && np_cpu_has_bmi2 () && np_cpu_has_pclmul () && np_cpu_has_popcnt ();
  if (scanner == &te_scanner_avx512)
    return avx2 && np_cpu_has_avx512bw () && np_cpu_has_avx512vl ();
  return scanner != &te_scanner_avx2 || avx2;
}
#else
static const TeScanner *const scanners[] = { &te_scanner_scalar };

static bool
runs_here (const TeScanner *scanner)
{
  (void) scanner;
  return true;
}
#endif

const TeScanner *
te_scanner_named (const char *name)
{
  for (size_t i = 0; i < sizeof scanners / sizeof *scanners; i++)
    if ((!name || strcmp (scanners[i]->name, name) == 0) && runs_here (scanners[i]))
      return scanners[i];
  return NULL;
}

const TeScanner *
te_scanner (void)
{
  return te_scanner_named (NULL);
}
