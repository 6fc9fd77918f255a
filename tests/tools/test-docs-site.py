# SPDX-License-Identifier: Apache-2.0
"""test-docs-site.py - no link of the site of documentation is dead, and none that is made so is
missed; a page loads nothing from elsewhere.  Run it in the top folder of the project."""

import json
import os
import shutil
import sys
import tempfile
import unittest

import docs_site

TOOLS = ('cmark-gfm', 'mandoc')


class DocsSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.out = os.path.join(cls.folder.name, 'site')
        docs_site.Site(cls.out).make()

    def path(self, name):
        return os.path.join(self.out, name)

    def test_each_page_is_there(self):
        for name in ('index.html', 'docs/tour.html', 'docs/guides/index.html', 'man/nprof.1.html'):
            self.assertTrue(os.path.isfile(self.path(name)), name)
        for name in os.listdir('share/man'):
            if name[-1].isdigit():
                self.assertTrue(os.path.isfile(self.path(f'man/{name}.html')), name)

    def test_dead_links_are_seen_and_there_are_none(self):
        added = (
            ('<a href="none.html">x</a>', 'index.html: none.html: no such page'),
            (
                '<a href="docs/tour.html#none">x</a>',
                'index.html: docs/tour.html#none: no such place',
            ),
            ('<a href="#none">x</a>', 'index.html: #none: no such place'),
            ('<img src="none.png">', 'index.html: none.png: no such page'),
            (
                '<img src="https://example.org/a.png">',
                'index.html: loads https://example.org/a.png',
            ),
            ('<script src="//example.org/a.js"></script>', 'index.html: loads //example.org/a.js'),
            ('<a href="https://example.org">x</a>', None),  # nobody follows it unasked
            ('<a href="docs/tour.html">x</a>', None),
        )
        with open(self.path('index.html'), encoding='utf-8') as file:
            text = file.read()
        with open(self.path('index.html'), 'w', encoding='utf-8') as file:
            file.write(text.replace('</main>', ''.join(link for link, _ in added) + '</main>'))
        found = docs_site.dead_links(self.out)[0]
        with open(self.path('index.html'), 'w', encoding='utf-8') as file:
            file.write(text)
        self.assertEqual(sorted(found), sorted(said for _, said in added if said))

    def test_the_search_knows_each_section(self):
        with open(self.path('search-index.js'), encoding='utf-8') as file:
            index = json.loads(file.read().partition('=')[2])
        urls = {entry['url'] for entry in index}
        self.assertTrue({'man/nprof-sweep.1.html#KNEE', 'docs/tour.html'} <= urls)
        knee = next(entry for entry in index if entry['url'] == 'man/nprof-sweep.1.html#KNEE')
        self.assertEqual(knee['title'], 'nprof-sweep(1): KNEE')
        self.assertIn('1.41 times the step', knee['text'])
        for url in urls:
            self.assertTrue(os.path.isfile(self.path(url.partition('#')[0])), url)


if __name__ == '__main__':
    lacking = [tool for tool in TOOLS if not shutil.which(tool)]
    if lacking:
        print(f'{", ".join(lacking)}: not here')
        sys.exit(77)
    unittest.main()
