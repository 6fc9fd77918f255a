/* SPDX-License-Identifier: Apache-2.0 */
/* What most files include, compiled once (precompile.py); it hides what they forget to include,
 * which the build of the packages finds. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
