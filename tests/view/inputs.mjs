// SPDX-License-Identifier: Apache-2.0
// What files may hold: overlaps, exact times, nothing known of flops, Furiosa's, damaged ones (tests 12, 13, 27, 31, 50, 58, 59 of the list).
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import {
  AGAIN,
  LAYOUTS,
  SYNTHETIC,
  aboutOf,
  ask,
  causeName,
  scrollTo,
  shortTime,
  choose,
  chosen,
  clickEvent,
  colourAt,
  fieldsOf,
  figureOf,
  folder,
  layout,
  newContext,
  nprof,
  open,
  openProfile,
  openTab,
  pointOf,
  put,
  rest,
  rowOf,
  sample,
  scopeTo,
  axeOf,
  shot,
  spansOf,
  suite,
  tabTo,
  table,
  until,
  windowOf,
} from './harness.mjs'
import { torchTrace } from './torch.mjs'

const kineto = (events, more = {}) => ({
  schemaVersion: 1,
  deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
  traceEvents: events,
  ...more,
})
const gpu = (ts, dur, name) => ({
  ph: 'X',
  cat: 'kernel',
  name,
  pid: 0,
  tid: 7,
  ts,
  dur,
  args: { device: 0, stream: 7, correlation: ts },
})

const view = suite([SYNTHETIC])
const profileOf = (name, content) => view.add(put(name, content))

view.test(
  'T27 two spans that overlap on one thread have two lanes, and both can be selected',
  async () => {
    const page = await openProfile(
      await profileOf('overlap.json', {
        traceEvents: [
          { ph: 'M', pid: 1, tid: 1, name: 'thread_name', args: { name: 'worker' } },
          { ph: 'X', pid: 1, tid: 1, ts: 0, dur: 100, name: 'first' },
          { ph: 'X', pid: 1, tid: 1, ts: 50, dur: 100, name: 'second' },
        ],
      }),
    )
    const row = rowOf(page, 'worker')
    if ((await row.getAttribute('aria-expanded')) === 'false') await row.locator('.fold').click()
    await clickEvent(page, 'worker', 25000000n, 'first')
    await clickEvent(page, 'worker', 125000000n, 'second', 1)
    const {
      tables: [
        {
          columns,
          rows: [row_],
        },
      ],
    } = JSON.parse(await nprof('info', '-q', '--format', 'json', path.join(folder, 'overlap.json')))
    assert.equal(Number.parseInt((await aboutOf(page)).rows, 10), row_[columns.indexOf('rows')])
  },
)

view.test('T31 times of 19 digits and negative ones are exact', async () => {
  const page = await openProfile(
    await profileOf(
      'exact.json',
      '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":-257000.001,"dur":2.5,"name":"before"},{"ph":"X","pid":1,"tid":1,"ts":1721234567890.123,"dur":1000.001,"name":"after"}]}',
    ),
  )
  await page.keyboard.press('.')
  await page.locator('.event-name', { hasText: 'before' }).waitFor()
  const first = await fieldsOf(page)
  await page.keyboard.press('.')
  await page.locator('.event-name', { hasText: 'after' }).waitFor()
  const second = await fieldsOf(page)
  const ps = text =>
    BigInt(text.replace(' ns', '').replaceAll(',', '').split('.')[0]) * 1000n +
    BigInt((text.replace(' ns', '').split('.')[1] ?? '').padEnd(3, '0')) *
      (text.startsWith('-') ? -1n : 1n)
  assert.equal(ps(second.start) - ps(first.start), 1721234567890123000n + 257000001000n)
  // Close to both, the picture and its ruler have the same times: a trillion ns before, and behind, a tenth of one counts.
  for (const start of [ps(first.start), ps(second.start)]) {
    const text = t =>
      (t < 0n ? '-' : '') +
      String((t < 0n ? -t : t) / 1000n).replace(/\B(?=(\d{3})+$)/g, ',') +
      '.' +
      String((t < 0n ? -t : t) % 1000n)
        .padStart(3, '0')
        .replace(/0+$/, '')
    const [from, to] = [start - 100n, start + 400n].map(text)
    await ask(page, '@' + from.replaceAll(',', '') + '..' + to.replaceAll(',', ''))
    await until('the window', async () =>
      (await page.locator('.timeline .over').getAttribute('aria-label')).startsWith(
        from + ' to ' + to + ' ns',
      ),
    )
  }
  assert.ok(second.duration.startsWith('1,000,001 ns'))
  // What the ruler itself writes, within half a nanosecond of either time.
  const context = await newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  })
  await context.addInitScript(() => {
    const { fillText, clearRect } = CanvasRenderingContext2D.prototype
    globalThis.ruler = []
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      if (this.canvas.className === 'ruler') globalThis.ruler = []
      return clearRect.apply(this, box)
    }
    CanvasRenderingContext2D.prototype.fillText = function (...text) {
      if (this.canvas.className === 'ruler') globalThis.ruler.push(text[0])
      return fillText.apply(this, text)
    }
  })
  const ruled = await openProfile(page.url(), { context })
  for (const start of [ps(first.start), ps(second.start)]) {
    const text = t =>
      (t < 0n ? '-' : '') +
      String((t < 0n ? -t : t) / 1000n) +
      '.' +
      String((t < 0n ? -t : t) % 1000n).padStart(3, '0')
    await ask(ruled, '@' + text(start - 100n) + '..' + text(start + 400n))
    const units = { ps: 1n, ns: 1000n, us: 10n ** 6n, ms: 10n ** 9n, s: 10n ** 12n }
    const timed = told => {
      const [, sign, whole, rest = '', unit] =
        /^[+]?(-?)([\d,]+)(?:\.(\d+))? (ps|ns|us|ms|s)(?: \+)?$/.exec(told)
      return (
        (sign ? -1n : 1n) *
        (BigInt(whole.replaceAll(',', '')) * units[unit] +
          (BigInt(rest.padEnd(12, '0')) * units[unit]) / 10n ** 12n)
      )
    }
    const inside = async () => {
      const base = timed(await ruled.locator('.zero .base').textContent())
      return (await ruled.evaluate(() => globalThis.ruler)).map(one => base + timed(one))
    }
    const ticks = await until('ticks', async () => {
      const all = await inside()
      return all.length > 2 && all.every(t => t > start - 101n && t < start + 400n) && all
    })
    assert.equal(new Set(ticks.slice(1).map((t, i) => t - ticks[i])).size, 1, ticks.join())
  }
})

view.test(
  'what is unknown comes with what would tell it, but for what was recorded already',
  async () => {
    // Shapes are those of operators of the host.
    const alone = [gpu(0, 10, 'gemm')],
      launched = torchTrace(3, 17)
    const profiles = [
      [
        'alone',
        kineto(alone),
        {
          Roofline: /record with ProfilerActivity.CPU/,
          Memory: /record with profile_memory=True/,
          Ranks: /open the folder that holds one file a rank/,
        },
      ],
      ['launched', launched, { Roofline: /record with record_shapes=True/ }],
      [
        'recorded',
        kineto(alone, { record_shapes: 1, profile_memory: 1 }),
        {
          Roofline: /record with ProfilerActivity.CPU/,
          Memory: null,
          Ranks: /open the folder that holds one file a rank/,
        },
      ],
      ['shaped', { ...launched, record_shapes: 1 }, { Roofline: null }],
    ]
    for (const [name, content, tells] of profiles) {
      const page = await openProfile(await profileOf(name + '.pt.trace.json', content), AGAIN)
      for (const [widget, tell] of Object.entries(tells)) {
        await layout(page, widget)
        const text = await page.locator('.widget-' + widget.toLowerCase()).textContent()
        assert.match(text, /unknown: +(needs|no) [^.]+/, widget)
        if (tell) assert.match(text.split('what would tell:')[1], tell, widget)
        else assert.ok(!text.includes('what would tell'), text)
      }
    }
  },
)

view.test('T12 without flops MFU is unknown with its reason, and nowhere a number', async () => {
  const why = 'the file states no flops of its operators',
    url = await profileOf('h100.pt.trace.json', torchTrace(4, 20))
  const page = await openProfile(url),
    mfu = figureOf(page, 'MFU')
  assert.equal((await mfu.textContent()).replace(/\s+/g, ' ').trim(), 'unknown' + why)
  assert.equal(await mfu.locator('b').getAttribute('title'), why)
  let told = 0,
    cells = 0
  const look = async where => {
    const found = await page.evaluate(sharesOfPeak)
    assert.deepEqual(found.wrong, [], where)
    told += found.told
    cells += found.cells
  }
  for (const name of LAYOUTS) {
    await layout(page, name)
    await look(name)
  }
  await layout(page, 'Standard')
  for (const tab of await page.locator('.lm-TabBar-tab:visible').all()) {
    await tab.click({ position: { x: 4, y: 8 } })
    await rest(page)
    await look(await tab.textContent())
  }
  for (const name of ['Summary', 'Selection', 'Layers', 'Transfers', 'Findings', 'Verdict']) {
    await openTab(page, name)
    await rest(page)
    await look(name)
  }
  // Columns without a value say why, where the run knows it.
  await layout(page, 'Device')
  await openTab(page, 'Summary')
  assert.equal(
    (await page.locator('.widget-summary .unknown-columns', { hasText: 'MFU' }).textContent())
      .replace(/\s+/g, ' ')
      .trim(),
    'unknown in every row: MFU, HFU: ' + why + ' · MBU: the file states no bytes of its operators',
  )
  await layout(page, 'Overview')
  // What is unknown has one place among the sums, where each name says why.
  await openTab(page, 'Selection')
  await rest(page)
  const others = page.locator('.widget-selection .totals .unknown')
  assert.deepEqual(await others.allTextContents(), ['flops', 'bytes', 'MFU', 'HFU', 'MBU'])
  assert.equal(await others.nth(2).getAttribute('aria-label'), 'MFU, unknown: ' + why)
  // A part of the run knows no more than all of it.
  await ask(page, '@2000000..18000000')
  for (const name of ['Summary', 'Operators']) {
    await openTab(page, name)
    await scopeTo(page, 'window')
    await rest(page)
    await look(name + ' of a window')
  }
  const lanes = await page.locator('.timeline .over').boundingBox()
  for (const part of [0.3, 0.7])
    await page.mouse.click(lanes.x + part * lanes.width, lanes.y + 20, { button: 'right' })
  await openTab(page, 'Annotations')
  await page.locator('.widget-annotations tbody tr').nth(1).getByTitle(why).first().waitFor()
  await look('Annotations')
  assert.ok(told > 20 && cells > 5, 'MFU was looked for where it is not: ' + told + ', ' + cells)
  await page.goto(view.server.base + '/')
  const shares = page
    .locator('tr', { hasText: 'h100.pt.trace.json' })
    .locator('td')
    .filter({ has: page.getByTitle(why) })
  await shares.first().waitFor()
  assert.deepEqual(
    (await shares.allTextContents()).map(text => text.trim()),
    ['unknown'],
  )
})

/** Runs in the page: texts that give a share of a peak a number, in columns and lists of that name or beside it; and how many do not, columns that are left out included. */
function sharesOfPeak() {
  const share = /\b[MH]FU\b|\bMBU\b/i,
    number = /\d/,
    wrong = [],
    seen = element => element.getClientRects().length > 0
  let told = 0,
    cells = 0
  for (const table of [...document.querySelectorAll('table')].filter(seen)) {
    const columns = [...table.querySelectorAll('thead th')]
      .map((head, i) => (share.test(head.textContent) ? i : -1))
      .filter(i => i >= 0)
    for (const row of table.tBodies[0]?.rows ?? []) {
      for (const i of columns) {
        const text = row.cells[i]?.textContent.trim() ?? ''
        cells++
        if (
          row.cells.length > i &&
          !/^(unknown|–)/.test(text) &&
          (text || !table.closest('.widget-annotations'))
        )
          wrong.push('column ' + i + ': ' + row.textContent)
      }
    }
  }
  // A column without a known value is named in a line below its table.
  cells += [...document.querySelectorAll('.unknown-columns')].filter(
    line => seen(line) && share.test(line.textContent),
  ).length
  for (const name of [...document.querySelectorAll('dt')].filter(
    one => share.test(one.textContent) && seen(one),
  )) {
    const value = (name.nextElementSibling ?? name).textContent.trim()
    told++
    if (!value.startsWith('unknown')) wrong.push(name.textContent + ' ' + value)
  }
  for (const text of [...document.querySelectorAll('p, li, button, figcaption, text')].filter(
    seen,
  )) {
    const [, rest] = /\b(?:[MH]FU|MBU)\b(.{0,40})/i.exec(text.textContent) ?? []
    if (rest && number.test(rest.split(/[;,.)]/)[0]) && /%/.test(rest)) wrong.push(text.textContent)
  }
  return { wrong, told, cells }
}

view.test(
  'a profile without rows, and one without rows of devices, say so in a sentence with what to do',
  async () => {
    const host = Array.from({ length: 40 }, (_, i) => ({
      ph: 'X',
      cat: 'cpu_op',
      name: 'aten::mm' + (i % 3),
      pid: 1,
      tid: 1,
      ts: 10 * i,
      dur: 5,
    }))
    const states = [
      [
        'none',
        { traceEvents: [] },
        /^This profile has no rows: the file states no event\. What was read$/,
        'What was read',
        '.widget-problems',
      ],
      [
        'host',
        { schemaVersion: 1, traceEvents: host },
        /^No row of this profile is of a device: what is here ran on the host\. Flame graph of the host$/,
        'Flame graph of the host',
        '.widget-flame .frame',
      ],
    ]
    for (const [name, content, says, button, opens] of states) {
      const page = await open(await profileOf(name + '-only.json', content)),
        line = page.locator('.lacking')
      await line.waitFor()
      assert.match((await line.textContent()).replace(/\s+/g, ' ').trim(), says)
      await shot(page, 'state-' + name)
      await line.getByRole('button', { name: button }).click()
      await page.locator(opens).first().waitFor()
    }
    const page = await openProfile(view.url)
    assert.equal(await page.locator('.lacking').count(), 0)
  },
)

view.test('T13 a file that is cut says at which byte; what can be had is read', async () => {
  const whole = fs.readFileSync(SYNTHETIC),
    file = put('cut.xplane.pb', whole.subarray(0, whole.length - 1000))
  const [, byte] = /byte (\d+)/.exec(await nprof('info', file).catch(error => error.stderr)),
    page = await open(view.server.base + '/')
  await page.getByRole('button', { name: 'Open a path…' }).click()
  // The dialog opens with the focus in its field.
  await page.keyboard.type(file)
  await page.keyboard.press('Enter')
  await page.waitForURL(/profile/)
  const address = page.url()
  await page.getByRole('heading', { name: 'This profile could not be read' }).waitFor()
  assert.equal((await page.locator('.failed').textContent()).split('cut.xplane.pb').length, 2)
  await page.goto(view.server.base + '/')
  await page
    .locator('tr', { hasText: 'cut.xplane.pb' })
    .locator('td.status', { hasText: new RegExp('^failed: byte ' + byte + '$') })
    .waitFor()
  await page.goto(address)
  await page.getByRole('button', { name: 'Read what can be had' }).click()
  await shot(page, 'unreadable')
  await until('the picture', () => crossed(page, 'cut.xplane.pb'))
  assert.ok(!(await crossed(page, 'XLA Modules')))
  await page.keyboard.press('+')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Problems/ })
    .click()
  await page.locator('.widget-problems', { hasText: 'Rows may be missing at 1 place' }).waitFor()
})

view.test('an unknown file is not said to be damaged: nothing of it can be had', async () => {
  const file = put('unknown.json', { a: 1 }),
    page = await open(view.server.base + '/')
  await page.getByRole('button', { name: 'Open a path…' }).click()
  await page.getByLabel('Path on the server', { exact: true }).fill(file)
  await page.keyboard.press('Enter')
  await page
    .getByText(/no decoder knows this format/)
    .first()
    .waitFor()
  assert.equal(await page.getByText('--keep-going').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Read what can be had' }).count(), 0)
})

/** Tells whether a row begins with crosses, which stand for lost events: both halves mirror each other, as lines that lean one way do not. */
async function crossed(page, name) {
  await scrollTo(rowOf(page, name))
  const box = await rowOf(page, name).boundingBox()
  return page.locator('.timeline .bars').evaluate((canvas, y) => {
    const { data } = canvas
      .getContext('2d')
      .getImageData(1, Math.round(y - canvas.getBoundingClientRect().top) + 2, 6, 16) // behind the line of zero
    const lines = Array.from({ length: 16 }, (_, row) =>
      Array.from({ length: 6 }, (_, x) => data[4 * (6 * row + x) + 3] > 60),
    )
    return (
      new Set(lines.map(String)).size > 3 &&
      lines.every(line => String(line) === String([...line].reverse()))
    )
  }, box.y)
}

view.test(
  'T58 without a mouse: a profile is added, its longest gap found, marked and saved; each selection is said',
  async () => {
    const page = await open(view.server.base + '/'),
      said = async text =>
        until(String(text), async () => text.test(await page.locator('[data-say]').textContent()))
    await page
      .getByRole('heading', { name: 'No profiles yet' })
      .or(page.getByRole('grid', { name: 'Profiles' }))
      .waitFor()
    await tabTo(page, 'Open a path…')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Path on the server')
    await page.keyboard.type(put('keys.xplane.pb', fs.readFileSync(SYNTHETIC)))
    await page.keyboard.press('Enter')
    await page.locator('.timeline .row').first().waitFor()
    const gaps = await table('gaps', SYNTHETIC),
      longest = gaps.reduce((most, gap) =>
        BigInt(gap.duration_ps) > BigInt(most.duration_ps) ? gap : most,
      )
    // The ruler counts from the first row.
    const first = (await spansOf(SYNTHETIC)).reduce(
        (least, span) => (span.start < least ? span.start : least),
        1n << 62n,
      ),
      start = BigInt(longest.start_ps) - first,
      end = start + BigInt(longest.duration_ps),
      selected = `selected ${shortTime(longest.duration_ps)} from ${shortTime(start)} on`
    await page.keyboard.press('+')
    await tabTo(page, /^Gaps/)
    await page.keyboard.press('Enter')
    const row = page.getByRole('grid', { name: 'Gaps' }).locator('tbody tr').first()
    await row.waitFor()
    await tabTo(page, new RegExp(causeName(longest.cause)), '.widget-gaps tr')
    assert.ok(await row.evaluate(element => element === document.activeElement))
    await page.keyboard.press('Enter')
    await said(new RegExp('^' + selected))
    await page.keyboard.press('.')
    await said(/^selected \S+, [\d.]+ [mun]?s, on /)
    await row.focus()
    await page.keyboard.press('Enter')
    await said(new RegExp('^' + selected))
    await page.keyboard.press('Shift+M')
    await said(new RegExp('^marker 1 at ' + nsOf(start) + ' ns$'))
    await page.keyboard.press('+')
    await tabTo(page, /^Annotations/)
    await page.keyboard.press('Enter')
    await tabTo(page, 'Name of the set', '.widget-annotations')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('by keys')
    await tabTo(page, 'Save as')
    await page.keyboard.press('Enter')
    await said(/^saved 1 markers? as by keys$/)
    const id = page.url().match(/n_[0-9a-f]{40}/)[0],
      { data } = await (
        await fetch(view.server.base + '/api/v1/p/' + id + '/annotations/by%20keys')
      ).json()
    assert.deepEqual(
      data.markers.map(marker => [marker.t, marker.range]),
      [[String(start + first), String(end + first)]],
    )
  },
)

/** Nanoseconds as the page writes them, for a pattern. */
const nsOf = ps =>
  (Number(ps) / 1000).toLocaleString('en', { maximumFractionDigits: 3 }).replaceAll('.', '\\.')

view.test('T59 forced colours: axe finds nothing, and nothing moves by itself', async () => {
  const page = await openProfile(view.url, { forcedColors: 'active' })
  assert.deepEqual(await axeOf(page), [])
  await page.evaluate(() => {
    globalThis.original = globalThis.requestAnimationFrame
    globalThis.counted = 0
    globalThis.requestAnimationFrame = callback => {
      globalThis.counted++
      return globalThis.original(callback)
    }
  })
  // Answers may still come in; then it rests for good: it asks for none of so many frames.
  await until('rest', () =>
    page.evaluate(async () => {
      const before = globalThis.counted
      for (let i = 0; i < 24; i++) await new Promise(resolve => globalThis.original(resolve))
      return globalThis.counted - before <= 1
    }),
  )
})

view.test('T28 zooming in loses no row: counts of the pictures sum up to the rows', async () => {
  const page = await openProfile(view.url)
  const sums = await page.evaluate(async () => {
    const { Tiles, decode } = await import('/timeline/tiles.js')
    void Tiles
    const id = location.pathname.split('/').pop(),
      head = await (await fetch('/api/v1/p/' + id)).json(),
      base = '/api/v1/p/' + id + '/' + head.gen
    const meta = await (await fetch(base + '/meta')).json()
    const spans = meta.lanes.filter(lane => lane.type === 'span')
    const { picture, parts } = decode(
      await (
        await fetch(base + '/over?lanes=' + spans.map(lane => lane.lane).join(','))
      ).arrayBuffer(),
    )
    return spans.map(lane => [
      lane.rows,
      parts
        .filter(part => part.lane === lane.lane)
        .reduce(
          (sum, part) => sum + picture.count.slice(part.from, part.to).reduce((a, b) => a + b, 0),
          0,
        ),
    ])
  })
  for (const [rows, counted] of sums) assert.equal(counted, rows)
})

view.test('T24 by operator and by source, what belongs together has one colour', async () => {
  const page = await openProfile(view.url)
  const at = t => colourOf(page, 'XLA Ops', t, 1)
  const [first, again, other] = [4400000000n, 10600000000n, 3300000000n] // fusion.15, fusion.15 of the next step, fusion.11
  for (const mode of ['operator', 'source', 'category']) {
    await choose(page, 'Colour by', mode)
    await until(
      'colours by ' + mode,
      async () =>
        (await at(first)) === (await at(again)) &&
        (mode === 'category' || (await at(first)) !== (await at(other))),
    )
  }
  // By layer what is in the same layer has one colour: up and down of mlp, qkv, softmax and out of attention.
  await choose(page, 'Colour by', 'layer')
  await ask(page, '@3000000..5000000')
  const [up, down, ...attention] = [4210000000n, 4750000000n, 3405000000n, 3550000000n, 3700000000n] // near the ends of bars, where no text is
  await until('two layers', async () => {
    const [a, b, ...rest] = await Promise.all(
      [up, down, ...attention].map(t => colourOf(page, 'XLA Ops', t, 1)),
    )
    return a === b && rest.every(one => one === rest[0]) && a !== rest[0]
  })
})

view.test(
  'A38 what can be set of the view is in one menu: colours, groups, rows, what lies over the bars',
  async () => {
    const page = await openProfile(view.url),
      button = page.getByRole('button', { name: /^View settings/ }),
      menu = page.getByRole('menu').filter({ visible: true })
    assert.match(await button.getAttribute('title'), /^Edit view settings/)
    await button.click()
    assert.deepEqual(
      await menu
        .getByRole('group')
        .evaluateAll(all => all.map(one => one.getAttribute('aria-label'))),
      [
        'Colour by (Instruction Grouping)',
        'Group by',
        'Rows of',
        'Over the bars',
        'Counters',
        'What colours mean',
      ],
    )
    await menu
      .getByRole('group', { name: /Instruction Grouping/ })
      .getByText('layer')
      .click()
    await until('the colour', async () => /layer$/.test(await button.textContent()))
    await button.click()
    // No group lies over another, and all of them are within the window.
    const boxes = await menu.getByRole('group').evaluateAll(all =>
      all.map(one => {
        const { left, right, top, bottom } = one.getBoundingClientRect()
        return { left, right, top, bottom }
      }),
    )
    const { width, height } = page.viewportSize()
    for (const [i, a] of boxes.entries()) {
      assert.ok(a.left >= 0 && a.right <= width && a.bottom <= height, JSON.stringify(a))
      for (const b of boxes.slice(i + 1))
        assert.ok(
          a.right <= b.left + 1 || a.bottom <= b.top + 1 || b.right <= a.left + 1,
          JSON.stringify([a, b]),
        )
    }
  },
)

view.test(
  "T24 A38 A39 the words of Neuron's viewer for it are found among the commands, and colour by layer",
  async () => {
    const page = await openProfile(view.url),
      list = page.getByRole('listbox', { name: 'Commands' })
    for (const words of ['edit view settings', 'instruction grouping = layer']) {
      await page.keyboard.press('>')
      await page.keyboard.type(words)
      await list.getByRole('option', { name: 'Colour by layer' }).waitFor()
      await page.keyboard.press('Escape')
    }
    await ask(page, '>instruction grouping = layer')
    assert.equal(await chosen(page, 'Colour by'), 'layer')
  },
)

view.test('T24 an operator has its colour in every profile', async () => {
  const page = await openProfile(view.url),
    down = 'jit(train_step)/layers/mlp/down'
  await choose(page, 'Colour by', 'operator')
  await rest(page)
  const colour = await until('its colour', async () => {
    const [own, next] = [
      await colourOf(page, 'XLA Ops', 4400000000n, 1),
      await colourOf(page, 'XLA Ops', 3900000000n, 1),
    ]
    return own !== next && own
  })
  // Another file, in which it comes behind others and has another place.
  const names = ['first', 'second', down, 'third'],
    other = await openProfile(
      await profileOf('colours.json', {
        traceEvents: [
          { ph: 'M', pid: 1, tid: 1, name: 'thread_name', args: { name: 'worker' } },
          ...names.map((name, i) => ({ ph: 'X', pid: 1, tid: 1, ts: 100 * i, dur: 100, name })),
        ],
      }),
    )
  await choose(other, 'Colour by', 'operator')
  await until(
    'the same',
    async () =>
      (await colourOf(other, 'worker', 250000000n)) === colour &&
      (await colourOf(other, 'worker', 50000000n)) !== colour,
  )
})

view.test(
  'T24 A39 D7 rows of one name have the colour of their own operator, layer and line',
  async () => {
    const layers = ['Net[net]/Linear[one]', 'Net[net]/Linear[two]'],
      rows = [
        ['mm', 0],
        ['mm', 1],
        ['mm', 0],
        ['first', 0],
        ['second', 1],
      ]
    const trace = {
      traceEvents: [
        { ph: 'M', pid: 1, tid: 1, name: 'thread_name', args: { name: 'worker' } },
        ...rows.map(([name, layer], i) => ({
          ph: 'X',
          pid: 1,
          tid: 1,
          ts: 100 * i,
          dur: 100,
          name,
          args: { tf_op: layers[layer] + '/aten__mm', source: 'model.py:' + (10 + layer) },
        })),
        { ph: 'X', pid: 1, tid: 1, ts: 500, dur: 100, name: 'mm' },
      ],
    }
    const page = await openProfile(await profileOf('mixed.json', trace))
    const colour = async row => colourOf(page, 'worker', BigInt(100 * row + 90) * 1000000n) // near the end, where no text is
    const seen = {}
    for (const mode of ['layer', 'operator', 'source']) {
      await choose(page, 'Colour by', mode)
      await until('two colours by ' + mode, async () => (await colour(0)) !== (await colour(1)))
      const [one, two, again, first, second, none] = await Promise.all(
        [0, 1, 2, 3, 4, 5].map(colour),
      )
      assert.deepEqual([again, first, second], [one, one, two], 'by ' + mode)
      assert.equal(none, '140,140,150,255', 'grey: a row that states none, by ' + mode)
      seen[mode] = one
    }
    await choose(page, 'Colour by', 'name')
    await until(
      'one colour by name',
      async () =>
        (await colour(0)) === (await colour(1)) && (await colour(0)) !== (await colour(3)),
    )
    // Rows that are grouped keep their colours, and a value has its colour also where no name is of two.
    await choose(page, 'Colour by', 'layer')
    await choose(page, 'Group by', 'operator')
    await until(
      'a row for each operator',
      async () => (await rowOf(page, layers[1] + '/aten__mm').count()) === 1,
    )
    const other = await openProfile(
      await profileOf('alone.json', { traceEvents: trace.traceEvents.slice(0, 2) }),
    )
    await choose(other, 'Colour by', 'layer')
    await until(
      'the same colour',
      async () => (await colourOf(other, 'worker', 90000000n)) === seen.layer,
    )
  },
)

view.test(
  'D7 instructions of Neuron have the colour of the operator that they are of',
  async () => {
    const rows = [
      ['MATMUL', '/Net/up'],
      ['MATMUL', '/Net/down'],
      ['LDWEIGHTS', '/Net/up'],
      ['EVENT_SEMAPHORE', '/Net/down'], // waits for a semaphore
      ['EVENT_SEMAPHORE', '/Net/up'],
    ]
    const page = async (name, places) =>
      openProfile(
        await profileOf(name, {
          metadata: [{ first_hw_timestamp: 0, last_hw_timestamp: 4000, ntff_version: 6 }],
          summary: [{ total_time: 4e-6 }],
          instruction: places.map(i => ({
            opcode: rows[i][0],
            layer: rows[i][1],
            timestamp: 1000 * i,
            duration: 900,
            subgroup: 'Tensor',
            pc: i,
          })),
        }),
      )
    const several = await page('operators.json', [0, 1, 2, 3, 4]),
      one = await page('operator.json', [0, 2]) // no opcode is of two operators
    for (const of of [several, one]) {
      await choose(of, 'Colour by', 'operator')
      const at = i => colourOf(of, 'PE', BigInt(1000 * i + 860) * 1000n) // near the end, where no text is
      await until('one colour for an operator', async () => (await at(0)) === (await at(2)))
      if (of !== several) continue
      assert.notEqual(await at(0), await at(1))
      assert.deepEqual([await at(3), await at(4)], [await at(1), await at(0)])
    }
  },
)

view.test(
  'A39 D7 operators and layers have a colour each while there are some, and what names none is grey',
  async () => {
    const layers = Array.from({ length: 12 }, (_, i) => '/Net/op' + i),
      opened = async (name, places) =>
        openProfile(
          await profileOf(name, {
            metadata: [
              {
                first_hw_timestamp: 0,
                last_hw_timestamp: 14000,
                ntff_version: 6,
              },
            ],
            summary: [{ total_time: 14e-6 }],
            instruction: places.map((layer, i) => ({
              opcode: 'OP' + i,
              ...(layer && { layer }),
              timestamp: 1000 * i,
              duration: 900,
              subgroup: 'Tensor',
              pc: i,
            })),
          }),
        )
    const page = await opened('distinct.json', [...layers, ''])
    const at = (of, i) => colourOf(of, 'PE', BigInt(1000 * i + 860) * 1000n) // near the end, where no text is
    for (const mode of ['operator', 'layer']) {
      await choose(page, 'Colour by', mode)
      await until('grey by ' + mode, async () => (await at(page, 12)) === '140,140,150,255')
      const seen = await Promise.all(layers.map((_, i) => at(page, i)))
      assert.equal(new Set([...seen, await at(page, 12)]).size, 13, mode + ': ' + seen.join(' '))
    }
    const none = await opened('none.json', ['', ''])
    await choose(none, 'Colour by', 'layer')
    await until('grey', async () => (await at(none, 0)) === '140,140,150,255')
    assert.match(
      await none.getByRole('button', { name: /^View settings/ }).getAttribute('title'),
      /no event of this profile names a layer$/,
    )
  },
)

/** The colour of the bar at a time of a row. */
async function colourOf(page, row, t, lane = 0) {
  const { x, y } = await pointOf(page, row, t, lane)
  await page.mouse.move(5, 5)
  return colourAt(page.locator('.timeline .bars'), { x, y: y + 5 })
}

view.test('a Node.js workload opens with its rows', async () => {
  const page = await openProfile(await view.add(sample('node-workload.trace.json')))
  assert.ok((await page.locator('.row').count()) > 1)
  await page.keyboard.press('w')
  await until('a window', async () => (await windowOf(page)).t0 !== undefined)
  assert.ok((await rowOf(page, 'nothing of that name').count()) === 0)
  await shot(page, 'node')
})
