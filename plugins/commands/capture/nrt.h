/* SPDX-License-Identifier: Apache-2.0 */
/* nrt.h - libnrt, the runtime of AWS Neuron: our own declarations of what we call of it, after its
 * public documentation. It is opened when it is needed, never linked. */
#pragma once

#include <glib.h>

#define NP_NRT_LIBRARY "libnrt.so.1"
#define NP_NRT_PLACE "/opt/aws/neuron/lib/" NP_NRT_LIBRARY
#define NP_NRT_MAJOR 2 /* of the runtime that these declarations were written for */

typedef struct {
  guint64 number[4];
  char detail[128], hash[64];
} NpNrtVersion;

/* nrt_get_model_tensor_info gives this.  Nobody promises that it stays so: nrt-tensors.c looks
 * whether it can be. */
typedef struct {
  char name[256];
  int usage;
  gsize size;
  int dtype;
  const guint32 *shape;
  guint32 n_dims;
} NpNrtTensorInfo;

typedef struct {
  guint64 count;
  NpNrtTensorInfo tensors[];
} NpNrtTensorInfos;

/* All that must be there: name, result, arguments. A result of type int is a status, 0 is
 * success. */
#define NP_NRT_FUNCTIONS(X)                                                                        \
  X (nrt_init, int, (int framework, const char *version, const char *other))                       \
  X (nrt_close, void, (void) )                                                                     \
  X (nrt_load, int, (const void *neff, gsize size, gint32 vnc, gint32 count, void **model))        \
  X (nrt_unload, int, (void *model))                                                               \
  X (nrt_get_model_tensor_info, int, (void *model, NpNrtTensorInfos **infos))                      \
  X (nrt_free_model_tensor_info, int, (NpNrtTensorInfos * infos))                                  \
  X (nrt_allocate_tensor_set, int, (void **set))                                                   \
  X (nrt_destroy_tensor_set, void, (void **set))                                                   \
  X (nrt_tensor_allocate, int, (int place, int vnc, gsize size, const char *name, void **tensor))  \
  X (nrt_tensor_free, void, (void **tensor))                                                       \
  X (nrt_tensor_write, int, (void *tensor, const void *data, gsize offset, gsize size))            \
  X (nrt_add_tensor_to_tensor_set, int, (void *set, const char *name, void *tensor))               \
  X (nrt_profile_start, int, (void *model, const char *path))                                      \
  X (nrt_profile_stop, int, (const char *path))                                                    \
  X (nrt_execute, int, (void *model, const void *inputs, void *outputs))

typedef struct {
#define NP_NRT_FIELD(name, result, arguments) result (*name) arguments;
  NP_NRT_FUNCTIONS (NP_NRT_FIELD)
#undef NP_NRT_FIELD
  int (*nrt_get_version) (NpNrtVersion *version, gsize size);                        /* or NULL */
  int (*nrt_tensor_read) (const void *tensor, void *data, gsize offset, gsize size); /* or NULL */
} NpNrt;

/* path: NULL for the one that the loader finds, else that of the package. The library's own code
 * runs when it is opened. FALSE: NP_EXIT_PLUGIN with what is missing and how to get it. */
gboolean np_nrt_open (const char *path, NpNrt *nrt, GError **error);

/* "nrt_load: unsupported NEFF version (10): ..." with what may be done; transfer full. */
char *np_nrt_explain (const char *call, int status);
/* TRUE: the device is lost, nothing after it can succeed. */
gboolean np_nrt_is_fatal (int status);
