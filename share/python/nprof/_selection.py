# SPDX-License-Identifier: Apache-2.0
"""The keywords that select rows, each with its option of the command line, and their one check."""

import difflib

KEYWORDS = {
    "start": "--from",
    "end": "--to",
    "step": "--step",
    "tracks": "--track",
    "names": "--name",
    "where": "--where",
    "others": "--or",
}


def nearest(word, known):
    """A question after the name that was meant; empty: none is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return "; did you mean %s?" % near[0] if near else ""


def check(call, selection):
    """TypeError: a keyword, also of one of the others, is none of those that select."""
    for word in selection:
        if word not in KEYWORDS:
            raise TypeError(
                "%s knows no %s%s (it selects by %s)"
                % (call, word, nearest(word, KEYWORDS), ", ".join(KEYWORDS))
            )
    for other in selection.get("others") or ():
        check("others", other)


def options(request):
    """The same selection as words of the command line."""
    words = []
    for keyword, flag in KEYWORDS.items():
        given = request.get(keyword, ())
        if keyword == "others":
            for other in given:
                words += [flag, *options(other)]
        else:
            for text in given if isinstance(given, (list, tuple)) else [given]:
                words += [flag, str(text)]
    return words
