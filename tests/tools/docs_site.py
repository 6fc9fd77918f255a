#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs_site.py OUT - the pages of documentation and the manual as a static site with a search, by
cmark-gfm and mandoc.  It asks no other server for anything, and fails where a link or an anchor of
it leads nowhere.  Run it in the top folder of the project."""

import glob
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

STYLE = """
:root { color-scheme: light dark; --line: #8884; --link: light-dark(#0550ae, #79b8ff) }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 58rem; margin: auto; padding: 0 1rem 4rem;
  overflow-wrap: break-word }
header { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: baseline;
  padding: .8rem 0; border-bottom: 1px solid var(--line) }
header input { margin-left: auto; font: inherit; padding: .2rem .5rem; width: 16rem;
  max-width: 100% }
#found { list-style: none; padding: 0 }
#found li { padding: .3rem 0; border-bottom: 1px solid var(--line) }
#found small { display: block; opacity: .75 }
a { color: var(--link) }
pre, code, .Li, .Cm, .Fl, .Nm, .Ql { font-family: ui-monospace, monospace; font-size: .92em }
pre { overflow-x: auto; padding: .7rem; border: 1px solid var(--line); border-radius: 4px }
main > table { display: block; overflow-x: auto; border-collapse: collapse }
td, th { border: 1px solid var(--line); padding: .25rem .5rem; vertical-align: top;
  text-align: left }
img { max-width: 100% }
h1, h2, h3 { line-height: 1.25; margin-top: 1.8em }
.Sh { font-size: 1.25em } .Ss { font-size: 1.1em }
.permalink { color: inherit; text-decoration: none }
.head td, .foot td, .Nm td { border: 0 }
"""

SEARCH = """
const box = document.getElementById('search'), found = document.getElementById('found')
const top_ = document.documentElement.dataset.top
let loading = null
const load = () => loading ??= new Promise((done, failed) => {
  const script = document.createElement('script')
  script.src = top_ + 'search-index.js'
  script.onload = () => done(globalThis.siteIndex)
  script.onerror = failed
  document.head.append(script)
})
const score = (entry, words) => {
  const title = entry.title.toLowerCase(), text = entry.text.toLowerCase()
  let sum = 0
  for (const word of words) {
    const n = (title.includes(word) ? 20 : 0) + Math.min(text.split(word).length - 1, 5)
    if (!n) return 0
    sum += n
  }
  return sum
}
const show = async () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean)
  const asked = box.value
  const index = words.length ? await load() : []
  if (box.value !== asked) return
  const hits = index.map(entry => ({ entry, n: score(entry, words) })).filter(hit => hit.n)
  hits.sort((a, b) => b.n - a.n)
  found.replaceChildren(...hits.slice(0, 30).map(({ entry }) => {
    const line = document.createElement('li'), link = document.createElement('a')
    const about = document.createElement('small')
    const at = Math.max(0, entry.text.toLowerCase().indexOf(words[0]) - 60)
    link.href = top_ + entry.url
    link.textContent = entry.title
    about.textContent = entry.text.slice(at, at + 160)
    line.append(link, about)
    return line
  }))
  if (words.length && !hits.length) found.textContent = 'nothing has all of these words'
}
box.addEventListener('input', show)
"""


def pages_of_markdown():
    found = [*glob.glob('*.md'), *glob.glob('docs/**/*.md', recursive=True)]
    return sorted([*found, *glob.glob('sdk/*/README.md'), *glob.glob('share/*/README.md')])


def name_of(path):
    """Where a page of Markdown stands on the site."""
    folder, name = os.path.split(path)
    return os.path.join(folder, 'index.html' if name == 'README.md' else name[:-3] + '.html')


def plain(text):
    return ' '.join(html.unescape(re.sub(r'<[^>]*>', ' ', text)).split())


# -- Pages ---------------------------------------------------------------------------------------


def with_anchors(body):
    """Headings with the anchors that readers of Markdown give them."""
    seen = {}

    def head(match):
        level, text = match[1], match[2]
        anchor = re.sub(r'[^\w\- ]', '', plain(text).lower()).replace(' ', '-')
        seen[anchor] = seen.get(anchor, -1) + 1
        anchor += f'-{seen[anchor]}' if seen[anchor] else ''
        return f'<h{level} id="{anchor}">{text}</h{level}>'

    return re.sub(r'<h([1-6])>(.*?)</h\1>', head, body, flags=re.S)


def with_manual(body, up, manual):
    """Names of pages of the manual, nprof-diff(1), as links."""
    parts, inside = re.split(r'(<[^>]*>)', body), 0
    for i, part in enumerate(parts):
        inside += part.startswith('<a ') - part.startswith('</a')
        if i % 2 == 0 and not inside:
            parts[i] = re.sub(
                r'\b(nprof[\w.-]*)\((\d)\)',
                lambda m: (
                    f'<a href="{up}man/{m[1]}.{m[2]}.html">{m[0]}</a>'
                    if f'{m[1]}.{m[2]}' in manual
                    else m[0]
                ),
                part,
            )
    return ''.join(parts)


def with_places(body):
    """Links within a page of the manual: mandoc writes the hyphen of a heading as _ in them."""
    places = {name.replace('-', '_'): name for name in re.findall(r'id="([^"]*)"', body)}
    return re.sub(
        r'href="#([^"]*)"',
        lambda m: f'href="#{places.get(m[1].replace("-", "_"), m[1])}"',
        body,
    )


class Site:
    def __init__(self, out):
        self.out, self.index, self.copied, self.folders = out, [], set(), set()
        self.markdown = pages_of_markdown()
        self.manual = sorted(os.path.basename(p) for p in glob.glob('share/man/*.[1-9]'))

    def write(self, path, title, body):
        up = '../' * path.count('/')
        self.add_to_index(path, title, body)
        text = (
            f'<!doctype html>\n<html lang="en" data-top="{up}">\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width">\n'
            f'<title>{html.escape(title)} - nprof</title>\n'
            f'<link rel="stylesheet" href="{up}style.css">\n'
            f'<header><a href="{up}index.html">nprof</a> <a href="{up}docs/tour.html">Tour</a>\n'
            f'<a href="{up}docs/guides/index.html">Guides</a>\n'
            f'<a href="{up}man/index.html">Manual</a>\n'
            f'<a href="{up}HACKING.html">Hacking</a> <a href="{up}NEWS.html">News</a>\n'
            '<input id="search" type="search" placeholder="Search" aria-label="Search">\n'
            f'</header>\n<ul id="found"></ul>\n<main>\n{body}</main>\n'
            f'<script src="{up}search.js"></script>\n</html>\n'
        )
        self.put(path, text)

    def put(self, path, text):
        whole = os.path.join(self.out, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, 'w', encoding='utf-8') as file:
            file.write(text)

    def add_to_index(self, path, title, body):
        """A section is an entry: what stands before the first heading is of the page."""
        parts = re.split(r'(<h[1-3][^>]*>.*?</h[1-3]>)', body, flags=re.S)
        self.index.append({'title': title, 'url': path, 'text': plain(parts[0])})
        for head, text in zip(parts[1::2], parts[2::2]):
            anchor = re.search(r'id="([^"]*)"', head)
            name = plain(head)
            self.index.append(
                {
                    'title': title if name == title else f'{title}: {name}',
                    'url': path + ('#' + anchor[1] if anchor else ''),
                    'text': plain(text),
                }
            )

    # Where a link of a page in the sources leads to on the site.
    def target(self, page, link):
        path, _, anchor = link.partition('#')
        if not path or re.match(r'[a-z]+:', path):
            return link
        there = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(path)))
        if os.path.isdir(there):
            self.folders.add(there)
            there = os.path.join(there, 'index.html')
        elif there in self.markdown:
            there = name_of(there)
        elif os.path.exists(there):
            self.copied.add(there)
        back = os.path.relpath(there, os.path.dirname(name_of(page)) or '.')
        return back + ('#' + anchor if anchor else '')

    def add_markdown(self, page):
        body = subprocess.run(
            ['cmark-gfm', '-e', 'table', '-e', 'strikethrough', page],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        body = re.sub(
            r'\b(href|src)="([^"]*)"',
            lambda m: f'{m[1]}="{html.escape(self.target(page, html.unescape(m[2])))}"',
            body,
        )
        head = re.search(r'<h1>(.*?)</h1>', body, re.S)
        body = with_manual(with_anchors(body), '../' * name_of(page).count('/'), self.manual)
        self.write(name_of(page), plain(head[1]) if head else page, body)

    def add_folders(self):
        """Folders that pages lead to and that have no page of their own: their pages, else their
        files."""
        for folder in sorted(self.folders):
            if folder + '/README.md' in self.markdown:
                continue
            pages = [page for page in self.markdown if page.startswith(folder + '/')]
            files = [] if pages else glob.glob(folder + '/**/*.*', recursive=True)
            files = [path for path in files if os.path.isfile(path)]
            self.copied |= set(files)
            entries = sorted([(p, name_of(p)) for p in pages] + [(f, f) for f in files])
            lines = [
                f'<li><a href="{os.path.relpath(to, folder)}">{os.path.relpath(of, folder)}</a>\n'
                for of, to in entries
            ]
            body = f'<h1>{folder}</h1>\n<ul>\n{"".join(lines)}</ul>\n'
            self.write(folder + '/index.html', folder, body)

    def add_manual(self):
        lines = []
        for page in self.manual:
            body = subprocess.run(
                ['mandoc', '-T', 'html', '-O', 'fragment,man=%N.%S.html', 'share/man/' + page],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            # Pages of other projects stand in their own manuals.
            body = re.sub(
                r'<a class="Xr" href="([^"]*)\.html"[^>]*>(.*?)</a>',
                lambda m: m[0] if m[1] in self.manual else m[2],
                body,
                flags=re.S,
            )
            body = with_places(body)
            name, _, section = page.rpartition('.')
            about = re.search(r'class="Nd">(.*?)</(?:span|div)>', body, re.S)
            title = f'{name}({section})'
            self.write(f'man/{page}.html', title, body)
            lines.append(
                f'<tr><td><a href="{page}.html">{title}</a></td>'
                f'<td>{about[1] if about else ""}</td></tr>\n'
            )
        self.write(
            'man/index.html', 'Manual', f'<h1>Manual</h1>\n<table>\n{"".join(lines)}</table>\n'
        )

    def make(self):
        for page in self.markdown:
            self.add_markdown(page)
        self.add_folders()
        self.add_manual()
        for path in sorted(self.copied):
            whole = os.path.join(self.out, path)
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            shutil.copyfile(path, whole)
        self.put('style.css', STYLE)
        self.put('search.js', SEARCH)
        self.put('search-index.js', f'globalThis.siteIndex = {json.dumps(self.index)}\n')


# -- Links ---------------------------------------------------------------------------------------


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []

    def handle_starttag(self, tag, attrs):
        of = dict(attrs)
        self.anchors |= {of[key] for key in ('id', 'name') if of.get(key)}
        if tag == 'a' and 'href' in of:
            self.links.append(of['href'])
        self.loaded += [of[key] for key in ('src', 'srcset', 'poster', 'data') if key in of]
        self.loaded += [of['href']] if tag == 'link' else []


def read_links(out):
    found = {}
    for folder, _, names in os.walk(out):
        for name in names:
            if name.endswith('.html'):
                path = os.path.join(folder, name)
                found[path] = Links()
                with open(path, encoding='utf-8') as file:
                    found[path].feed(file.read())
    return found


def dead_links(out):
    """A line for each link that leads nowhere, and for what a page would load from elsewhere."""
    pages = read_links(out)
    wrong = []
    for page, links in sorted(pages.items()):
        shown = os.path.relpath(page, out)
        for link in links.links + links.loaded:
            path, _, anchor = link.partition('#')
            if re.match(r'[a-z]+:|//', path):
                wrong += [f'{shown}: loads {link}'] if link in links.loaded else []
                continue
            there = os.path.normpath(
                os.path.join(os.path.dirname(page), urllib.parse.unquote(path))
            )
            there = there if path else page
            if not os.path.isfile(there):
                wrong.append(f'{shown}: {link}: no such page')
            elif anchor and urllib.parse.unquote(anchor) not in pages.get(there, Links()).anchors:
                wrong.append(f'{shown}: {link}: no such place')
    return wrong, len(pages), sum(len(links.links) for links in pages.values())


def main():
    out = sys.argv[1]
    if os.path.exists(out) and os.listdir(out) and not os.path.exists(f'{out}/search-index.js'):
        sys.exit(f'{out}: holds something else than a site: name another folder')
    shutil.rmtree(out, ignore_errors=True)
    Site(out).make()
    wrong, pages, links = dead_links(out)
    for line in wrong:
        print(line, file=sys.stderr)
    print(f'{out}/index.html: {pages} pages, {links} links, {len(wrong)} dead')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
