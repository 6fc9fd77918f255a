/* SPDX-License-Identifier: Apache-2.0 */
/* nrt-tensors.h - what a model takes and gives: as libnrt says it, when that can be, and held
 * against the files that somebody gave for its inputs. */
#pragma once

#include "npy.h"
#include "nrt.h"

#define NP_NRT_TENSORS_MOST 65536

typedef struct {
  char *name;
  gboolean output;
  guint64 size; /* bytes */
  int dtype;    /* of libnrt; 0: unknown */
  guint n_dims;
  guint32 shape[NP_NPY_DIMS];
} NpNrtTensor;

/* An array of NpNrtTensor whose names it frees. */
GArray *np_nrt_tensors_new (void);

/* Reads what libnrt gave into an array that is empty. Returns NULL, or why it cannot be true;
 * transfer full. */
char *np_nrt_tensors_read (const NpNrtTensorInfos *infos, GArray *tensors);

/* The dtype that a NEFF calls so ("float16", "bfloat16"), or 0. */
int np_nrt_dtype (const char *name);

/* A file for an input; its data stay where they are. */
typedef struct {
  char *name, *path;
  guint8 *file;
  NpNpy npy;
} NpNrtInput;

/* Checks that each input is one of the model's, of its size.  FALSE: NP_EXIT_USAGE with both sides.
 * Same size but another shape or type is told to `warn`. */
gboolean np_nrt_inputs_fit (const GPtrArray *inputs, const GArray *tensors,
                            void (*warn) (gpointer user, const char *text), gpointer user,
                            GError **error);

/* The kind and width that numpy has for it; V where it has none. */
void np_nrt_numpy (const NpNrtTensor *tensor, char *kind, guint *width);
