// SPDX-License-Identifier: Apache-2.0
// The timeline: zoom, pan, hover, click, arrows, rows, links (tests 14, 17-22, 27-32, 57, 60, 61 of the list).
import assert from 'node:assert/strict'
import { SYNTHETIC, clickEvent, drag, fieldsOf, nprof, open, openProfile, pointOf, psOf, rowOf, shot, suite, until, windowOf } from './harness.mjs'

const view = suite([SYNTHETIC])

/** Rows of `nprof run -s csv` as objects. */
async function csvRows() {
  const [head, ...rows] = (await nprof('run', '-q', '-s', 'csv:columns=start_ns+duration_ns+thread+kind+name+step+flops+framework_op+source+hlo_text', '-o', '-', SYNTHETIC)).trim().split('\n')
  return rows.map(row => Object.fromEntries(head.split(',').map((key, i) => [key, row.split(',')[i]])))
}

view.test('T14 the ruler begins where nprof info says, in ns', async () => {
  const page = await openProfile(view.url)
  const { t0, t1 } = await windowOf(page)
  const spans = (await csvRows()).filter(row => row.start_ns)
  const first = spans.reduce((least, row) => (psOf(row.start_ns) < least ? psOf(row.start_ns) : least), 1n << 62n)
  assert.ok(t0 <= first && t0 >= first - (t1 - t0) / 10n)
  await shot(page, 'overview')
})

view.test('T17 a drag zooms to what it covered; Back shows the old window', async () => {
  const page = await openProfile(view.url)
  const old = await windowOf(page), box = await page.locator('.timeline .over').boundingBox()
  const at = part => ({ x: Math.round(box.x + box.width * part), y: box.y + 60 })
  await drag(page, at(0.3), at(0.6))
  const length = old.t1 - old.t0, pixel = length / BigInt(Math.round(box.width)) + 1n
  const now = await until('the zoom', async () => { const next = await windowOf(page); return next.t0 !== old.t0 && next })
  const near = (a, b) => assert.ok((a > b ? a - b : b - a) <= pixel, a + ' is not ' + b)
  near(now.t0, old.t0 + length * 3n / 10n)
  near(now.t1, old.t0 + length * 6n / 10n)
  await page.goBack()
  await until('the old window', async () => { const back = await windowOf(page); return back.t0 === old.t0 && back.t1 === old.t1 })
})

view.test('T18 ruler, Shift+wheel, A, D and arrows pan; closer, a key pans less', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('w')
  await page.keyboard.press('w')
  const moved = async act => {
    const old = await windowOf(page)
    await act()
    const now = await until('a pan', async () => { const next = await windowOf(page); return next.t0 !== old.t0 && next })
    assert.equal(now.t1 - now.t0, old.t1 - old.t0)
    return now.t0 - old.t0
  }
  const right = await moved(() => page.keyboard.press('d'))
  assert.ok(right > 0n)
  assert.equal(await moved(() => page.keyboard.press('a')), -right)
  assert.equal(await moved(() => page.keyboard.press('ArrowRight')), right)
  assert.equal(await moved(() => page.keyboard.press('ArrowLeft')), -right)
  const box = await page.locator('.ruler').boundingBox()
  assert.ok(await moved(() => drag(page, { x: box.x + 500, y: box.y + 10 }, { x: box.x + 400, y: box.y + 10 })) > 0n)
  await page.mouse.move(box.x + 300, box.y + 80)
  await page.keyboard.down('Shift')
  assert.ok(await moved(() => page.mouse.wheel(0, 100)) > 0n)
  await page.keyboard.up('Shift')
  await page.keyboard.press('w')
  await page.keyboard.press('w')
  const closer = await moved(() => page.keyboard.press('d'))
  assert.ok(closer < right && closer * 3n > right)
})

view.test('T19 T20 hovering says window, hierarchy and instruction; Details has every column of the row', async () => {
  const page = await openProfile(view.url)
  const row = (await csvRows()).find(one => one.name === 'fusion.15' && one.step === '1')
  const middle = psOf(row.start_ns) + psOf(row.duration_ns) / 2n
  const { x, y } = await pointOf(page, 'XLA Ops', middle, 1)
  await page.mouse.move(x, y)
  const card = page.locator('.hovercard')
  await card.filter({ hasText: row.framework_op }).waitFor()
  const said = await card.textContent()
  for (const text of ['fusion.15', '540.686 us', 'convolution fusion', 'XLA Ops']) assert.ok(said.includes(text), text + ' is not in ' + said)
  await page.mouse.click(x, y)
  await page.locator('.event-name', { hasText: 'fusion.15' }).waitFor()
  const fields = await fieldsOf(page)
  assert.equal(psOf(fields.start.replace(' ns', '')), psOf(row.start_ns))
  assert.ok(fields.duration.startsWith(Number(row.duration_ns).toLocaleString('en', { maximumFractionDigits: 3 })))
  for (const key of ['framework_op', 'step']) assert.equal(fields[key], row[key])
  for (const key of ['flops', 'hlo_text', 'program_id', 'symbol_id', 'shape', 'device_offset']) assert.ok(key in fields, key + ' is not in Details')
  await shot(page, 'details')
})

view.test('T21 arrows are listed and followed, . and , go along the track', async () => {
  const page = await openProfile(view.url)
  await clickEvent(page, 'XLA Modules', 4000000000n, 'jit_train_step')
  const details = page.locator('.widget-details')
  await details.getByText(/Depends on \d/).waitFor()
  await page.keyboard.press('[')
  await details.locator('.event-name', { hasText: 'PjRtExecutable::Execute' }).waitFor()
  await page.keyboard.press(']')
  await details.locator('.event-name', { hasText: 'jit_train_step' }).waitFor()
  const start = (await fieldsOf(page)).start
  await page.keyboard.press('.')
  await until('the next event', async () => (await fieldsOf(page)).start !== start)
  await page.keyboard.press(',')
  await until('the first event', async () => (await fieldsOf(page)).start === start)
  assert.match(await page.locator('[data-say]').textContent(), /selected jit_train_step/)
})

view.test('T22 what runs at the same time is counted with names', async () => {
  const page = await openProfile(view.url)
  await clickEvent(page, 'XLA Ops', 10500000000n, 'fusion.15', 1)
  const box = page.locator('details', { hasText: 'At the same time' })
  await box.locator('summary').click()
  assert.ok(await box.locator('li').count() > 0)
  assert.match(await box.locator('li').first().textContent(), /\d+(\.\d+)? (ns|us|ms)/)
})

view.test('T29 filter, pin, hide, fold and a link keep the rows', async () => {
  const page = await openProfile(view.url)
  await page.locator('.filter').fill('XLA* -Modules')
  await until('fewer rows', async () => await rowOf(page, 'Steps').count() === 0 && await rowOf(page, 'XLA Ops').count() > 0)
  assert.equal(await rowOf(page, 'XLA Modules').count(), 0)
  await page.locator('.filter').fill('')
  await rowOf(page, 'Steps').hover()
  await rowOf(page, 'Steps').getByTitle('Pin to the top').click()
  await page.locator('.pinned-tree .row').waitFor()
  await rowOf(page, 'HFU').hover()
  await rowOf(page, 'HFU').getByTitle('Hide').click()
  await rowOf(page, '/device:TPU:1').locator('.fold').first().click()
  await until('the address', async () => /tr=.*p:[0-9a-f]{8}.*h:[0-9a-f]{8}.*f:[0-9a-f]{8}/.test(page.url()))
  const names = () => page.locator('.row .name').allTextContents()
  const before = await names()
  await page.reload()
  await page.locator('.pinned-tree .row').waitFor()
  await until('the same rows', async () => JSON.stringify(await names()) === JSON.stringify(before))
})

view.test('T30 Shift and a drag select an area; its numbers are the server\'s, no share is above 100 %', async () => {
  const page = await openProfile(view.url)
  const from = await pointOf(page, 'XLA Ops', 10000000000n, 1), to = await pointOf(page, 'XLA Ops', 12000000000n, 1)
  await drag(page, from, { x: to.x, y: to.y + 2 }, { keys: ['Shift'] })
  await page.locator('.widget-details').getByText('Area').waitFor()
  await page.locator('.widget-details').getByRole('button', { name: 'Statistics' }).click()
  const grid = page.getByRole('grid', { name: 'Statistics of the selection' })
  await grid.locator('tbody tr').first().waitFor()
  const shares = (await grid.locator('td[data-column=share]').allTextContents()).map(text => Number.parseFloat(text))
  assert.ok(shares.length > 2 && shares.every(share => share <= 100))
  assert.ok(Math.abs(shares.reduce((a, b) => a + b, 0) - 100) < 1)
})

view.test('T57 the link shows the same in a fresh browser', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('w')
  await clickEvent(page, 'XLA Ops', 15900000000n, 'fusion', 1)
  await page.getByLabel('Colour by').selectOption('category')
  await until('the address', async () => /c=category/.test(page.url()) && /e=\d/.test(page.url()))
  await page.mouse.move(5, 5)
  const other = await openProfile(page.url(), {})
  await other.locator('.event-name', { hasText: await page.locator('.event-name').textContent() }).waitFor()
  await other.mouse.move(5, 5)
  assert.deepEqual(await windowOf(other), await windowOf(page))
  await until('the same picture', async () => Buffer.compare(await other.locator('.timeline .bars').screenshot(), await page.locator('.timeline .bars').screenshot()) === 0)
})

view.test('T60 the help lists keys, and none fires while somebody types', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keys and mouse' })
  await help.waitFor()
  assert.ok(await help.locator('kbd').count() > 40)
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  const old = await windowOf(page)
  await page.keyboard.press('/')
  await page.keyboard.type('wasd0')
  assert.deepEqual(await windowOf(page), old)
  assert.equal(await page.getByLabel('Search the whole profile').inputValue(), 'wasd0')
})

view.test('T61 one finger pans, two zoom, a long press makes a marker', async () => {
  const page = await openProfile(view.url, { hasTouch: true })
  await page.keyboard.press('w')
  const { x, y } = await page.locator('.timeline .over').boundingBox().then(box => ({ x: box.x + 400, y: box.y + 60 }))
  const touch = await page.context().newCDPSession(page)
  const send = (type, ...points) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })) })
  const old = await windowOf(page)
  await send('touchStart', [x, y])
  await send('touchMove', [x - 60, y])
  await send('touchMove', [x - 120, y])
  await send('touchEnd')
  const panned = await until('a pan', async () => { const now = await windowOf(page); return now.t0 > old.t0 && now })
  await send('touchStart', [x - 50, y], [x + 50, y])
  await send('touchMove', [x - 100, y], [x + 100, y])
  await send('touchMove', [x - 150, y], [x + 150, y])
  await send('touchEnd')
  await until('a zoom', async () => { const now = await windowOf(page); return now.t1 - now.t0 < (panned.t1 - panned.t0) * 2n / 3n })
  await send('touchStart', [x, y])
  await page.getByRole('tab', { name: 'Annotations' }).waitFor()
  await until('a marker', async () => /marker 1/.test(await page.locator('[data-say]').textContent()))
  await send('touchEnd')
})

view.test('T1 a page that leads nowhere says so', async () => {
  const page = await open(view.server.base + '/profile/n_' + '0'.repeat(40))
  await page.getByRole('heading', { name: /No profile n_0{40} here/ }).waitFor()
})
