/* SPDX-License-Identifier: Apache-2.0 */
/* npy.h - arrays as numpy.save writes them, for the inputs of a model. Format: numpy's "npy format"
 * 1.0 to 3.0. */
#pragma once

#include <glib.h>

#define NP_NPY_DIMS 32

typedef struct {
  char kind;    /* i, u, f, b or V */
  guint width;  /* bytes an element */
  guint n_dims; /* 0: one element */
  guint64 shape[NP_NPY_DIMS];
  gsize offset; /* of the first byte of data */
  gsize bytes;  /* of data */
} NpNpy;

/* Reads the header of a whole file of `len` bytes and checks that exactly its data follow. The
 * errors (NP_EXIT_USAGE) name `path`, the byte, and what to do. */
gboolean np_npy_parse (const guint8 *file, gsize len, const char *path, NpNpy *npy, GError **error);

/* Returns "f4[2, 3]"; transfer full. */
char *np_npy_text (const NpNpy *npy);

/* A header of version 1.0 for data of this kind, width and shape; a multiple of 64 bytes. */
GByteArray *np_npy_header (char kind, guint width, const guint32 *shape, guint n_dims);

/* -- The dict of the header (npy-header.c) ------------------------------------------- */

typedef struct {
  char descr[16];
  gboolean fortran;
  guint n_dims;
  guint64 shape[NP_NPY_DIMS];
} NpNpyDict;

/* A literal of Python with exactly the keys descr, fortran_order and shape. Returns NULL, or what
 * is wrong with it, at byte *at of the text. */
const char *np_npy_dict (const char *text, gsize len, NpNpyDict *dict, gsize *at);
