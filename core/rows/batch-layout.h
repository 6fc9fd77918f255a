/* SPDX-License-Identifier: Apache-2.0 */
/* batch-layout.h - the columns of a batch cut from one block of memory. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

#define NP_COLUMN_ALIGN 64u

static inline gsize
np_aligned (gsize size)
{
  return (size + NP_COLUMN_ALIGN - 1) & ~(gsize) (NP_COLUMN_ALIGN - 1);
}

/* It says where the next column begins.  Without a base the sizes are only added up. */
typedef struct {
  char *base;
  gsize at;
  gsize page;        /* guarded: each column ends where a page ends that is followed by one
                        that nobody may touch; else 0 */
  gboolean writable; /* guarded: the columns, from now on */
} NpLayout;

void *np_layout_column (NpLayout *c, gsize size);
/* Returns the room for attributes in a fresh batch of that many rows, and for their bytes. */
guint32 np_first_attrs (gsize rows);
guint32 np_first_bytes (gsize rows);
/* Lays out all columns of so many rows behind a head of `head` bytes.  Returns where they end. */
gsize np_lay_out (struct nprof_writer *w, NpLayout c, gsize head, gsize rows);
/* Lays out the three columns of attributes alone, for more than the block has room for. */
gsize np_lay_out_attrs (struct nprof_writer *w, NpLayout c, gsize attrs);
