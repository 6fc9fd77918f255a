/* SPDX-License-Identifier: Apache-2.0 */
/* samples-requests.c - targets, lists, rows and hosts, for replay.c. */
#include "replay.h"

const char replay_likely[] = "/?&=%+#.,-0123456789:[]@";

static const char *const samples[] = {
  "/api/v1/p/n_2fd60bd0fdc8bc51ea50f802404b741288926eb1/0123456789abcdef/v?l=24&i=-3&lanes=3-17,20",
  "/api/v1/p/n_0/q?q=name%3D%22a+b%22%20dur%3E1ms&after=6.3&n=100#x",
  "/profile/%C3%A9%2F..//x?a&b=&=c&a=2",
  "3-17,20,25-25",
  "4294967295.4294967295",
  "-9223372036854775808",
  "localhost:3001",
  "[::1]:80",
};

GByteArray *
replay_sample (guint number)
{
  return replay_text (samples, G_N_ELEMENTS (samples), number);
}
