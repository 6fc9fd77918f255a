// plugin.cpp - the decoder `@NAME@`.  Its format is a line of text for each span, below a first
// line that says what it is; put yours in its place:
//
//   #@NAME@
//   START DURATION LANE NAME     times in ns with up to 3 decimals; DURATION - is not known

#include <nprof/decimal.h>
#include <nprof/plugin.hpp>

#include <algorithm>

namespace {

// In hex also in @NAME@.plugin: other files do not open this plugin.
constexpr std::string_view magic = "#@NAME@\n";
constexpr uint64_t progress_bytes = 1 << 20; // nprof wants to hear of us at least every 8 MB

// Takes what stands before the next space, and the space; the last field takes the rest.
std::string_view
take_word (std::string_view &line)
{
  const size_t space = line.find (' ');
  const std::string_view word = line.substr (0, space);
  line.remove_prefix (space == line.npos ? line.size () : space + 1);
  return word;
}

// One for each input; made by open, deleted by close.
class Decoder {
public:
  struct Options {
    int32_t unit; // index of "ns|us|ms"
  };

  Decoder (nprof::Host host, const Options &options) : host_ (host), line_key_ (host.intern ("line"))
  {
    constexpr int64_t scales[] = { 1000, 1000000, 1000000000 }; // ps of ns, us, ms
    scale_ = scales[options.unit];
  }

  static int probe (std::string_view head) { return head.substr (0, magic.size ()) == magic ? 90 : 0; }

  void decode (std::string_view data)
  {
    if (probe (data) == 0)
      host_.fail (NPROF_E_FORMAT, "byte 0: expected the line #@NAME@");
    nprof::Writer writer = host_.writer ();
    uint64_t told = 0, at = magic.size ();
    for (line_ = 2; at < data.size (); line_++) {
      const size_t end = std::min (data.find ('\n', at), data.size ());
      if (!add_line (writer, data.substr (at, end - at)))
        add_damage (writer, at);
      at = std::min (end + 1, data.size ());
      if (at - told >= progress_bytes) {
        host_.progress (told, at);
        told = at;
      }
    }
    host_.progress (told, data.size ());
  }

private:
  // A decimal number, exactly: times never pass through a double.
  bool read_time (std::string_view text, int64_t &ps) const
  {
    return nprof_read_decimal (text.data (), text.size (), scale_, &ps);
  }

  // false: this is no span.
  bool add_line (nprof::Writer &writer, std::string_view line)
  {
    if (line.empty ())
      return true;
    int64_t start = 0, duration = 0;
    if (!read_time (take_word (line), start))
      return false;
    const std::string_view length = take_word (line), lane = take_word (line);
    const bool open = length == "-"; // the file has no end for it
    if ((!open && (!read_time (length, duration) || duration < 0)) || lane.empty () || line.empty ())
      return false;
    last_ = start;
    writer.span (host_.track (0, NPROF_TRACK_THREAD, lane), host_.intern (line), start,
                 open ? std::nullopt : std::optional<int64_t> (duration));
    if (host_.wanted ("line"))
      writer.attr (line_key_, line_);
    return true;
  }

  // nprof stops here, or counts it and goes on (--keep-going): then a gap shows where it was.
  void add_damage (nprof::Writer &writer, uint64_t at)
  {
    host_.damage (at, "expected START DURATION LANE NAME");
    writer.row (NPROF_GAP, host_.root (), host_.intern ("damaged line"), last_, 0);
  }

  nprof::Host host_;
  nprof_str line_key_;
  int64_t scale_;    // ps of a unit
  int64_t line_ = 0; // number of the line, from 1
  int64_t last_ = 0; // ps: where the last span began
};

// -- What it declares ------------------------------------------------------

const nprof_option unit = nprof::option<Decoder> (NPROF_OPT_CHOICE, offsetof (Decoder::Options, unit), "unit", "ns",
                                                  "ns|us|ms", "what times are counted in");
const nprof_option *const options[] = { &unit, nullptr };
const nprof_attribute line = nprof::attribute (NPROF_INT64, "line", "", "number of its line, from 1");
const nprof_attribute *const attributes[] = { &line, nullptr };

nprof_component
declare ()
{
  nprof_component c = nprof::decoder<Decoder> ("@NAME@", "spans written down as lines of text",
                                               "text that begins with #@NAME@");
  c.options = options;
  c.attributes = attributes;
  return c;
}

const nprof_component decoder = declare ();

} // namespace

NPROF_PLUGIN ("@NAME@", PLUGIN_VERSION, "unknown", &decoder)
