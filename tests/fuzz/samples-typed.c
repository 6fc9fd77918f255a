/* SPDX-License-Identifier: Apache-2.0 */
/* samples-typed.c - what people type, for replay.c: each is tried as everything. */
#include "replay.h"

const char replay_likely[] = ":=,\"\\'.*?[]()<>!%- 0159eEkms\n";

static const char *const samples[] = {
  "demo:level=7,share=0.25,excel,note=\"x, \\\"y\\\"\",codec=none,block=64k,any=-3",
  "demo:level=65,real=1e-3,bytes=2G,note=a\\,b",
  "demo:excel=yes,levle=1",
  "9223372036854775807",
  "-1.7976931348623157e308",
  "18446744073709551615",
  "16777216k",
  "1.5ms",
  "-0.00000000000005min",
  "9223372.036854775807s",
  "100",
  "0",
  "3..7",
  "-5..",
  "..9223372036854775807",
  "p99('attention*', track='/device:*') <= 2ms",
  "p99.9(\"*\") > 1e3us",
  "devices.busy_ns['device=*TPU:0', 'core=1'] != 10.5KiB",
  "mfu >= 40%",
  "k=-7\nd*\nTPU:?",
  "k=0.1\n[!a-e]*.[0-9]\n*",
  "value=3\n\n[]a-",
  "k=30313233343536373839616263646566",
  "kind=span",
  "duration>=1.5ms",
  "k<2KiB\nusion\nOps",
  "k_ns != 1us",
};

GByteArray *
replay_sample (guint number)
{
  return replay_text (samples, G_N_ELEMENTS (samples), number);
}
