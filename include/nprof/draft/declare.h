/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/declare.h - what the content of a file declares: nprof_component.declare.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_DECLARE_H
#define NPROF_DRAFT_DECLARE_H

#include <nprof/plugin.h>

/* A profile of a file that holds several; each becomes an input of the run, and has an instance
 * of its own to decode it (nprof_input_info.profile). */
struct nprof_profile {
  uint32_t size;
  uint32_t number;              /* of its input in the run that wrote the file, from 0: ids of flows
                                   were kept apart by it                                */
  const char *label;            /* what its input was called; NULL: after the file      */
  const char *decoder;          /* the component that read it first; NULL: this one     */
  uint32_t modified;            /* Unix time in s when that was last changed; 0: as the file is */
};

/* What the content of a file declares.  Lent by the decoder until close; the core copies it. */
struct nprof_declaration {
  uint32_t size;
  uint32_t is_part;             /* 1: it belongs to the profile that another file of its folder
                                   stands for: where it was found in a folder, it is no input */
  const struct nprof_attribute *const *attributes; /* beside the component's; NULL: none */
  const struct nprof_table *const *tables;         /* the same; one that an analyzer of the run
                                                      makes is left out                  */
  const struct nprof_profile *const *profiles;     /* NULL: it is one profile            */
};

#endif
