// SPDX-License-Identifier: Apache-2.0
// The workspace: widgets, layouts, themes, and names that nobody should trust (tests 2, 48, 49, 56, 59, 62, 65).
import assert from 'node:assert/strict'
import { SYNTHETIC, axeSource, openProfile, put, rest, shot, suite, table, until } from './harness.mjs'

const HOSTILE = ['<img src=x onerror=document.title="bad">', 'مرحبا بالعالم', 'x'.repeat(1 << 20), '${7*7}', '"><script>document.title="bad"</script>']
const view = suite([SYNTHETIC])
const tabs = page => page.locator('.lm-TabBar-tabLabel').allTextContents()

view.test('T48 widgets are added, closed and moved, by mouse and by commands', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('+')
  await page.getByRole('dialog', { name: 'Add a widget' }).getByRole('button', { name: /^Events/ }).click()
  await until('the tab', async () => (await tabs(page)).includes('Events'))
  await page.locator('.lm-TabBar-tab', { hasText: 'Events' }).locator('.lm-TabBar-tabCloseIcon').click()
  await until('no tab', async () => !(await tabs(page)).includes('Events'))
  const before = await page.locator('.widget-details').boundingBox()
  await page.getByRole('tab', { name: 'Summary' }).click()
  await page.locator('.widget-summary').getByRole('button', { name: 'Framework layers' }).focus()
  await page.keyboard.press('>')
  await page.keyboard.type('Move the widget in front to the left')
  await page.keyboard.press('Enter')
  await until('Summary at the left', async () => (await page.locator('.widget-summary').boundingBox()).x < 10 && (await page.locator('.widget-timeline').boundingBox()).x > 100)
  const label = page.locator('.lm-TabBar-tab', { hasText: 'Annotations' })
  const box = await label.boundingBox(), target = await page.locator('.widget-timeline').boundingBox()
  await page.mouse.move(box.x + 20, box.y + 10)
  await page.mouse.down()
  await page.mouse.move(box.x + 60, box.y + 60, { steps: 4 })
  await page.mouse.move(target.x + target.width / 2, target.y + target.height - 20, { steps: 8 })
  await page.mouse.up()
  await until('Annotations below the timeline', async () => { const now = await page.locator('.widget-annotations').boundingBox(); return now && now.x < before.x - 50 })
})

view.test('T49 a layout is kept for all profiles, and deleted', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('2')
  await until('layout Timeline', async () => !(await tabs(page)).includes('Summary'))
  await page.keyboard.press('l')
  const dialog = page.getByRole('dialog', { name: 'Layouts' })
  await dialog.getByLabel('Name of the layout').fill('mine')
  await dialog.getByRole('button', { name: 'Save as' }).click()
  await dialog.getByLabel('Rename mine').waitFor()
  await page.keyboard.press('Escape')
  const other = await openProfile(view.url, {})
  assert.ok((await tabs(other)).includes('Summary'))
  await other.keyboard.press('l')
  const again = other.getByRole('dialog', { name: 'Layouts' })
  await again.getByRole('button', { name: 'Load' }).click()
  await until('the kept layout', async () => !(await tabs(other)).includes('Summary'))
  await other.keyboard.press('l')
  await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await other.getByLabel('Rename mine').waitFor({ state: 'detached' })
})

view.test('T11 T29 the numbers of Summary are those of the report', async () => {
  const page = await openProfile(view.url)
  const rows = await table('devices', SYNTHETIC)
  await page.getByRole('tab', { name: 'Summary' }).click()
  const grid = page.getByRole('grid', { name: 'Devices', exact: true })
  await grid.waitFor()
  for (const [i, row] of rows.entries()) {
    const shown = await grid.locator('tbody tr').nth(i).locator('td').evaluateAll(cells => Object.fromEntries(cells.map(cell => [cell.dataset.column.replace(/_(ns|ps)$/, ''), cell.querySelector('span')?.title || cell.textContent.trim()])))
    for (const key of ['busy', 'idle', 'compute', 'communication', 'copy', 'exposed']) {
      const ps = String(row[key + '_ps'])
      assert.equal(shown[key].replace(/[, ns]/g, '').replace('.', '').padEnd(ps.length, '0'), ps, key)
    }
    assert.equal(Number(shown.mfu), row.mfu)
  }
})

view.test('T56 any table is listed, sorted by each column, and filtered', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('+')
  await page.getByRole('dialog').getByRole('button', { name: /^Latency.* rows/ }).click()
  const grid = page.getByRole('grid', { name: /^Latency/ })
  await grid.waitFor()
  const expected = await table('latency', SYNTHETIC)
  assert.equal(Number(await grid.getAttribute('aria-rowcount')), expected.length + 1)
  await grid.getByRole('button', { name: 'calls', exact: true }).click()
  await until('the order', async () => (await grid.locator('th[aria-sort=descending]').textContent()).includes('calls'))
  const counts = () => grid.locator('td[data-column=calls]').allTextContents().then(cells => cells.map(cell => Number(cell.replaceAll(',', ''))))
  await until('sorted rows', async () => { const now = await counts(); return now.length > 1 && now.every((value, i) => i === 0 || value <= now[i - 1]) })
  await page.getByLabel('Filter rows', { exact: true }).last().fill('name ~ copy')
  await until('fewer rows', async () => (await grid.locator('td[data-column=name]').allTextContents()).every(name => name.includes('copy')))
})

for (const scheme of ['light', 'dark']) {
  view.test('T59 axe finds nothing serious: ' + scheme, async () => {
    const page = await openProfile(view.url, { colorScheme: scheme })
    await page.locator('.timeline .row .name', { hasText: 'XLA Ops' }).first().click()
    await rest(page)
    await page.evaluate(axeSource() + ';0')
    const found = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }).then(result => result.violations.filter(one => /serious|critical/.test(one.impact)).map(one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 140) + ' ' + (node.any[0]?.message ?? node.failureSummary)).slice(0, 3).join(' | '))))
    assert.deepEqual(found, [])
    await shot(page, 'axe-' + scheme)
  })
}

view.test('T62 names with markup, from right to left, 1 MB long, are text and nothing else', async () => {
  const page = await openProfile(await view.add(put('hostile.json', { traceEvents: HOSTILE.map((name, i) => ({ ph: 'X', pid: 1, tid: 1, ts: 10 * i, dur: 9, name, cat: name.slice(0, 200), args: { note: name.slice(0, 2000) } })) })))
  await page.getByRole('tab', { name: 'Selection' }).click()
  await page.getByRole('grid', { name: 'Statistics of the selection' }).locator('tbody tr').nth(4).waitFor()
  for (let i = 0; i < HOSTILE.length; i++) {
    await page.keyboard.press('.')
    await until('event ' + i, async () => (await page.locator('.event-name').textContent().catch(() => '')).startsWith(HOSTILE[i].slice(0, 20)))
  }
  assert.notEqual(await page.title(), 'bad')
  assert.equal(await page.locator('.widget img, .widget script').count(), 0)
  assert.ok((await page.locator('.dock').boundingBox()).width <= 1440)
  await shot(page, 'hostile')
})
