/* SPDX-License-Identifier: Apache-2.0 */
/* replay-chrome.c - runs the fuzz target without libFuzzer: on the files that are named, or on
 * its seeds, whole, cut and changed in a way that is the same each time.  --seeds FOLDER writes
 * the seeds as a corpus. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define E(rest) "\"ts\":1.5,\"pid\":1,\"tid\":\"t\"" rest "}"

static const char *const seeds[] = {
  "[{\"ph\":\"X\",\"name\":\"a\\n\",\"cat\":\"c\",\"dur\":2e-3," E (
      ",\"args\":{\"correlation\":1,\"a\":[{},\"]\"]}") ",]",
  "[{\"ph\":\"B\",\"name\":\"b\"," E ("") ",{\"ph\":\"E\"," E (
      ",\"args\":{}") ",{\"ph\":\"C\",\"name\":\"n\"," E (",\"args\":{\"s\":1,\"t\":\"2\"}"),
  "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":1,\"name\":\"d\",\"numSms\":3}],"
  "\"traceEvents\":[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,"
  "\"tid\":\"t\",\"args\":{\"name\":\"label\"}},{\"ph\":\"s\",\"id\":1,\"cat\":\"f\"," E (
      "") ",{\"ph\":\"f\",\"id\":1,\"bp\":\"e\"," E ("") "],\"baseTimeNanoseconds\":"
                                                         "1700000000000000000,\"distributedInfo\":{"
                                                         "\"rank\":1}}",
  "[{\"ph\":\"b\",\"id2\":{\"local\":\"0x1\"}," E (
      "") ",{\"ph\":\"e\",\"id2\":{\"local\":\"0x1\"}"
          "," E ("") ",{\"ph\":\"S\",\"id\":2," E ("") ",{\"ph\":\"F\",\"id\":2," E (
              "") ",{\"ph\":\"X\",\"bind_id\":7,"
                  "\"flow_in\":true," E ("") ",{}]",
  "[{\"ph\":\"i\",\"name\":\"say \"hi\"\"," E ("") ",\n{\"ph\":\"i\",\"ts\":NaN},{\"ph\":\"i\"," E (
      ",\"tts\":1,\"args\":\"__stripped__\"") "]",
};

static GByteArray *
seed (guint i, guint8 how)
{
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_append (bytes, &how, 1);
  g_byte_array_append (bytes, (const guint8 *) seeds[i], (guint) strlen (seeds[i]));
  return bytes;
}

static void
change (GByteArray *bytes, GRand *rand)
{
  static const char likely[] = "\"\\{}[],: \n1.eM";
  for (gint k = g_rand_int_range (rand, 1, 6); k > 0 && bytes->len > 2; k--) {
    guint at = (guint) g_rand_int_range (rand, 1, (gint) bytes->len);
    switch (g_rand_int_range (rand, 0, 3)) {
    case 0:
      bytes->data[at] = (guint8) likely[g_rand_int_range (rand, 0, sizeof likely - 1)];
      break;
    case 1:
      g_byte_array_remove_index (bytes, at);
      break;
    default:
      bytes->data[at] = (guint8) g_rand_int (rand);
    }
  }
}

static void
replay_seed (guint i, GRand *rand)
{
  for (guint8 how = 0; how < 16; how++) {
    g_autoptr (GByteArray) whole = seed (i, how);
    LLVMFuzzerTestOneInput (whole->data, whole->len);
  }
  for (guint k = 0; k < 60; k++) {
    g_autoptr (GByteArray) bytes = seed (i, (guint8) g_rand_int_range (rand, 0, 16));
    change (bytes, rand);
    g_byte_array_set_size (bytes, (guint) g_rand_int_range (rand, 1, (gint) bytes->len + 1));
    LLVMFuzzerTestOneInput (bytes->data, bytes->len);
  }
}

static void
write_seeds (const char *folder)
{
  g_mkdir_with_parents (folder, 0777);
  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++) {
    g_autoptr (GByteArray) bytes = seed (i, 1);
    g_autofree char *path = g_strdup_printf ("%s/seed-%u", folder, i);
    if (!g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL))
      g_error ("%s cannot be written", path);
  }
}

int
main (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "--seeds") == 0) {
    write_seeds (argv[2]);
    return 0;
  }
  for (int i = 1; i < argc; i++) {
    g_autofree char *data = NULL;
    gsize len;
    if (!g_file_get_contents (argv[i], &data, &len, NULL))
      g_error ("%s cannot be read", argv[i]);
    LLVMFuzzerTestOneInput ((const uint8_t *) data, len);
  }
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  for (guint i = 0; argc == 1 && i < G_N_ELEMENTS (seeds); i++)
    replay_seed (i, rand);
  g_print ("1..1\nok 1 /fuzz/chrome\n");
  return 0;
}
