/* SPDX-License-Identifier: Apache-2.0 */
/* samples-routes.c - a request of each route that reads, for replay.c. */
#include "replay.h"

const char replay_likely[] = "/?&=%+.,-0123456789~<>\"*|@";

static const char *const samples[] = {
  "/api/v1/server",
  "/api/v1/profiles?q=tag%3Ax&sort=name&offset=0&limit=2",
  "/api/v1/changes?since=0",
  "/api/v1/layouts/x",
  "@profile",
  "@meta",
  "@names?from=1&n=3",
  "@v?l=12&i=0&lanes=0-9",
  "@over?lanes=0-3",
  "@strip?pixels=512&q=a",
  "@e?row=0.3",
  "@rank?row=0.3",
  "@at?lane=0&t=4000&how=before",
  "@near?row=0.3&step=next&of=search&q=a",
  "@edges?tracks=1,2&t=4000&within=1000000",
  "@links?rows=0.3,1.0",
  "@chain?row=0.0&depth=3",
  "@q?q=name~a%20dur%3E1ns&after=0.1&n=3&pixels=8&t0=0&t1=900000&tracks=1-3",
  "@suggest?prefix=a&n=5",
  "@s?t0=3&t1=900000&tracks=1&by=name&where=name~a&n=3&percentiles=1",
  "@s?by=category&format=bin",
  "@s2?a=3..900@1&b=9..1500@2",
  "@table/operators?columns=a,b&sort=-a&where=a%3D1&offset=1&n=2",
  "@latency?name=a&tracks=1&t0=0&t1=90000&scale=log&bins=4",
  "@operators?level=hlo&n=3",
  "@gaps?device=x",
  "@steps?n=2",
  "@roofline?level=step",
  "@flame?by=name&order=time&t0=0&t1=90000&tracks=1&root=1",
  "@flame?by=name&about=a&t0=0&t1=90000",
  "@critical?step=0",
  "@memory?device=x",
  "@ranks?metric=busy",
  "@sources",
  "@source?index=0",
  "@line?index=0&lines=1-9&n=2",
  "@sql\n{\"text\":\"select row, name from events where name > 'a' limit 3\",\"limit\":2}",
};

GByteArray *
replay_sample (guint number)
{
  return replay_text (samples, G_N_ELEMENTS (samples), number);
}
