/* SPDX-License-Identifier: Apache-2.0 */
/* ntff.h - what the reader of NTFF (file.h) and that of the vendor's tools (tools.h) share: the
 * instance, names of tracks and attributes, the NEFF. */
#pragma once

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

#define NTFF_HEADER 128u
#define NTFF_ENGINES 5u
enum { NTFF_PE, NTFF_ACT, NTFF_POOL, NTFF_DVE, NTFF_SP };

typedef struct Ntff Ntff;

/* -- Tracks (tracks.c) ------------------------------------------------------------------------- */

/* Returns the track of a queue of one DMA engine; `own` is the queue's name, or "", *name that of
 * its rows. */
nprof_track ntff_dma_track (const struct nprof_host *host, nprof_track core, int64_t engine,
                            int64_t queue, const char *own, nprof_str *name);
extern const char *const ntff_engine_key[NTFF_ENGINES];  /* PE, ...                      */
extern const char *const ntff_engine_name[NTFF_ENGINES]; /* tensor, ... as keys.h         */

/* -- Rows (keys.c) ----------------------------------------------------------------------------- */

enum {
  NTFF_KEY_PC, NTFF_KEY_HINT, NTFF_KEY_WAIT, NTFF_KEY_CRC_IN, NTFF_KEY_CRC_OUT, NTFF_KEY_MODE,
  NTFF_KEY_BYTES, NTFF_KEY_QUEUE, NTFF_KEY_CRC, NTFF_KEY_FLOPS, NTFF_KEY_TRANSPOSE,
  NTFF_KEY_QUEUE_TYPE, NTFF_KEY_QUEUE_USE, NTFF_KEY_LIMIT_K, NTFF_KEY_LIMIT_N, NTFF_KEY_LIMIT_TYPE,
  NTFF_KEY_LEFT_OUT, NTFF_KEY_WAITS, NTFF_KEY_SIGNALS, NTFF_KEY_DMA_SIGNALS,
  NTFF_KEYS
};

void ntff_rows_begin (Ntff *n);
nprof_status ntff_attr (Ntff *n, int key, uint64_t value);

/* -- The NEFF (neff.c, neff-facts.c) ----------------------------------------------------------- */

typedef struct {
  char *model, *compiler;       /* NULL: not known                                      */
  bool has_macs;
  int64_t macs;
  GHashTable *queue_types;      /* char *, "sg00/qSPIO0" to "in"; NULL: none is stated  */
  GHashTable *code;             /* "sg00/PE.bin" to GBytes, and its debug info; NULL: none */
} NtffNeffFacts;

/* words of a NEFF for the engines: "PE", "Activation", ... */
extern const char *const ntff_neff_engine[NTFF_ENGINES];

nprof_status ntff_neff (Ntff *n);
/* Returns false when it is no NEFF. */
bool ntff_neff_facts (const uint8_t *data, uint64_t len, NtffNeffFacts *facts);

/* -- The beginning of a file (../ntff-probe.c) ------------------------------------------------- */

int ntff_probe (const void *head, size_t len, uint64_t size, const char *path);

/* -- The instance ------------------------------------------------------------------------------ */

struct Ntff {
  const char *neff_path;        /* options                                              */
  bool private;
  int32_t time_unit;            /* 0: as the file says, 1: ns, 2: ps; of ../tools       */
  const struct nprof_host *host;
  struct nprof_writer *w;
  const uint8_t *data;          /* the file                                             */
  nprof_str input_label;
  uint32_t input;
  nprof_str key[NTFF_KEYS], key_phase;
  bool want[NTFF_KEYS];
  nprof_str category_instruction, category_semaphore, category_event, category_dma,
    category_throttle, category_execution, category_wait, category_unknown, category_setup,
    queue_type[5];
  nprof_str phase_begin, phase_end;
  NtffNeffFacts neff;
  uint8_t uuid[16];             /* of the NEFF that was run                             */
  uint64_t uuid_len;            /* bytes of it that the file has; 0: none               */
  char *neff_name;              /* its path when it was run; NULL: not known            */
};
