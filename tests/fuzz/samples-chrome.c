/* SPDX-License-Identifier: Apache-2.0 */
/* samples-chrome.c - small traces of what the decoder chrome reads, for replay.c. */
#include "replay.h"

const char replay_likely[] = "\"\\{}[],: \n1.eM";

#define E(rest) "\"ts\":1.5,\"pid\":1,\"tid\":\"t\"" rest "}"

static const char *const samples[] = {
  "[{\"ph\":\"X\",\"name\":\"a\\n\",\"cat\":\"c\",\"dur\":2e-3," E (
      ",\"args\":{\"correlation\":1,\"a\":[{},\"]\"]}") ",]",
  "[{\"ph\":\"B\",\"name\":\"b\"," E ("") ",{\"ph\":\"E\"," E (
      ",\"args\":{}") ",{\"ph\":\"C\",\"name\":\"n\"," E (",\"args\":{\"s\":1,\"t\":\"2\"}"),
  "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":1,\"name\":\"d\",\"numSms\":3}],"
  "\"traceEvents\":[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,"
  "\"tid\":\"t\",\"args\":{\"name\":\"label\"}},{\"ph\":\"s\",\"id\":1,\"cat\":\"f\"," E (
      "") ",{\"ph\":\"f\",\"id\":1,\"bp\":\"e\"," E ("") "],\"baseTimeNanoseconds\":"
                                                         "1700000000000000000,"
                                                         "\"distributedInfo\":{"
                                                         "\"rank\":1}}",
  "[{\"ph\":\"b\",\"id2\":{\"local\":\"0x1\"}," E (
      "") ",{\"ph\":\"e\",\"id2\":{\"local\":\"0x1\"}"
          "," E ("") ",{\"ph\":\"S\",\"id\":2," E ("") ",{\"ph\":\"F\",\"id\":2," E (
              "") ",{\"ph\":\"X\",\"bind_id\":7,"
                  "\"flow_in\":true," E ("") ",{}]",
  "[{\"ph\":\"i\",\"name\":\"say \"hi\"\"," E ("") ",\n{\"ph\":\"i\",\"ts\":NaN},{\"ph\":\"i\"," E (
      ",\"tts\":1,\"args\":\"__stripped_"
      "_\"") "]",
  "[{\"ph\":\"X\",\"name\":\"k\",\"dur\":1," E (
      "") ",{\"ph\":\"X\",\"name\":\"ProfilerStep#12\",\"cat\":\"gpu_user_annotation\","
          "\"dur\":9," E (",\"args\":{\"a\":[\"ProfilerStep#3\"]}") ",{\"ph\":\"X\",\"name\":"
                                                                    "\"ProfilerStep#13\","
                                                                    "\"dur\":2," E ("") "]",
};

GByteArray *
replay_sample (guint number)
{
  return replay_text (samples, G_N_ELEMENTS (samples), number);
}
