// SPDX-License-Identifier: Apache-2.0
// The page of a profile as one file, opened from disk without a server.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import {
  SYNTHETIC,
  ask,
  drawn,
  folder,
  nprof,
  open,
  openProfile,
  openTab,
  put,
  axeOf,
  suite,
  until,
} from './harness.mjs'
import { torchTrace } from './torch.mjs'

const view = suite([SYNTHETIC])
const HOSTILE = '</script><img src=x onerror="document.title=\'ran\'"><!--<script>'

/** Opens the file; asking for anything but itself fails the test. */
async function openFile(file, search = '') {
  const page = await open('file://' + file + search, {
    before: one => {
      one.origin = 'file://' + file
    },
  })
  await page.locator('.timeline .row').first().waitFor()
  await page.waitForFunction(
    () => !document.querySelector('.timeline[aria-busy], .figure-list[aria-busy]'),
  )
  await drawn(page)
  return page
}

const flat = text => text.replace(/\s+/g, ' ').trim()

view.test(
  'nprof view -o writes a page that opens without a server: verdict, rows, tabs, keys and links',
  async () => {
    const trace = torchTrace(4, 12, name => (name === 'gemm_up' ? 'gemm_up' + HOSTILE : name)),
      file = put('one.pt.trace.json', trace),
      out = path.join(folder, 'page.html')
    const said = await nprof('view', '-q', '--store', path.join(folder, 'one'), '-o', out, file)
    assert.match(said, /^\S+page\.html: [\d.]+ (MiB|KiB)\n$/)
    const text = fs.readFileSync(out, 'utf8')
    assert.ok(!text.includes('onerror="document'), 'names are packed')
    const lib = path.join(path.dirname(process.env.NPROF), '..', '..', 'share', 'viewer', 'lib')
    for (const name of ['whole.js', 'whole.css'])
      assert.ok(text.includes(fs.readFileSync(path.join(lib, name), 'utf8')), name + ' is as built')
    const page = await openFile(out)
    const report = await nprof('report', '-q', file)
    assert.ok(flat(report).includes(flat(await page.locator('.verdict h1').textContent())))
    await page.getByText('This page is one file with the whole run').waitFor()
    // Tables of the whole run are there, also while a part is looked at.
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('w')
    for (const name of ['Steps', 'Flame', 'Memory', 'Gaps', 'Latency', 'Operators']) {
      await openTab(page, name)
      await until(name, async () => (await page.locator('.dock [aria-busy=true]').count()) === 0)
      assert.equal(await page.locator('.dock .failed').count(), 0, name)
    }
    assert.equal(await page.getByRole('tab', { name: 'SQL', exact: true }).count(), 0)
    assert.deepEqual(await axeOf(page), [])
    assert.notEqual(await page.title(), 'ran')
    // What is not in it is said.
    await page.keyboard.press('x')
    await page
      .locator('[data-say]')
      .filter({ hasText: 'This page is a saved file: it has no server to ask' })
      .waitFor({ state: 'attached' })
    await page.reload()
    await page.locator('.timeline .row').first().waitFor()
    // Also where a row was selected of which it has nothing: that is no failure, and asking again would not mend it.
    const other = await openFile(out, '?e=0.999999')
    await other
      .locator('.widget-details .muted', { hasText: 'To see it, run nprof view with the profile.' })
      .waitFor()
    assert.equal(await other.locator('.widget-details .failed').count(), 0)
    assert.equal(await other.getByRole('button', { name: 'Ask again' }).count(), 0)
  },
)

view.test(
  'a click on an event that the file has no answer of shows what its picture knows',
  async () => {
    const out = path.join(folder, 'bare.html'),
      file = put('bare.pt.trace.json', torchTrace(80, 60))
    await nprof('view', '-q', '--store', path.join(folder, 'bare'), '-o', out, file)
    const page = await openFile(out)
    await page.getByText('rows are left out').waitFor()
    const over = await page.locator('.timeline .over').boundingBox(),
      row = await page.locator('.timeline .row', { hasText: 'stream' }).first().boundingBox(),
      panel = page.locator('.widget-details .fields', { hasText: 'full name' })
    // A click on an idle gap has an area; one on a bar the event.
    for (let x = 0.3; x < 0.7 && !(await panel.count()); x += 0.01) {
      await page.mouse.click(over.x + over.width * x, row.y + row.height - 8)
      await page.locator('.widget-details .fields').waitFor()
    }
    assert.match(
      flat(await panel.innerText()),
      /^full name .* on .*stream.* start about [\d.]+ \w+ duration about /,
    )
    // An area has its times, and says that what ran in it is not in the file.
    await page.keyboard.press('Escape')
    await page.keyboard.down('Shift')
    await page.mouse.move(over.x + over.width * 0.4, row.y + 4)
    await page.mouse.down()
    await page.mouse.move(over.x + over.width * 0.6, row.y + row.height - 4, { steps: 4 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
    await page.locator('.widget-details h2', { hasText: 'Area' }).waitFor()
    await page
      .locator('.widget-details .meanwhile', { hasText: 'this was not saved in it' })
      .waitFor()
    assert.equal(await page.locator('.widget-details .failed').count(), 0)
  },
)

view.test('Share in the page saves the same file, with what can be told of each row', async () => {
  const page = await openProfile(view.url),
    saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Save the page as one file' }).click()
  const file = path.join(folder, 'shared.html'),
    download = await saved
  assert.equal(download.suggestedFilename(), path.basename(SYNTHETIC) + '.html')
  await download.saveAs(file)
  const other = await openFile(file, '?z=origin')
  assert.equal(
    await other.locator('.verdict h1').textContent(),
    await page.locator('.verdict h1').textContent(),
  )
  // A row of the address, and a click, show what can be told of it, as the server does.
  await page.locator('.timeline .over').focus()
  await page.keyboard.press('x')
  await until('a row', () => /[?&]e=/.test(page.url()))
  const name = page.locator('.widget-details .event-name'),
    [, row] = /[?&]e=([\d.]+)/.exec(page.url()),
    third = await openFile(file, '?e=' + row)
  await third.locator('.widget-details .event-name').waitFor()
  assert.equal(
    await third.locator('.widget-details .event-name').textContent(),
    await name.textContent(),
  )
  assert.match(third.url(), new RegExp('^file:.*[?&]e=' + row.replace('.', '[.]')))
})
