// SPDX-License-Identifier: Apache-2.0
// Two profiles beside each other (test 44 of the list), each built-in layout, and what they say to axe.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import {
  AGAIN,
  LAYOUTS,
  LOOKS,
  OF_COLOURS,
  SYNTHETIC,
  fieldsOfLine,
  folder,
  layout,
  made,
  nprof,
  open,
  openProfile,
  put,
  sample,
  axeOf,
  scrollTo,
  serve,
  shot,
  suite,
  until,
} from './harness.mjs'
import { looksOf } from './looks.mjs'
import { torchTrace } from './torch.mjs'

const view = suite([SYNTHETIC])

view.test('what became of a name is seen behind it, also behind hundreds of letters', async () => {
  const long = 'void at::native::Kernel<' + 'cutlass_80_tensorop_256x128_'.repeat(12) + 'tn>()',
    trace = torchTrace(6, 8, name => (name === 'gemm_up' ? long : name)),
    without = {
      ...trace,
      traceEvents: trace.traceEvents.filter(({ cat, name }) => cat !== 'kernel' || name !== long),
    },
    ids = await Promise.all(
      [without, trace].map(async (one, i) =>
        (await view.add(put(`named${i}.pt.trace.json`, one))).split('/').pop(),
      ),
    ),
    page = await open(view.server.base + '/compare?a=' + ids[0] + '&b=' + ids[1]),
    title = page.locator('.advice h3', { hasText: /: new$/ })
  await title.waitFor()
  assert.equal(await title.getAttribute('title'), long)
  assert.ok(await title.evaluate(one => one.scrollHeight <= one.clientHeight + 1))
})

view.test(
  'T44 two profiles have one window and the verdicts of nprof diff: the operator of mark_step is removed',
  async () => {
    const files = [
      ['stepped.xplane.pb', 'mark-step'],
      ['traced.xplane.pb', 'simple'],
    ].map(([name, kind]) => made(name, 'view/fixtures.py', kind))
    const [base, next] = (await Promise.all(files.map(file => view.add(file)))).map(url =>
      url.split('/').pop(),
    )
    const page = await open(view.server.base + '/compare?a=' + base + '&b=' + next)
    await page.locator('.compare-lane .row').first().waitFor()
    assert.equal(await page.locator('.compare-lane').count(), 2)
    await page.locator('.diff .grid tbody tr').first().waitFor()
    const {
      devices: [printed],
    } = JSON.parse(await nprof('diff', '-q', '--format', 'json', ...files))
    const shown = await page
      .locator('.diff .grid tbody tr')
      .evaluateAll(rows =>
        rows.map(row =>
          Object.fromEntries(
            [...row.cells].map(cell => [
              cell.dataset.column,
              (cell.querySelector('span[title]')?.title || cell.textContent).trim(),
            ]),
          ),
        ),
      )
    assert.deepEqual(
      shown.map(row => row.operator).sort(),
      printed.kernels.map(one => one.name).sort(),
    )
    for (const one of printed.kernels) {
      const row = shown.find(other => other.operator === one.name)
      assert.ok(row.verdict.endsWith(one.verdict), row.verdict + ' is not ' + one.verdict)
      assert.equal(Number(row.share), one.share)
    }
    assert.equal(shown.find(row => row.operator === 'SyncTensorsGraph.53').verdict, '− removed')
    const heads = (await page.locator('.diff .grid th').allTextContents()).map(text => text.trim())
    assert.deepEqual(
      heads.filter(text => text.startsWith('calls')),
      [printed.of_steps ? 'calls a step' : 'calls'],
    )
    for (const one of printed.kernels.filter(
      kernel => kernel.calls[0] !== null && kernel.calls[1] !== null,
    )) {
      const [a, b] = one.calls.map(calls => String(Number(calls.toPrecision(4))))
      assert.equal(
        await page
          .locator('.diff .grid tbody tr')
          .filter({ has: page.locator('td[data-column=operator]', { hasText: one.name }) })
          .first()
          .locator('td[data-column=calls_a]')
          .textContent()
          .then(text => text.trim().replaceAll(',', '')),
        a === b ? a : a + ' → ' + b,
      )
    }
    const windows = () =>
      page
        .locator('.overview')
        .evaluateAll(all => all.map(one => one.getAttribute('aria-valuetext')))
    const old = await windows()
    await page.keyboard.press('w')
    await until('both windows', async () => {
      const now = await windows()
      return now[0] !== old[0] && now[1] !== old[1]
    })
    // Heads sort, and the address has what is seen.
    const grid = page.getByRole('grid', { name: 'Differences' }),
      shares = printed.kernels
        .map(one => one.share)
        .filter(share => share !== null)
        .sort((a, b) => b - a)
    for (const wanted of [shares, [...shares].reverse()]) {
      await grid.getByRole('columnheader', { name: 'share' }).getByRole('button').click()
      await until(
        'the order',
        async () =>
          String(
            await grid
              .locator('td[data-column=share] span:not(.unknown)')
              .evaluateAll(all => all.map(one => Number(one.title))),
          ) === String(wanted),
      )
    }
    await page.getByLabel('changed only').check()
    await page.getByLabel('Rows by').selectOption('operator')
    await until(
      'the address',
      () =>
        /changed=yes/.test(page.url()) &&
        /by=operator/.test(page.url()) &&
        /[?&]t=/.test(page.url()),
    )
    const zoomed = await windows()
    await page.reload()
    await page.locator('.compare-lane .row').first().waitFor()
    await until('both windows again', async () => String(await windows()) === String(zoomed))
    assert.deepEqual(
      [
        await page.getByLabel('changed only').isChecked(),
        await page.getByLabel('Rows by').inputValue(),
      ],
      [true, 'operator'],
    )
    // Apart, one zooms alone; together again both show what the base shows.
    await page.getByLabel('Zoom').selectOption('apart')
    const [, second] = await windows()
    await page.keyboard.press('w')
    await until('one window', async () => {
      const now = await windows()
      return now[0] !== zoomed[0] && now[1] === second
    })
    await page.getByLabel('Zoom').selectOption('together')
    await until('both windows together', async () => (await windows())[1] !== second)
    await shot(page, 'compare')
  },
)

view.test(
  'below the table stands whether nprof diff --fail-over meets its limit, and what is slower by more',
  async () => {
    const slower = torchTrace(6, 12)
    for (const event of slower.traceEvents) if (event.name === 'gemm_up') event.dur *= 1.4
    const files = [
      put('limit-before.pt.trace.json', torchTrace(6, 12)),
      put('limit-after.pt.trace.json', slower),
    ]
    const [before, after] = (await Promise.all(files.map(file => view.add(file)))).map(url =>
      url.split('/').pop(),
    )
    const seen = new Set()
    for (const [ids, inputs] of [
      [[before, after], files],
      [[after, before], [...files].reverse()],
    ]) {
      const page = await open(view.server.base + '/compare?a=' + ids[0] + '&b=' + ids[1]),
        line = page.locator('.limits p')
      await line.waitFor()
      const printed = JSON.parse(
          await nprof('diff', '-q', '--format', 'json', '--fail-over', '5%', ...inputs),
        ),
        text = await line.textContent()
      assert.ok(
        text.startsWith(
          'nprof diff --fail-over 5%: ' +
            (printed.status ? '✗ NOT met, ' + printed.over + ' part' : '✓ met, nothing slower'),
        ),
        text,
      )
      assert.equal(Number(/(\d+) parts? slower/.exec(text)?.[1] ?? 0), printed.over)
      seen.add(printed.status)
    }
    assert.deepEqual([...seen].sort(), [0, 6])
  },
)

view.test(
  'parts of two machines are those that nprof diff prints, and both say that nothing is judged',
  async () => {
    const other = torchTrace(6, 12)
    for (const event of other.traceEvents) if (event.name === 'gemm_up') event.dur *= 1.4
    other.deviceProperties[0].name = 'NVIDIA H200'
    const files = [
        put('machine-one.pt.trace.json', torchTrace(6, 12)),
        put('machine-two.pt.trace.json', other),
      ],
      [a, b] = (await Promise.all(files.map(file => view.add(file)))).map(url =>
        url.split('/').pop(),
      ),
      page = await open(view.server.base + '/compare?a=' + a + '&b=' + b),
      printed = (await nprof('diff', '-q', '--fail-over', '5%', ...files)).replaceAll(/ +/g, ' ')
    await page.locator('.fall').waitFor()
    // The arrow of a fact stays on one line.
    const arrow = page.locator('.verdict h1 .whole')
    for (let width = 360; width < 600; width += 20) {
      await page.setViewportSize({ width, height: 900 })
      assert.equal(await arrow.evaluate(one => one.getClientRects().length), 1, String(width))
    }
    assert.equal(
      (await page.locator('.verdict h1').textContent()).replaceAll('\u00a0', ' '),
      printed.split('\n')[0],
    )
    const [names, changes] = await Promise.all(
        ['.fall-name', '.fall-text'].map(one => page.locator(one).allTextContents()),
      ),
      parts = names.slice(1, -1)
    assert.ok(parts.length > 1, String(names))
    for (const [i, name] of parts.entries()) {
      const [, sign, time] = /([+−])(.*)/.exec(changes[i + 1]),
        line = printed
          .split('\n')
          .find(one => one.toLowerCase().startsWith(` ${name.toLowerCase()} `))
      assert.ok(line?.trim().endsWith((sign === '+' ? '+' : '-') + time), `${name}: ${line}`)
    }
    assert.match(printed, /--fail-over 5%: nothing is judged, as the machines differ/)
    assert.match(
      await page.locator('.limits').textContent(),
      /\? not judged, so it fails: nothing is judged, as the machines differ/,
    )
    assert.match(await page.locator('.advice-box').textContent(), /record both on one machine/)
    assert.doesNotMatch(await page.locator('.advice-box').textContent(), /differ too much/)
  },
)

view.test(
  'below the timelines are tabs: stacks of both, steps beside each other, and what the profiles say of themselves',
  async () => {
    const slower = torchTrace(6, 12)
    for (const event of slower.traceEvents) {
      if (event.name === 'gemm_up') event.dur *= 1.4
      if (event.name === 'flash_fwd') event.name = 'flash_new'
      event.name = event.name.replace('flash_bwd', 'extra') // with its operator: another kernel
    }
    slower.deviceProperties[0].name = 'NVIDIA H200'
    const files = [
        put('tabs-before.pt.trace.json', torchTrace(5, 12)),
        put('tabs-after.pt.trace.json', slower),
      ],
      [base, next] = (await Promise.all(files.map(file => view.add(file)))).map(url =>
        url.split('/').pop(),
      )
    const page = await open(view.server.base + '/compare?a=' + base + '&b=' + next),
      tab = name => page.getByRole('tab', { name, exact: true }),
      told = frame => frame.locator('title').textContent()
    await page.locator('.diff .grid tbody tr').first().waitFor()
    // Stacks: as the server says of the queues of both devices, with a sign, and as wide as they are in the one that is chosen.
    await tab('diff flame').click()
    const frames = page.locator('.diff .frame'),
      nodes = async () =>
        (
          await (
            await page.waitForResponse(answer => answer.url().includes('compare/flame'))
          ).json()
        ).nodes
    await frames.first().waitFor()
    // Kernels stand below what launched them in both; by name they are one row.
    await until('the stacks of launches', async () =>
      (await frames.evaluateAll(all => all.map(one => one.getAttribute('aria-level')))).includes(
        '5',
      ),
    )
    assert.match(
      await told(frames.filter({ hasText: '▲ aten::gemm_up' })),
      /^aten::gemm_up: 875 us → 1.23 ms a step, \+40.0 %/,
    )
    await page.getByLabel('By', { exact: true }).selectOption('name')
    await until('one row', async () =>
      (await frames.evaluateAll(all => all.map(one => one.getAttribute('aria-level')))).every(
        level => level === '1',
      ),
    )
    assert.deepEqual(
      (await frames.locator('text').allTextContents()).filter(text => /^[▲+]/.test(text)).sort(),
      ['+ extra', '▲ gemm_up'],
    )
    assert.match(
      await told(frames.filter({ hasText: 'flash_fwd → flash_new' })),
      /^flash_fwd → flash_new: 700 us → 700 us a step, 0.0 %, 15 → 18 times$/,
    )
    const gemm = frames.filter({ hasText: 'gemm_up' })
    // Of two machines nprof diff gives no verdict.
    assert.equal(await told(gemm), 'gemm_up: 875 us → 1.23 ms a step, +40.0 %, 15 → 18 times')
    const asked = nodes(),
      bars = () =>
        frames
          .locator('rect')
          .evaluateAll(all => all.map(one => Number(one.getAttribute('width')))),
      before = await bars()
    await until(
      'the tab in the address',
      () => /tab=flame/.test(page.url()) && /by2=name/.test(page.url()),
    )
    await page.reload()
    const all = await asked
    await frames.first().waitFor()
    assert.equal(await tab('diff flame').getAttribute('aria-selected'), 'true')
    const sum = all.reduce((total, one) => total + (one.each_ps[1] ?? 0), 0),
      wide = before.reduce((total, one) => total + one, 0)
    for (const one of all.filter(node => node.each_ps[1] !== null))
      assert.ok(
        before.some(width => Math.abs(width / wide - one.each_ps[1] / sum) < 0.01),
        one.name,
      )
    await page.getByLabel('Width').selectOption('base')
    await until('what the base alone has', async () =>
      (await frames.locator('text').allTextContents()).includes('− flash_bwd'),
    )
    await until('the address', () => /tab=flame/.test(page.url()) && /width=base/.test(page.url()))
    await gemm.press('Enter')
    await until('one frame', async () => (await frames.count()) === 1)
    await page.getByRole('button', { name: 'Whole' }).click()
    // Steps: those that nprof diff pairs, with its verdict. The tabs are moved in with arrows.
    await tab('diff flame').focus()
    await page.keyboard.press('ArrowRight')
    const steps = page.getByRole('grid', { name: 'Steps beside each other' })
    await steps.locator('tbody tr').first().waitFor()
    const {
      devices: [printed],
    } = JSON.parse(await nprof('diff', '-q', '--by', 'steps', '--format', 'json', ...files))
    const shown = await steps
      .locator('tbody tr')
      .evaluateAll(rows =>
        rows.map(row =>
          Object.fromEntries(
            [...row.cells].map(cell => [cell.dataset.column, cell.textContent.trim()]),
          ),
        ),
      )
    assert.deepEqual(
      shown.map(row => [row.step_a, row.step_b]),
      printed.new_steps.map((step, i) => [printed.base_steps[i]?.step ?? '–', step.step]),
    )
    assert.deepEqual(
      shown.map(row => row.a_ps),
      [...printed.base_steps.map(() => '9.90 ms'), '–'],
    )
    assert.match(
      (await page.locator('.diff .totals').textContent()).replace(/\s+/g, ' '),
      new RegExp(
        'median 9.90 ms → 9.90 ms, 0.0 % mean 9.90 ms → 9.90 ms, 0.0 % ± 0.0 % ?' +
          printed.step.verdict,
      ),
    )
    assert.equal(
      await page.locator('.diff .pair-bar').count(),
      printed.base_steps.length + printed.new_steps.length,
    )
    // Below the bars stand the numbers of the profiles, which begin with 0; the table says pair of its own.
    const numberOf = step => (step ? /\d+$/.exec(step.step)[0] : '–')
    assert.deepEqual(
      await page.locator('.diff .steps-chart g > text').allTextContents(),
      printed.new_steps.map((step, i) =>
        [...new Set([numberOf(printed.base_steps[i]), numberOf(step)])].join(' / '),
      ),
    )
    assert.deepEqual(
      await steps
        .getByRole('columnheader')
        .allTextContents()
        .then(all => all.slice(0, 1).map(text => text.trim())),
      ['pair'],
    )
    // Facts: what differs; all on demand.
    await tab('facts').click()
    const facts = page.getByRole('grid', { name: 'Facts' }),
      rowsOf = () =>
        facts
          .locator('tbody tr')
          .evaluateAll(rows => rows.map(row => [...row.cells].map(cell => cell.textContent.trim())))
    const differing = await rowsOf()
    assert.deepEqual(differing.find(row => /device_type/.test(row[0])).slice(1), [
      'NVIDIA H100',
      'NVIDIA H200',
    ])
    assert.deepEqual(differing.find(row => row[0] === 'length').slice(1), ['49.9 ms', '59.9 ms'])
    assert.ok(
      differing.every(row => row[1] !== row[2]) && !differing.some(row => row[0] === 'format'),
    )
    await page.getByLabel('also what is the same').check()
    assert.deepEqual((await rowsOf()).find(row => row[0] === 'format').slice(1), [
      'chrome',
      'chrome',
    ])
    // The head: the sentence of nprof diff, to the letter, and bars that add up from the one step to the other.
    const flat = text => text.replace(/\s+/g, ' ').trim(),
      said = await nprof('diff', '-q', ...files)
    assert.equal(flat(await page.locator('.verdict h1').textContent()), said.split('\n')[0])
    assert.equal(await page.locator('h1').count(), 1)
    const kept = page.waitForEvent('download')
    await page.locator('.fall').getByRole('button', { name: 'CSV', exact: true }).click()
    addsUp(fs.readFileSync(await (await kept).path(), 'utf8'))
    assert.ok(await page.locator('.fall-lines').isVisible())
    // Beside it what to do first: what a step became longer by, and what cannot be told.
    const {
        devices: [{ kernels }],
      } = JSON.parse(await nprof('diff', '-q', '--format', 'json', ...files)),
      longer = kernels
        .filter(one => /^(slower|added)$/.test(one.verdict))
        .sort((a, b) => b.new_ps - b.base_ps - (a.new_ps - a.base_ps))
        .slice(0, 2),
      untold = kernels.filter(one => one.verdict === 'inconclusive').length,
      first = await page
        .getByRole('complementary', { name: 'What to do first' })
        .locator('h3')
        .evaluateAll(all => all.map(one => one.title || one.textContent))
    assert.ok(longer.length + untold > 0)
    assert.deepEqual(first.slice(0, longer.length + Math.min(1, untold)), [
      ...longer.map(one => one.name),
      ...(untold ? [`Inconclusive: ${untold} row${untold > 1 ? 's' : ''}`] : []),
    ])
    for (const name of ['diff table', 'diff flame', 'steps', 'latency', 'facts']) {
      await tab(name).click()
      await until('its answer', async () => (await page.locator('.diff [aria-busy]').count()) === 0)
      const saved = page.waitForEvent('download')
      await page.locator('.diff').getByRole('button', { name: 'CSV', exact: true }).click()
      const file = await saved
      assert.match(file.suggestedFilename(), /^compare.*\.csv$/)
      assert.deepEqual([...(await looksOf(page)), ...(await axeOf(page))], [], name)
    }
  },
)

/** The changes of a waterfall lead from the one sum to the other, line by line. @param {string} csv */
function addsUp(csv) {
  const [[, , base], ...rows] = csv.trim().split('\n').slice(1).map(fieldsOfLine),
    [, by, next] = rows.pop()
  let at = BigInt(base)
  for (const [part, change, to] of rows) assert.equal((at += BigInt(change)), BigInt(to), part)
  assert.equal(at, BigInt(next))
  assert.equal(BigInt(by), BigInt(next) - BigInt(base))
}

/** A trace of devices whose work repeats, by the us of the gap, of compute and of communication of each of their periods. @param {number[][][]} devices */
const repeating = devices => ({
  traceEvents: devices.flatMap((periods, device) => {
    let at = 0
    return periods.flatMap(([gap, compute, comm], i) => {
      const begins = at,
        works = [
          ['gemm', begins, compute],
          ['ncclDevKernel_AllReduce', begins + compute + gap, comm],
        ]
      at += gap + compute + comm
      return works.flatMap(([name, ts, dur], k) => {
        const ident = { correlation: 10000 * (device + 1) + 2 * i + k }
        return [
          {
            ...{ ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 9, tid: 9 + device },
            ...{ ts: ts - 2, dur: 1, args: ident },
          },
          {
            ...{ ph: 'X', cat: 'kernel', name, pid: device, tid: 7 },
            ...{ ts, dur, args: { device, stream: 7, ...ident } },
          },
        ]
      })
    })
  }),
})

view.test(
  'of two devices the slowest of the new profile has title, sentence, bars and verdict, and long names are cut where they are alike',
  async () => {
    const many = (...parts) =>
        Array.from({ length: 30 }, (_, i) => [parts[0] + (i % 7), parts[1], parts[2]]),
      names = ['before', 'after'].map(word => `runs_of_the_large_model_on_two_${word}.json`),
      // GPU 1 is the slower one of the base, GPU 0 that of the new profile.
      sides = [
        [many(100, 500, 300), many(100, 600, 300)],
        [many(110, 500, 600), many(150, 600, 300)],
      ],
      files = sides.map((devices, i) => put(names[i], repeating(devices))),
      [a, b] = (await Promise.all(files.map(file => view.add(file)))).map(url =>
        url.split('/').pop(),
      ),
      page = await open(view.server.base + '/compare?a=' + a + '&b=' + b)
    const fall = page.locator('.fall')
    await fall.waitFor()
    const said = (await page.locator('.verdict h1').textContent()).replace(/\s+/g, ' ').trim()
    assert.equal(said, (await nprof('diff', '-q', ...files)).split('\n')[0])
    assert.match(said, /slower on GPU 0: .* more a period of communication alone$/)
    assert.match(await fall.textContent(), /What changed in a mean period of GPU 0: /)
    assert.match(await page.locator('.diff').textContent(), /Period of GPU 0: slower/)
    for (const total of await page.locator('.totals dd:first-of-type').allTextContents())
      assert.match(total.trim(), /^median period .* slower$/)
    const saving = page.waitForEvent('download')
    await fall.getByRole('button', { name: 'CSV', exact: true }).click()
    const csv = fs.readFileSync(await (await saving).path(), 'utf8')
    addsUp(csv)
    const rows = csv.trim().split('\n').slice(1).map(fieldsOfLine),
      by = new Map(rows.map(([part, change]) => [part, Number(change) / 1e6])),
      mean = sides.map(([device]) => device.flat().reduce((sum, us) => sum + us, 0) / 30),
      near = (seen, us) => assert.ok(Math.abs(seen - us) < 5, `${seen} is not ${us} us`)
    near(Number(rows[0][2]) / 1e6, mean[0])
    near(by.get('new'), mean[1] - mean[0])
    near(by.get('comm'), 300)
    near(by.get('host') ?? 0, 10)
    const texts = await page
      .getByLabel(/^(base|new)$/)
      .evaluateAll(all =>
        all.map(one => [one.selectedOptions[0].text, one.selectedOptions[0].title]),
      )
    assert.deepEqual(
      texts.map(([, title]) => title),
      names,
    )
    for (const [i, [text]] of texts.entries())
      assert.ok(text.length <= 24 && text.includes(i ? 'after.json' : 'before.json'), text)
  },
)

/** Percentiles of durations as ps, between the two that are nearest, and what else is told of them. */
function figuresOf(durations) {
  const sorted = durations.map(us => Math.round(us * 1e6)).sort((a, b) => a - b),
    n = sorted.length
  const at = q => {
    const place = (n - 1) * q,
      k = Math.floor(place)
    return Math.round(sorted[k] + (place - k) * ((sorted[k + 1] ?? sorted[k]) - sorted[k]))
  }
  return {
    min: sorted[0],
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    'p99.9': at(0.999),
    max: sorted[n - 1],
    mean: Math.floor(sorted.reduce((sum, one) => sum + one, 0) / n),
    count: n,
  }
}

view.test(
  'a click on an operator shows its percentiles, histogram and durations in all profiles, with the same axes',
  async () => {
    const traces = [1, 1.4, 0.5].map((factor, k) => {
      const trace = torchTrace(4 + k, 12)
      let i = 0
      for (const event of trace.traceEvents)
        if (event.name === 'gemm_up')
          event.dur = Math.round(event.dur * factor * (1 + ((i++ * 7) % 5) / 10) * 1000) / 1000
      return trace
    })
    for (const event of traces[2].traceEvents) if (event.name === 'gemm_up') event.name = 'gemm_new' // with its operator: it was renamed
    const [a, b, c] = (
      await Promise.all(
        traces.map((trace, i) => view.add(put('latency-' + i + '.pt.trace.json', trace))),
      )
    ).map(url => url.split('/').pop())
    const page = await open(view.server.base + '/compare?a=' + a + '&b=' + b + '&b=' + c),
      grid = page.getByRole('grid', { name: 'Latency beside each other' })
    await page
      .getByRole('grid', { name: 'Differences' })
      .locator('td[data-column=operator]', { hasText: /^gemm_up/ })
      .first()
      .click()
    await grid.waitFor()
    const wanted = traces.map(({ traceEvents }) =>
      figuresOf(
        traceEvents
          .filter(event => event.ph === 'X' && /^gemm_(up|new)$/.test(event.name))
          .map(event => event.dur),
      ),
    )
    const shown = () =>
      grid
        .locator('tbody tr')
        .evaluateAll(all =>
          all.map(row =>
            Object.fromEntries(
              [...row.cells]
                .slice(1)
                .map(cell => [
                  cell.dataset.column,
                  Number(
                    cell.querySelector('[title]').title.replace(' ns', '').replaceAll(',', ''),
                  ),
                ]),
            ),
          ),
        )
    const told = await shown()
    assert.deepEqual(
      told,
      wanted.map(one =>
        Object.fromEntries(
          Object.keys(told[0]).map(key => [key, key === 'count' ? one[key] : one[key] / 1000]),
        ),
      ),
    )
    assert.deepEqual(Object.keys(told[0]).sort(), Object.keys(wanted[0]).sort())
    // One axis for all: the ticks of all charts of a kind are the same, and all durations are in a bin.
    const sections = page.locator('.beside section'),
      ticksOf = of =>
        sections.locator(of + ' text').evaluateAll(all => all.map(one => one.textContent))
    assert.equal(await sections.count(), 3)
    for (const kind of ['[role=img]', '[aria-label="Durations over the run"]']) {
      const each = await sections.evaluateAll(
        (all, of) =>
          all.map(one =>
            [...one.querySelectorAll(of + ' text')]
              .map(text => text.textContent)
              .filter(text => !/^p\d/.test(text))
              .join(),
          ),
        kind,
      )
      assert.equal(new Set(each).size, 1, each.join('\n'))
      assert.ok((await ticksOf(kind)).length > 5)
    }
    const counts = await sections.evaluateAll(all =>
      all.map(one =>
        [...one.querySelectorAll('[role=img] rect title')].reduce(
          (sum, title) => sum + Number(/: (\d+)$/.exec(title.textContent)[1]),
          0,
        ),
      ),
    )
    assert.deepEqual(
      counts,
      wanted.map(one => one.count),
    )
    assert.deepEqual(
      await sections.evaluateAll(all => all.map(one => one.querySelectorAll('.dot').length)),
      wanted.map(one => one.count),
    )
    // The link has it; a dot is selected in the timeline of its profile.
    await until(
      'the address',
      () => /tab=latency/.test(page.url()) && /op=gemm_up/.test(page.url()),
    )
    await page.reload()
    await grid.waitFor()
    assert.deepEqual(await shown(), told)
    await sections.nth(1).locator('.dot').first().focus()
    await page.keyboard.press('Enter')
    await sections.nth(1).locator('.dot.current').waitFor({ state: 'attached' })
    assert.equal(await sections.nth(0).locator('.dot.current').count(), 0)
    const saved = page.waitForEvent('download')
    await page.locator('.diff').getByRole('button', { name: 'CSV', exact: true }).click()
    const lines = fs
      .readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map(line => line.split(','))
    assert.deepEqual(
      [0, 1, 2].map(
        i =>
          lines
            .filter(line => line[0] === 'latency-' + i + '.pt.trace.json')
            .map(line => Number(line[4]))
            .sort((x, y) => x - y)[0],
      ),
      wanted.map(one => one.min),
    )
    await shot(page, 'compare-latency')
    // What nobody has is unknown, and a word.
    await page.getByLabel('Name', { exact: true }).fill('nobody')
    await page.getByLabel('Name', { exact: true }).press('Enter')
    await page
      .locator('.diff .unknown', {
        hasText: 'no span that ended has the name nobody in these profiles',
      })
      .waitFor()
  },
)

view.test(
  'tracks that one profile alone has are listed, and devices that were not compared',
  async () => {
    const kernel = device => ({
        ph: 'X',
        cat: 'kernel',
        name: 'gemm',
        pid: device,
        tid: 7,
        ts: 10,
        dur: 300,
        args: { device, stream: 7 },
      }),
      one = devices => ({
        schemaVersion: 1,
        deviceProperties: devices.map(id => ({ id, name: 'NVIDIA H100' })),
        traceEvents: devices.map(kernel),
      })
    const [base, next] = (
      await Promise.all([
        view.add(put('two.pt.trace.json', one([0, 1]))),
        view.add(put('one.pt.trace.json', one([0]))),
      ])
    ).map(url => url.split('/').pop())
    const page = await open(view.server.base + '/compare?a=' + base + '&b=' + next + '&tab=facts'),
      tracks = page.getByRole('grid', { name: 'Tracks without a counterpart' })
    await tracks.waitFor()
    assert.deepEqual(
      await tracks
        .locator('tbody tr')
        .evaluateAll(rows => rows.map(row => [...row.cells].map(cell => cell.textContent.trim()))),
      [['GPU 1 › stream 7', '1', '–']],
    )
    await page
      .locator('.diff .note', { hasText: /^Not compared: GPU 1, only in the base profile\.$/ })
      .waitFor()
  },
)

view.test(
  'in a low window the lanes of both have room for rows, and the table stands below',
  async () => {
    const [a, b] = await Promise.all(
        [SYNTHETIC, sample('node-workload.trace.json')].map(async file =>
          (await view.add(file)).split('/').at(-1),
        ),
      ),
      page = await open(view.server.base + '/compare?a=' + a + '&b=' + b, {
        viewport: { width: 1440, height: 720 },
      })
    await page.locator('.compare-lane .timeline .row').first().waitFor()
    for (const lane of await page.locator('.compare-lane .timeline .over').all())
      assert.ok((await lane.boundingBox()).height > 100)
    // What is compared puts the tabs anew as it comes.
    const tabs = page.locator('.diff .tabs')
    await until('the tabs', async () => {
      await scrollTo(tabs)
      return (await tabs.boundingBox())?.y < 700
    })
  },
)

view.test('what is compared is chosen on the page: another base, one more, one less', async () => {
  const ids = [
    ...(await Promise.all(
      ['stepped.xplane.pb', 'traced.xplane.pb'].map((name, i) =>
        view.add(made(name, 'view/fixtures.py', ['mark-step', 'simple'][i])),
      ),
    )),
    view.url,
  ].map(url => url.split('/').pop())
  const page = await open(view.server.base + '/compare?a=' + ids[0] + '&b=' + ids[1]),
    compared = () => new URL(page.url()).searchParams
  await page.locator('.diff .grid tbody tr').first().waitFor()
  await page.getByLabel('Compare one more').selectOption(ids[2])
  await page.waitForURL(/b=.*b=/)
  assert.deepEqual(compared().getAll('b'), [ids[1], ids[2]])
  await until('three', async () => (await page.locator('.compare-lane').count()) === 3)
  // However wide its table is, what stands above it is in sight.
  await page.locator('.diff .grid tbody tr').first().waitFor()
  await page.setViewportSize({ width: 1024, height: 700 })
  await page
    .locator('.diff .grid tbody td')
    .first()
    .evaluate(cell => {
      cell.parentElement.append(...Array.from({ length: 20 }, () => cell.cloneNode(true)))
    })
  for (const lane of await page.locator('.compare-lane').all()) {
    const box = await lane.boundingBox()
    assert.ok(box.x + box.width <= 1024)
  }
  await page.getByLabel('new 1').selectOption('leave out')
  await until('two', () => String(compared().getAll('b')) === ids[2])
  await page.locator('.compare-lane .row').first().waitFor()
  await page.getByLabel('base', { exact: true }).selectOption(ids[1])
  await until('another base', () => compared().get('a') === ids[1])
  await page.locator('.compare-lane .row').first().waitFor()
  await page.getByRole('button', { name: 'Exchange base and new' }).click()
  await until(
    'the other way',
    () => compared().get('a') === ids[2] && compared().get('b') === ids[1],
  )
})

view.test(
  'Compare says that its server has ended and goes on with the next, and what became of its profiles; the link keeps orders and facts',
  async () => {
    const store = path.join(folder, 'compare-store'),
      files = ['one', 'two'].map((name, i) =>
        put('compared-' + name + '.pt.trace.json', torchTrace(4 + i, 12)),
      )
    for (const file of files) await nprof('view', '--store', store, '--ingest-only', '-q', file)
    const first = await serve([], store),
      { profiles } = await (await fetch(first.base + '/api/v1/profiles')).json(),
      [a, b] = files.map(file => profiles.find(one => one.name === path.basename(file)).bucket)
    const page = await open(first.base + '/compare?a=' + a + '&b=' + b, {}),
      banner = page.locator('.banner'),
      rows = page.locator('.diff .grid tbody tr')
    await rows.first().waitFor()
    await until(
      'an ask',
      async () => await page.waitForResponse(answer => answer.url().includes('/changes?')),
    )
    assert.equal(await banner.count(), 0)
    await first.end()
    await banner.filter({ hasText: 'The server has ended. What is on this page stays' }).waitFor()
    await shot(page, 'compare-ended')
    assert.ok((await rows.count()) > 0)
    // What is asked meanwhile fails, and is asked again by itself.
    await page.getByLabel('Rows by').selectOption('operator')
    await page.locator('.diff .unknown', { hasText: 'The server does not answer' }).waitFor()
    const second = await serve([], store, { at: first.port })
    try {
      await banner.waitFor({ state: 'detached' })
      await rows.first().waitFor()
      await page.getByRole('tab', { name: 'steps', exact: true }).click()
      const steps = page.getByRole('grid', { name: 'Steps beside each other' }),
        order = () =>
          steps
            .locator('th[aria-sort=ascending], th[aria-sort=descending]')
            .evaluateAll(all => all.map(head => head.getAttribute('aria-sort') + head.textContent))
      await steps.getByRole('columnheader').nth(1).getByRole('button').click()
      await until('the order', async () => (await order()).length === 1)
      await page.getByRole('tab', { name: 'facts', exact: true }).click()
      await page.getByLabel('also what is the same').check()
      await until('the address', () => /sort2=/.test(page.url()) && /facts=all/.test(page.url()))
      const other = await open(page.url(), {})
      await other.getByLabel('also what is the same').waitFor()
      assert.ok(await other.getByLabel('also what is the same').isChecked())
      await page.getByRole('tab', { name: 'steps', exact: true }).click()
      const kept = await order()
      await other.getByRole('tab', { name: 'steps', exact: true }).click()
      const otherSteps = other.getByRole('grid', { name: 'Steps beside each other' })
      await otherSteps.locator('tbody tr').first().waitFor()
      assert.deepEqual(
        await otherSteps
          .locator('th[aria-sort=ascending], th[aria-sort=descending]')
          .evaluateAll(all => all.map(head => head.getAttribute('aria-sort') + head.textContent)),
        kept,
      )
      // By its name, as there are two.
      await nprof('view', '--store', store, '--ingest-only', '-q', '--force', files[0])
      await banner
        .filter({ hasText: 'compared-one.pt.trace.json was read again since it was opened here.' })
        .waitFor()
      await banner.getByRole('button', { name: 'Show it as it is now' }).click()
      await page.locator('.compare-lane .row').first().waitFor()
      await until(
        'none',
        async () =>
          (await banner.count()) === 0 &&
          (await page
            .getByRole('grid', { name: 'Steps beside each other' })
            .locator('tbody tr')
            .count()) > 0,
      )
      await nprof('profiles', '--store', store, 'rm', b)
      await banner
        .filter({
          hasText:
            'compared-two.pt.trace.json is not on the server any more. What is on this page stays.',
        })
        .waitFor()
      assert.ok((await page.locator('.compare-lane .row').count()) > 0)
      await shot(page, 'compare-gone')
      await banner.getByRole('link', { name: 'All profiles' }).click()
      await page.getByRole('grid', { name: 'Profiles' }).waitFor()
      page.problems.length = 0
    } finally {
      await second.end()
    }
  },
)

// Each size and each set of colours once: contrasts are those of the colours, what is cut or covered is so by the size.
for (const look of [LOOKS[1], LOOKS[2]]) {
  const name = look.colorScheme + ' ' + look.viewport.width
  view.test(
    'no built-in layout cuts a text, covers one or has an empty widget, and axe finds nothing in any: ' +
      name,
    async () => {
      const page = await openProfile(view.url, look),
        rules = look.colorScheme === 'dark' ? OF_COLOURS : undefined
      for (const one of LAYOUTS) {
        await layout(page, one)
        assert.deepEqual(
          [...(await looksOf(page)), ...(await axeOf(page, '.widget:not(.lm-mod-hidden)', rules))],
          [],
          one,
        )
        await shot(page, 'layout-' + one + ' ' + name)
      }
    },
  )
}

view.test('a trace of a CPU alone opens with every figure unknown and its reason', async () => {
  const page = await openProfile(await view.add(sample('node-workload.trace.json')))
  for (const figure of await page.locator('.figure').all())
    assert.match(await figure.textContent(), /unknown\s*\S+ \S+|\d/)
})

view.test(
  'what to do first is whole beside a sentence, and long names leave room beside a chart',
  async () => {
    const long = name => name + '_of_another_machine'.repeat(20),
      other = torchTrace(5, 12, long),
      without = torchTrace(5, 12, long)
    for (const trace of [other, without]) trace.deviceProperties[0].name = 'NVIDIA A100'
    // Without steps there are no parts of one.
    without.traceEvents = without.traceEvents.filter(one => !/^ProfilerStep/.test(one.name))
    const [base, ...next] = (
      await Promise.all(
        [torchTrace(5, 12), other, without].map((trace, i) =>
          view.add(put('advised-' + i + '.pt.trace.json', trace)),
        ),
      )
    ).map(url => url.split('/').pop())
    for (const [i, id] of next.entries()) {
      const page = await open(view.server.base + '/compare?a=' + base + '&b=' + id, AGAIN)
      await page.locator('.diff .grid tbody tr').first().waitFor()
      assert.equal(await page.locator('.fall').count(), 1 - i)
      const advice = page.getByRole('complementary', { name: 'What to do first' })
      const [room, height, second] = await advice.evaluate(box => [
        box.clientHeight,
        box.scrollHeight,
        box.querySelectorAll('h3')[1].getBoundingClientRect().top - box.getBoundingClientRect().top,
      ])
      assert.ok(second < room, `the second begins at ${second} of ${room}`)
      if (i) assert.equal(room, height)
    }
  },
)
