/* SPDX-License-Identifier: Apache-2.0 */
/* json-ondemand.cc - the peer of the JSON decoder: simdjson On-Demand iterates the events of a trace
 * and sums the durations of complete ones, through double as it does.  usage: json-ondemand FILE */
#include <cstdio>
#include <simdjson.h>

using namespace simdjson;

static double
duration (ondemand::object event)
{
  bool complete = false;
  double dur = 0;
  for (auto field : event) {
    ondemand::raw_json_string key = field.key ();
    if (key == "ph")
      complete = std::string_view (field.value ().get_string ()) == "X";
    else if (key == "dur")
      dur = field.value ().get_double ();
  }
  return complete ? dur : 0;
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    return 1;
  padded_string text = padded_string::load (argv[1]).value ();
  ondemand::parser parser;
  ondemand::document document = parser.iterate (text);
  ondemand::json_type type = document.type ();
  ondemand::array events;
  if (type == ondemand::json_type::array)
    events = document.get_array ();
  else
    events = document["traceEvents"].get_array ();
  double sum = 0;
  size_t n = 0;
  for (auto event : events) {
    sum += duration (event.get_object ());
    n++;
  }
  std::printf ("%zu events, %.3f us\n", n, sum);
  return 0;
}
