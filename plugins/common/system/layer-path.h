/* SPDX-License-Identifier: Apache-2.0 */
/* layer-path.h - the layer in a framework's path.  Knows nothing of nprof. */
#ifndef AN_LAYER_PATH_H
#define AN_LAYER_PATH_H

#include <glib.h>

/* Returns the layer of a path: "jit(step)/jit(main)/transpose(jvp(Net))/dense_0/dot_general" is of
 * layer "Net/dense_0", "Net[net]/Linear[fc]/aten__mm" of "Net[net]/Linear[fc]".  NULL: the path
 * names none.  Transfer full. */
char *an_layer_of_path (const char *path);

/* Returns where the component of a path that begins at `at` ends: a '/' outside parentheses and
 * brackets, or `end`. */
const char *an_path_component_end (const char *at, const char *end);

/* Returns where the path ends, without the type that TensorFlow puts behind a colon. */
const char *an_path_end (const char *path);

#endif
