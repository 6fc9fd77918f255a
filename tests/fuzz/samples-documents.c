/* SPDX-License-Identifier: Apache-2.0 */
/* samples-documents.c - a configuration, a NAME.plugin and a manifest.json, for replay.c: each is
 * read as everything. */
#include "replay.h"

const char replay_likely[] = "{}[]\",:\\0123456789-.eEtfnu \n";

static const char *const samples[] = {
  "{\"inputs\": [\"a.pb\", \"-\"], \"decoder\": \"xplane:extract=d\", \"analyzers\": [\"device\", "
  "{\"name\": \"latency\", \"options\": {\"by\": \"inference\", \"n\": 3, \"x\": 0.5, \"b\": "
  "true}}],"
  " \"sinks\": [\"csv:columns=a+b\"], \"output\": \"out\", \"jobs\": 2}",
  "{\"sinks\": [{\"name\": \"csv\", \"options\": {\"columns\": \"x\\u00e9\\ud83d\\ude00\"}}],\n"
  " \"jobs\": 1024}",
  "[decoder xplane]\nmagic=0a20-7e;1f8b\nsuffixes=.pb\n[later x]\n# a comment\n[analyzer "
  "a]\nrank=20\n"
  "page.operators=7\ndetails=a\\;b;c\noff.critical_path=path=no\n",
  "[analyzer a]\ndecoder=x\ndetails=a;b\ndecoder=y\ndetails=c\n",
  "{\"generator\": \"nprof 1.0.0-rc1\", \"files\": [{\"name\": \"a.csv\", \"bytes\": 1, \"crc32\": "
  "\"e8b7be43\"}, {\"name\": \"b/c.csv\", \"bytes\": 922337203685477580, \"crc32\": "
  "\"00000000\"}]}",
  "{\"generator\": \"other\", \"files\": 3}",
  "[[[[{}]]], null, 1e999, -0]",
};

GByteArray *
replay_sample (guint number)
{
  return replay_text (samples, G_N_ELEMENTS (samples), number);
}
