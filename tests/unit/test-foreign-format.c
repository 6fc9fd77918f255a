/* SPDX-License-Identifier: Apache-2.0 */
/* test-foreign-format.c - files of other tools, known by their first bytes. */

#include "plugin/foreign-format.h"

#include <string.h>

#define TRY(path, bytes) np_foreign_format (path, (const guint8 *) (bytes), sizeof (bytes) - 1)

static void
is (const char *found, const char *expected)
{
  if (!found || !g_str_has_prefix (found, expected))
    g_error ("expected \"%s...\", found \"%s\"", expected, found ? found : "nothing");
}

static void
test_known (void)
{
  is (TRY ("a", "NVIDIA Tegra Profiler Report File"), "a report of Nsight Systems");
  is (TRY ("a.sqlite", "SQLite format 3\0 ... CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL"),
      "a database that Nsight Systems exported");
  is (TRY ("a", "SQLite format 3\0 ... CREATE TABLE \"rocpd_api\""), "a database of rocpd");
  is (TRY ("a.rpd", "SQLite format 3\0"), "a database of rocpd");
  is (TRY ("a.db", "SQLite format 3\0"), "an SQLite database");
  is (TRY ("a.pftrace", "\n\3\x32\1x"), "a trace of Perfetto");
  is (TRY ("a", "\n\5\x32\1x\x50\1"), "a trace of Perfetto");
  is (TRY ("a", "\n\xb\x09"
                "12345678\x40\1"),
      "a trace of Perfetto");
  is (TRY ("a", "\n\x7f\x32\1x\x50\1"), "a trace of Perfetto");
  is (TRY ("a.pickle", "\x80\4\x95"), "a Python pickle");
  is (TRY ("a.json", " {\"schema\": \"1.0.2-chakra.0.0.4\", \"pid\": 1"), "an execution trace");
  is (TRY ("a.json", "{\n\"schema\": \"1.0.1\", \"nodes\": ["), "an execution trace");
  is (TRY ("a.json", "\xff\xfe{\0"), "text in UTF-16");
  is (TRY ("a.json", "\xfe\xff\0{"), "text in UTF-16");
  is (TRY ("a.json", "\0{\0\""), "text in UTF-16");
  is (TRY ("a.json", "[\0{\0"), "text in UTF-16");
  is (TRY ("a.xz", "\xfd"
                   "7zXZ\0"),
      "compressed with xz");
  guint8 tar[512] = "trace.json";
  memcpy (tar + 257, "ustar", 5);
  is (np_foreign_format ("a.tar", tar, sizeof tar), "a tar archive");
  g_assert_null (np_foreign_format ("a.tar", tar, 261));
}

static void
test_unknown (void)
{
  static const char *const others[]
      = { "",   "\n",     "\n\3", "\n\x80",        "\n\4\x08\1\x12\0", "{\"nodes\": []}",
          "{}", "\x80\1", "\x80", "SQLite format", "NVIDIA",           "PK" };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_null (np_foreign_format ("a", (const guint8 *) others[i], strlen (others[i])));
  g_assert_null (TRY ("a", "\n\5\x32\x7fx\x50\1")); /* a field beyond the packet */
  g_assert_null (TRY ("a", "\n\5\x33\1x\x50\1"));   /* a group */
  g_assert_null (TRY ("a", "\n\2\x32\0\x50\1"));    /* behind the first packet */
  g_assert_null (TRY ("a", "\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x50\1"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/foreign-format/known", test_known);
  g_test_add_func ("/foreign-format/unknown", test_unknown);
  return g_test_run ();
}
