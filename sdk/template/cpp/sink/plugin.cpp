// plugin.cpp - the sink `@NAME@`: a line of text for each span, "START DURATION LANE NAME" with tabs
// between them, times in ns.  Put what you write in its place.

#include <nprof/format.h>
#include <nprof/plugin.hpp>

namespace {

class Sink {
public:
  struct Options {
    uint8_t title; // a first line that names the columns
  };

  Sink (nprof::Host host, const Options &options) : host_ (host), output_ (host.output ())
  {
    if (options.title)
      text_ = "start_ns\tduration_ns\tlane\tname\n";
  }

  void consume (const nprof::Rows &rows)
  {
    for (const nprof::Row row : rows) {
      if (row.kind == NPROF_SPAN)
        put_span (row);
      else
        left_out_++;
    }
    if (text_.size () >= write_bytes)
      write ();
  }

  void finish ()
  {
    if (left_out_)
      host_.log (NPROF_WARNING, std::to_string (left_out_) + " rows that are no spans were not written");
    write ();
  }

private:
  static constexpr size_t write_bytes = 256 << 10; // what is handed on at once

  void write ()
  {
    output_.write (text_);
    text_.clear ();
  }

  // ps as ns, exactly.
  void put_time (int64_t ps)
  {
    char digits[32];
    text_.append (digits, nprof_format_decimal (digits, ps, 3, '.'));
  }

  // Text may hold any character: those that would end a field or a line become spaces.
  void put_field (nprof_str str)
  {
    for (const char c : host_.string (str))
      text_ += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
  }

  void put_span (const nprof::Row &row)
  {
    put_time (row.start);
    text_ += '\t';
    if (row.duration)
      put_time (*row.duration);
    else
      text_ += '-'; // the file has no end for it
    text_ += '\t';
    put_field (host_.track_label (row.track));
    text_ += '\t';
    put_field (row.name);
    text_ += '\n';
  }

  nprof::Host host_;
  nprof::Output output_;
  std::string text_;
  uint64_t left_out_ = 0; // rows that are no spans
};

// -- What it declares ------------------------------------------------------

const nprof_option title = nprof::option<Sink> (NPROF_OPT_BOOL, offsetof (Sink::Options, title), "title", "yes",
                                                nullptr, "a first line that names the columns");
const nprof_option *const options[] = { &title, nullptr };

nprof_component
declare ()
{
  nprof_component c = nprof::sink<Sink> ("@NAME@", "spans as lines of text with tabs", "@NAME@.txt");
  c.options = options;
  return c;
}

const nprof_component sink = declare ();

} // namespace

NPROF_PLUGIN ("@NAME@", PLUGIN_VERSION, "unknown", &sink)
