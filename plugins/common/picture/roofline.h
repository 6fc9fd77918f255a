/* SPDX-License-Identifier: Apache-2.0 */
/* roofline.h - a roofline as SVG: points by their flops per byte and their flops per second, on
 * logarithmic scales, below the roofs of devices.  The page of a report has it as it is; the server
 * of nprof view hands it out, and its page lets points be chosen.  Colours are the reader's. */
#pragma once

#include <glib.h>

typedef struct {
  const char *name, *device;
  const char *look;             /* a class beside "dot"; "": none */
  double time, intensity, rate; /* ps, flop/byte, flop/s; NAN: unknown */
} NpRooflinePoint;

typedef struct {
  const char *name; /* the device */
  double flops, bandwidth;
} NpRooflineRoof;

/* Returns whether the point has a place: no logarithmic scale has 0. */
gboolean np_roofline_has_place (const NpRooflinePoint *point);

/* Appends the picture of points (NpRooflinePoint) and roofs (NpRooflineRoof): a roof, or a point
 * that has a place, is there at least.  A point is a circle, whose data-row is its place in the
 * array and whose title says all of it.  Peaks stand beside their roofs, and names beside the
 * longest points, where these cover nothing. */
void np_roofline_put (GString *out, const char *label, const GArray *points, const GArray *roofs);
