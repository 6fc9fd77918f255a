/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/extensions.h - functions beyond nprof/plugin.h, which host->extension (host, ID) returns, or NULL where this nprof
 * does not have them.  Each is a struct that grows at its end only. */
#ifndef NPROF_EXTENSIONS_H
#define NPROF_EXTENSIONS_H

#include <nprof/plugin.h>

/* Sinks: who made what.  Origin 0 are the decoders, k the k-th analyzer of the run, NPROF_ORIGIN_CORE the core itself; batches
 * say theirs. */
#define NPROF_ORIGINS "nprof.origins"
#define NPROF_ORIGIN_CORE UINT32_MAX
struct nprof_origins {
  uint32_t size, reserved;
  /* The analyzer as it would be written on the command line, with the options that were given; NULL beyond the last.  Valid for the run.
   * [instance] */
  const char *(*name) (const struct nprof_host *host, uint32_t origin);
  uint32_t (*of_table) (const struct nprof_host *host, const char *table); /* by name  [instance] */
  uint32_t (*n_decoded) (const struct nprof_host *host); /* columns that decoders declare: the first ones  [instance] */
};

/* Sinks and decoders: the file that an input is read from: its real path, valid for the run, or NULL for what has none (stdin, a
 * pipe).  A decoder whose input is one file of several that belong together finds the others by it. */
#define NPROF_INPUT_FILE "nprof.input-file"
struct nprof_input_file {
  uint32_t size, reserved;
  const char *(*path) (const struct nprof_host *host, uint32_t input); /* [any-thread] */
  /* D, before the first row: how long the file was that the rows were first read from, for table `inputs`. [instance] */
  nprof_status (*stated) (const struct nprof_host *host, uint64_t bytes);
  /* D: as host->skip, n times, `at` being the first.  [instance] */
  void (*skipped) (const struct nprof_host *host, const char *what, uint64_t n, uint64_t at, const char *reason);
};

/* Decoders: the beginning of a file beside the input, for those that must know whether it is the one they
 * look for before they open it: host->sibling makes a file an input of the run. */
#define NPROF_SIBLING_HEAD "nprof.sibling-head"
struct nprof_sibling_head {
  uint32_t size, reserved;
  /* Copies up to `len` first bytes of the sibling of that name, as host->siblings gives it, as they lie in
   * the file.  Returns how many; 0 where it cannot be read, or is no file.  [instance] */
  size_t (*read) (const struct nprof_host *host, const char *name, void *bytes, size_t len);
};

/* Analyzers: what accelerators can do at best, by the names that files give them. */
#define NPROF_DEVICES "nprof.devices"

struct nprof_device_rate {
  const char *precision; /* "bf16"                                  */
  double rate;           /* flop/s, or flop of a core in a cycle    */
};

struct nprof_device {
  uint32_t size, n_rates;
  const char *name;      /* "TPU v5e"                                               */
  const char *file;      /* "tpu.json"                                              */
  const char *precision; /* of flops: "bf16"                                        */
  double flops;          /* flop/s; NAN: by per_cycle                               */
  double per_cycle;      /* flop of one core in one cycle of its clock; NAN: by flops */
  double bandwidth;      /* byte/s of the main memory; NAN: unknown                 */
  double link;           /* byte/s of all links between devices, one way; NAN: unknown */
  double link_group;     /* so many devices it joins, at most                       */
  const struct nprof_device_rate *rates; /* n_rates: dense ones, of all precisions  */
};

struct nprof_devices {
  uint32_t size, reserved;
  /* The first device whose patterns match the type, case ignored; NULL: none.  folder: holds *.json,
   * which are read once a run; NULL: the one that came with nprof, and no device where there is
   * none.  device_type NULL: only reads.  NPROF_E_OPTION when a file cannot be read: the cause is
   * recorded.  What is found is valid for the run.  [instance] */
  nprof_status (*find) (const struct nprof_host *host, const char *folder, const char *device_type,
                        const struct nprof_device **device);
};

/* Analyzers: what several of them would each find out about the same rows is found once, and noted beside the batch.  Whoever
 * wants a note brings the functions that make it.  A name stands for one content and layout: of several makers of one name
 * the first is used. */
#define NPROF_NOTES "nprof.notes"
struct nprof_note_maker {
  uint32_t size;
  uint32_t bytes;   /* of a note, which is aligned to 64; it comes with what an earlier batch left in it */
  const char *name; /* "org.example.roles/2"                                           */
  /* Returns what the maker remembers from batch to batch, for one stream of rows; NULL: out of memory.  It may call what is
   * [any-thread] of the host, which is that of whoever wanted the note first. */
  void *(*open) (const struct nprof_host *host);
  /* Makes the note of a batch before anybody is given that.  Calls for one stream come one after the other, while analyzers read
   * earlier notes on other threads: what these refer to no longer changes, until close. */
  void (*make) (void *maker, const struct nprof_batch *batch, void *note);
  void (*close) (void *maker); /* all batches of the stream were read */
};
struct nprof_notes {
  uint32_t size, reserved;
  /* From open, once: each batch that this analyzer is given comes with that note.  `maker` is valid for the run.  [instance] */
  nprof_status (*want) (const struct nprof_host *host, const struct nprof_note_maker *maker);
  /* The note that it wanted of the batch that `consume` was given just now; valid until that returns.  [instance] */
  const void *(*of) (const struct nprof_host *host, const struct nprof_batch *batch);
};

#endif
