// SPDX-License-Identifier: Apache-2.0
// The head of a profile: its verdict is that of `nprof report`, to the letter, the parts of a step add up, and what to
// try is there before anybody clicks.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {
  SYNTHETIC,
  ask,
  figureOf,
  folder,
  made,
  nprof,
  open,
  openProfile,
  openTab,
  put,
  rest,
  sample,
  suite,
  until,
  windowOf,
} from './harness.mjs'
import { torchTrace } from './torch.mjs'

const view = suite([SYNTHETIC])
const flat = text => text.replace(/\s+/g, ' ').trim()

/** The verdict of a report: what stands between its title and the first line with a head. */
const verdictOf = text => flat(/^Summary.*\n((?:\S.*\n)(?:\S.*\n)*)/m.exec(text)[1])

/** Columns of a table of a report in JSON, as objects. */
async function rowsOf(name, ...files) {
  const table = JSON.parse(
    await nprof('report', '--only', name, '--format', 'json', '--top', '0', '-q', ...files),
  ).tables.find(one => one.name === name)
  return table.rows.map(row =>
    Object.fromEntries(table.columns.map((column, i) => [column, row[i]])),
  )
}

const PROFILES = {
  'of a TPU': () => [SYNTHETIC],
  'of a GPU': () => [put('verdict.pt.trace.json', torchTrace(4, 20))],
  'of a processor alone': () => [sample('node-workload.trace.json')],
}
for (const [name, filesOf] of Object.entries(PROFILES)) {
  view.test('the verdict is the first line of the report, to the letter: ' + name, async () => {
    const files = filesOf(),
      page = await openProfile(await view.add(...files))
    assert.equal(
      flat(await page.locator('.verdict h1').textContent()),
      verdictOf(await nprof('report', '-q', ...files)),
    )
    assert.equal(await page.locator('h1').count(), 1)
    // A figure and its unit stay on one line.
    assert.doesNotMatch(await page.locator('.verdict h1').textContent(), /\d (?:%|[num]?s\b)/)
  })
}

view.test(
  'times by the clock of a device are called so, beside those of the timeline',
  async () => {
    const page = await openProfile(view.url)
    await page.locator('.widget-operators tbody tr').first().waitFor()
    const heads = async () => {
      const all = await page.locator('.widget-operators thead th').allTextContents()
      return all.map(one => one.trim()).filter(one => /^(self|total|mean)/.test(one))
    }
    for (const one of await heads()) assert.match(one, /^(self|total|mean), device clock/)
    // A row that took longer by the timeline than by its device, as rows that were moved there do.
    await page.route(/\/e\?/, async route => {
      const answer = await route.fetch(),
        event = await answer.json(),
        own = event.attributes.find(one => one.key === 'device_duration')
      if (own) event.duration = String(2n * BigInt(own.value))
      await route.fulfill({ response: answer, json: event })
    })
    await page.locator('.widget-operators tbody tr').first().click()
    await page.locator('.big-figures').getByText('by the device clock').waitFor()
    await page.locator('.big-figures').getByText('on the timeline').waitFor()
    await openTab(page, 'Flame')
    await page.locator('.widget-flame .note', { hasText: 'Times of the timeline' }).waitFor()
    const other = await openProfile(
      await view.add(put('no-clock.pt.trace.json', torchTrace(4, 20))),
      {},
    )
    await other.locator('.widget-operators tbody tr').first().waitFor()
    assert.equal(await other.getByText('device clock').count(), 0)
  },
)

/** Kernels and collectives in turn, without steps: periods as long as they are given, in us. */
const periodsTrace = lengths => {
  let at = 0
  const row = (name, ts, dur) => ({
    ph: 'X',
    cat: 'kernel',
    name,
    ts,
    dur,
    pid: 0,
    tid: 7,
    args: { device: 0, stream: 7 },
  })
  return {
    traceEvents: lengths.flatMap(length => {
      const begin = at
      at += length
      return [
        row('gemm', begin, 500),
        row('ncclDevKernel_AllReduce_Sum_f32_RING_LL', begin + 500, length - 600),
      ]
    }),
  }
}
const longerAndLonger = first => Array.from({ length: 30 }, (_, i) => first + (i % 7))

/** Six steps of serving, each of 30 small kernels that are launched one by one. */
const servingTrace = () => {
  const row = (cat, name, pid, tid, ts, dur, args = {}) => ({
    ph: 'X',
    cat,
    name,
    pid,
    tid,
    ts,
    dur,
    args,
  })
  return {
    traceEvents: [0, 1, 2, 3, 4, 5].flatMap(step => {
      const at = 1000 + 610 * step,
        name = 'decode[bs=4 tok=4]'
      return [
        row('user_annotation', name, 9, 9, at, 610),
        row('gpu_user_annotation', name, 0, 7, at + 10, 600),
        ...Array.from({ length: 30 }, (_, i) => i).flatMap(i => {
          const correlation = 1 + 30 * step + i
          return [
            row('cpu_op', 'aten::mm', 9, 9, at + i, 0.9),
            row('cuda_runtime', 'cudaLaunchKernel', 9, 9, at + i + 0.2, 0.3, { correlation }),
            row('kernel', 'sm80_xmma_gemm_f16', 0, 7, at + 10 + 20 * i, 20, {
              device: 0,
              stream: 7,
              correlation,
            }),
          ]
        }),
      ]
    }),
  }
}

/** What is said of each window while n is pressed, and its times in ns, which Details has. */
async function stepped(page, count, word) {
  const seen = [],
    said = page.locator('[data-say]').first()
  for (let i = 1; i <= count; i++) {
    await page.keyboard.press('n')
    await said.filter({ hasText: `${word} ${i}, ${i} of ` }).waitFor({ state: 'attached' })
    await page
      .locator('.widget-details h2', { hasText: new RegExp(`^${word} ${i}$`, 'i') })
      .waitFor()
    const fields = await page.locator('.widget-details dd').allTextContents(),
      times = fields.map(one => Number(/^([\d,.]+) ns/.exec(one)?.[1].replaceAll(',', '')))
    seen.push({ start: times[0], end: times[1], said: await said.textContent() })
  }
  return seen
}

view.test('n and N go from period to period where the file states no steps', async () => {
  const lengths = longerAndLonger(900),
    page = await openProfile(await view.add(put('periods.json', periodsTrace(lengths)))),
    seen = await stepped(page, 4, 'period')
  for (const [i, { start, end }] of seen.entries()) {
    assert.ok(
      lengths.some(one => one * 1000 === end - start),
      `${start} to ${end}`,
    )
    if (i) assert.equal(start, seen[i - 1].end)
  }
  // One word for it, wherever it stands.
  assert.match(await page.locator('.scope-chip').textContent(), /^Period 4 /)
  await page
    .locator('.zero option', { hasText: /^start of period 4$/ })
    .waitFor({ state: 'attached' })
  await page.keyboard.press('Shift+N')
  await page
    .locator('[data-say]')
    .filter({ hasText: 'period 3, 3 of ' })
    .first()
    .waitFor({ state: 'attached' })
})

view.test('of several inputs n goes through the periods that the verdict is of', async () => {
  const files = [900, 1300].map((first, i) =>
      put(`in${i}.json`, periodsTrace(longerAndLonger(first))),
    ),
    page = await openProfile(await view.add(...files)),
    seen = await stepped(page, 4, 'period'),
    base = page.url().replace(/\/profile\/(\w+).*/, '/api/v1/p/$1'),
    { gen } = await (await fetch(base)).json(),
    { screen } = await (await fetch(`${base}/${gen}/profile`)).json()
  for (const { start, end, said } of seen) {
    assert.equal(said, `${said.split(',')[0]}, ${said.match(/\d+/)[0]} of ${screen.window.windows}`)
    assert.ok(Math.abs((end - start) * 1000 - Number(screen.window.mean)) < 10e6, said)
  }
})

view.test('windows of serving are steps, in the word of the verdict', async () => {
  const page = await openProfile(await view.add(put('phase.json', servingTrace())))
  await page.locator('.step-stack .of', { hasText: /^A step/ }).waitFor()
  await stepped(page, 2, 'step')
  assert.match(await page.locator('.scope-chip').textContent(), /^Step 2 /)
  await page
    .locator('.zero option', { hasText: /^start of step 2$/ })
    .waitFor({ state: 'attached' })
})

view.test('a question for windows that failed is no file without steps', async () => {
  const page = await openProfile(
    await view.add(put('failed.json', periodsTrace(longerAndLonger(1700)))),
  )
  await page.route(/verdict_windows/, route =>
    route.fulfill({ status: 500, json: { error: { text: 'The disk is full.' } } }),
  )
  await page.keyboard.press('n')
  await page
    .locator('[data-say]')
    .filter({ hasText: 'The disk is full.' })
    .first()
    .waitFor({ state: 'attached' })
})

view.test('a saved page goes through the windows of the verdict', async () => {
  const input = put('say "periods".json', periodsTrace(longerAndLonger(1700))),
    saved = path.join(folder, 'periods.html'),
    store = path.join(folder, 'periods')
  await nprof('view', '-q', '--store', store, '-o', saved, input)
  const file = await open('file://' + saved, {
    before: one => {
      one.origin = 'file://' + saved
    },
  })
  await file.locator('.timeline .row').first().waitFor()
  await file.keyboard.press('n')
  await file
    .locator('[data-say]')
    .filter({ hasText: /^period 1, 1 of [1-9]/ })
    .first()
    .waitFor({ state: 'attached' })
})

view.test('a sentence that is said for a while covers nothing of the verdict', async () => {
  const page = await openProfile(view.url)
  for (const width of [1440, 1024, 600]) {
    await page.setViewportSize({ width, height: 900 })
    await page.keyboard.press('n')
    const status = await page.locator('#status').filter({ hasText: 'of 4' }).boundingBox(),
      verdict = await page.locator('section.verdict').boundingBox()
    assert.ok(
      status.y >= verdict.y + verdict.height,
      `at ${width}: it lies at ${status.y}, and the verdict ends at ${verdict.y + verdict.height}`,
    )
    await page.keyboard.press('Escape')
  }
})

view.test(
  'the parts of a step are those of table verdict_parts, add up to its mean, and fill the bar',
  async () => {
    const file = put('parts.pt.trace.json', torchTrace(4, 20)),
      page = await openProfile(await view.add(file))
    const [verdict] = await rowsOf('verdict', file),
      rows = await rowsOf('verdict_parts', file),
      windows = BigInt(verdict.windows)
    const sums = new Map()
    for (const { part, duration_ps: time } of rows)
      if (Number(time) > 0) sums.set(part, (sums.get(part) ?? 0n) + BigInt(time))
    const { screen } = await page.evaluate(async () => {
      const id = location.pathname.split('/')[2],
        headers = { 'X-Nprof-Token': document.querySelector('meta[name=nprof-token]').content }
      const { gen } = await (await fetch('/api/v1/p/' + id, { headers })).json()
      return (await fetch('/api/v1/p/' + id + '/' + gen + '/profile', { headers })).json()
    })
    const { parts, mean } = screen.window
    assert.deepEqual(
      parts.map(one => one.part),
      [...sums.keys()],
    )
    assert.equal(
      parts.reduce((sum, one) => sum + BigInt(one.time), 0n),
      BigInt(mean),
    )
    for (const { part, time } of parts)
      assert.ok((BigInt(time) * windows - sums.get(part)) ** 2n <= windows ** 2n, part)
    const bar = await page.locator('.part-bar').boundingBox(),
      boxes = await page
        .locator('.part-bar .part')
        .evaluateAll(all => all.map(one => one.getBoundingClientRect().width))
    assert.ok(boxes.length >= 2 && boxes.length <= 6)
    assert.ok(Math.abs(boxes.reduce((sum, one) => sum + one, 0) + boxes.length - 1 - bar.width) < 1)
    // The widest is the longest, and as wide as its share.
    const most = parts.reduce((best, one) => (BigInt(one.time) > BigInt(best.time) ? one : best)),
      widest = Math.max(...boxes)
    assert.ok(
      Math.abs(widest / bar.width - Number(most.time) / Number(mean)) < 0.02,
      widest + ' of ' + bar.width,
    )
  },
)

view.test(
  'what to try, and what it brings, is in sight as a profile is opened: rows with a gain of table findings',
  async () => {
    const file = put('fix.pt.trace.json', torchTrace(4, 20)),
      page = await openProfile(await view.add(file))
    const wanted = (await rowsOf('findings', file)).filter(one => one.answer === 'gain')
    assert.ok(wanted.length > 0)
    const said = name => page.locator('.advice', { has: page.locator(`dt:text-is("${name}")`) }),
      shown = await said('Gain').allTextContents()
    assert.equal(shown.length, wanted.length)
    assert.equal(await said('Try').count(), await page.locator('.advice').count())
    wanted.forEach((one, i) => {
      const condition = one.condition.replaceAll('{other}', one.other)
      assert.ok(flat(shown[i]).includes('Try' + one.advice), shown[i])
      const sure = one.certainty === 'upper_bound' ? 'at most' : 'or more'
      assert.match(flat(shown[i]), new RegExp('Gain\\d+(\\.\\d+)?x ' + sure + ', '))
      assert.ok(flat(shown[i]).includes('x ' + sure + ', ' + condition), shown[i])
    })
    assert.ok(await page.locator('.advice').first().isVisible())
  },
)

view.test(
  'a part of the bar shows its longest gap, or the tab of what ran; what is selected leads back to what to do',
  async () => {
    const page = await openProfile(view.url),
      whole = await windowOf(page)
    await page.locator('.part.communication').first().click()
    await page.locator('.widget-collectives:not(.lm-mod-hidden)').waitFor()
    await page.locator('.part.idle').first().click()
    await page.locator('.widget-details h2', { hasText: /^Idle/ }).waitFor()
    await until(
      'the gap',
      async () =>
        (await windowOf(page)).t1 - (await windowOf(page)).t0 < (whole.t1 - whole.t0) / 4n,
    )
    await page.getByRole('button', { name: 'Findings', exact: true }).click()
    await page.locator('.advice').first().waitFor()
    await page.locator('.part.compute').first().click()
    await page.locator('.widget-operators:not(.lm-mod-hidden)').waitFor()
  },
)

view.test('names within the verdict and its advice stay text', async () => {
  const bad = '<img src=x onerror=document.title="bad">: <b>use it</b>'
  const trace = torchTrace(4, 20)
  for (const event of trace.traceEvents) if (/^aten::/.test(event.name)) event.name = bad
  const page = await openProfile(await view.add(put('bad.pt.trace.json', trace)))
  assert.ok((await page.locator('main, .verdict').allTextContents()).join().includes(bad))
  assert.equal(
    await page.locator('.verdict img, .widget-details img, .widget-details b b').count(),
    0,
  )
  assert.notEqual(await page.title(), 'bad')
  // A colon of a name parts no sentence.
  for (const text of await page.locator('.advice dt:text-is("Try") + dd').allTextContents())
    assert.ok(!text.includes('<b>'), text)
})

/** Words in sight or a scroll away, and what can be pressed, as a profile is opened; what only takes the focus, such as the lanes, is no control. */
const counted = page =>
  page.evaluate(() => ({
    words: document.body.innerText.split(/\s+/).filter(Boolean).length,
    controls: [
      ...document.querySelectorAll(
        'a[href], button, input, select, summary, [role=tab], .why[tabindex]',
      ),
    ].filter(
      one =>
        one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        one.getBoundingClientRect().width > 0,
    ).length,
  }))

const MOST = { words: 600, controls: 45 }
const public_ = name => process.env.NPROF_TEST_DATA && path.join(process.env.NPROF_TEST_DATA, name)
const OPENED = {
  'a made trace of PyTorch': () => [put('opened.pt.trace.json', torchTrace(6, 48))],
  'a made sample of a TPU': () => [SYNTHETIC],
  'an NTFF': () => {
    const file = made('opened-ntff', 'tools/ntff_make.py', '--outside')
    return [path.join(file, 'synthetic_1.ntff')]
  },
  'a database of Nsight Systems': () => {
    const file = path.join(folder, 'opened.sqlite'),
      make = "import sys, nsys_make as m; m.nsys(sys.argv[1], '3.25.0', m.Made(1))"
    execFileSync('python3', ['-B', '-c', make, file], {
      env: { ...process.env, PYTHONPATH: path.join(process.env.NPROF_SOURCE, 'tests/tools') },
    })
    return [file]
  },
  'a public trace of PyTorch with NCCL': () => [
    public_('json/hta_nccl_parser_config_nccl_data.json.gz'),
  ],
  'a public trace of a TPU': () => [public_('xplane/tpu_v6e_inference.xplane.pb')],
  'a public trace of GPUs by JAX': () => [public_('xplane/gpu_mi300_jax08_attention.xplane.pb')],
  'a public trace of GPUs by TensorFlow': () => [public_('xplane/gpu_v100_tf23.xplane.pb')],
  'a public profile of two ranks of Ascend': () => {
    const packed = path.join(process.env.NPROF_TEST_FILES, 'ascend', 'text_level1.tar.xz')
    execFileSync('tar', ['-xJf', packed, '-C', folder])
    return [path.join(folder, 'text', 'level1')]
  },
}
for (const [name, filesOf] of Object.entries(OPENED)) {
  const needs = /Ascend/.test(name) ? 'NPROF_TEST_FILES' : 'NPROF_TEST_DATA'
  const skip = /public/.test(name) && !process.env[needs] && needs + ' names no public profiles'
  view.test(
    'no more than 600 words and 45 controls are there as a profile is opened: ' + name,
    async () => {
      const page = await openProfile(await view.add(...filesOf()), { brief: true })
      await page.locator('.widget-operators :is(tbody tr, .unknown)').first().waitFor()
      const { words, controls } = await counted(page)
      assert.ok(
        words <= MOST.words && controls <= MOST.controls,
        JSON.stringify({ words, controls }),
      )
    },
    skip,
  )
}

view.test(
  'the whole table, with its filter, levels and commands, is a click away, and so is the short one',
  async () => {
    const page = await openProfile(view.url, { brief: true }),
      widget = page.locator('.widget-operators'),
      rows = widget.locator('tbody tr'),
      heads = () => widget.locator('th').count()
    await rows.first().waitFor()
    const [brief, columns] = [await rows.count(), await heads()]
    const names = (await rowsOf('operators', SYNTHETIC))
      .filter(one => one.level === 'hlo')
      .map(one => one.operator)
    assert.equal(brief, Math.min(12, new Set(names).size))
    await widget
      .getByRole('button', { name: /^All \d+ rows, \d+ columns more, filter and levels$/ })
      .click()
    await until('all rows', async () => (await rows.count()) > brief)
    assert.ok((await heads()) > columns)
    await widget.getByLabel('Filter operators').waitFor()
    await widget.getByRole('button', { name: 'Brief' }).click()
    await until('the first rows', async () => (await rows.count()) === brief)
  },
)

view.test(
  'a finding says what it takes of a mean step; Why unfolds its rule, its exact time and the manual',
  async () => {
    const file = put('fix.pt.trace.json', torchTrace(4, 20)),
      page = await openProfile(await view.add(file)),
      { windows, window_ps } = (await rowsOf('verdict', file))[0],
      [first] = (await rowsOf('findings', file)).filter(one => one.answer === 'gain')
    const mean = ps => (Number(ps) / Number(windows) / 1e9).toPrecision(3) + ' ms',
      advice = page.locator('.advice').first()
    assert.equal(
      flat(await advice.locator('.stake').innerText()),
      `${mean(first.stake_ps)} of ${mean(window_ps)} a step`,
    )
    assert.equal(await advice.locator('.because').isVisible(), false)
    await advice.getByText('Why', { exact: true }).click()
    const why = flat(await advice.locator('.because').innerText())
    assert.match(why, /^rule 1.02 times faster or more time [\d,.]+ ns manual /)
    assert.ok(why.replaceAll(',', '').includes(' ' + Number(first.stake_ps) / 1000 + ' ns'), why)
    assert.match(why, /nprof answers gain, nprof-answers\(1\)$/)
  },
)

view.test('operators as they are first shown are a row each, over all devices', async () => {
  // Device 0 runs `both` for 3 x 100 us and `own` for 50, device 1 runs `both` for 2 x 200 us.
  const kernel = (device, name, ts, dur) => ({
    ph: 'X',
    cat: 'kernel',
    name,
    pid: device,
    tid: 7,
    ts,
    dur,
    args: { device, stream: 7 },
  })
  const file = put('two-devices.json', {
      traceEvents: [
        ...[0, 200, 400].map(ts => kernel(0, 'both', ts, 100)),
        kernel(0, 'own', 600, 50),
        ...[0, 300].map(ts => kernel(1, 'both', ts, 200)),
      ],
    }),
    page = await openProfile(await view.add(file), { brief: true }),
    widget = page.locator('.widget-operators')
  await widget.locator('tbody tr').first().waitFor()
  const cells = async () =>
    (await widget.locator('tbody tr').allInnerTexts()).map(one => one.replace(/\s+/g, ' ').trim())
  // 700 us of 750 in all; a mean of 700 us over 5 calls.
  assert.deepEqual(await cells(), [
    'both 5 700 us 93.3 % all 2 140 us',
    'own 1 50.0 us 6.7 % GPU 0 50.0 us',
  ])
})

view.test('a row over all devices has those of each, however many rows these are', async () => {
  // 30 devices run 30 kernels each: more rows than are asked for at first.
  const counts = Array.from({ length: 30 }, (_, i) => i),
    traceEvents = counts.flatMap(device =>
      counts.map(i => ({
        ph: 'X',
        cat: 'kernel',
        name: 'kernel_' + i,
        pid: device,
        tid: 7,
        ts: 200 * i,
        dur: 100 + i,
        args: { device, stream: 7 },
      })),
    ),
    page = await openProfile(await view.add(put('many-devices.json', { traceEvents })), {
      brief: true,
    }),
    widget = page.locator('.widget-operators'),
    sum = counts.reduce((all, i) => all + 100 + i, 0)
  const row = widget.locator('tbody tr').first()
  const wanted = `kernel_29 30 ${(129 * 30) / 1000} ms ${((129 / sum) * 100).toFixed(1)} % 129 us`
  await until(wanted, async () => (await row.innerText()).replace(/\s+/g, ' ').trim() === wanted)
  await widget.getByRole('button', { name: /^All 900 rows, / }).waitFor()
})

view.test('a profile opens where its devices worked', async () => {
  // The host begins 10 s before the first of 3 kernels, which end 900 us behind it.
  const kernel = ts => ({
    ph: 'X',
    cat: 'kernel',
    name: 'k',
    pid: 0,
    tid: 7,
    ts,
    dur: 100,
    args: { device: 0, stream: 7 },
  })
  const host = { ph: 'X', cat: 'cpu_op', name: 'wait', pid: 9, tid: 9, ts: 0, dur: 10000000 }
  const file = put('late-work.json', {
      traceEvents: [host, ...[9000000, 9000400, 9000800].map(kernel)],
    }),
    page = await openProfile(await view.add(file)),
    { t0, t1 } = await windowOf(page)
  assert.ok(t0 > 8999000000000n && t0 <= 9000000000000n, String(t0))
  assert.ok(t1 >= 9000900000000n && t1 < 9002000000000n, String(t1))
  // Tables are of the run, and a key shows all of it.
  assert.match(await page.locator('.scope-chip').innerText(), /^Whole run/)
  await page.keyboard.press('0')
  await until('the whole run', async () => (await windowOf(page)).t0 <= 0n)
})

// Two gaps of 900 us: a batch is loaded for 800 us, 400 us of it within `decode`; the profiler's own span is around all.
const waiting = (around = []) => {
  const span = (cat, name, ts, dur, tid, args = {}) => ({
    ph: 'X',
    cat,
    name,
    pid: cat === 'kernel' ? 0 : 9,
    tid,
    ts,
    dur,
    args,
  })
  return {
    deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
    traceEvents: [
      span('Trace', 'PyTorch Profiler (0)', 0, 3000, 'PyTorch Profiler'),
      ...around.map(([name, ts, dur]) => span('cpu_op', name, ts, dur, 2)),
      ...[0, 1000, 2000].flatMap((ts, i) => [
        span('cuda_runtime', 'cudaLaunchKernel', ts + 10, 5, 1, { correlation: i + 1 }),
        span('kernel', 'kernel_' + i, ts + 20, 100, 7, {
          device: 0,
          stream: 7,
          correlation: i + 1,
        }),
        span('python_function', 'model/data.py(3): load_batch', ts + 150, 800, 1),
        span('python_function', 'torch/utils/data/_utils/fetch.py(51): fetch', ts + 151, 790, 1),
        span('cpu_op', 'decode', ts + 350, 400, 1),
      ]),
    ],
  }
}

view.test(
  'idle time says what the host did meanwhile, what ended it, and which gaps are like it',
  async () => {
    const page = await openProfile(await view.add(put('waiting.pt.trace.json', waiting()))),
      panel = page.locator('.widget-details .meanwhile'),
      list = title =>
        panel.evaluate((all, wanted) => {
          const head = [...all.querySelectorAll('h3')].find(one => one.textContent === wanted)
          return head?.nextElementSibling?.innerText.replace(/\s+/g, ' ').trim()
        }, title)
    await page.locator('.figure-list button').click()
    await page
      .locator('.widget-details h2', { hasText: /^Idle: not launched yet 89\d us/ })
      .waitFor()
    await until(
      'what the host did',
      async () =>
        (await list('What the host did meanwhile')) ===
          '400 us model/data.py(3): load_batch 1 time 400 us decode 1 time' ||
        (await list('What the host did meanwhile')) ===
          '400 us decode 1 time 400 us model/data.py(3): load_batch 1 time',
    )
    await until('what ended it', async () => /^kernel_[12]$/.test(await list('Ended by')))
    const first = await list('Ended by')
    assert.match(await list('Others like it'), /^89\d us at \d/)
    await panel.getByRole('button', { name: /^at / }).click()
    await until('the other gap', async () => {
      const now = await list('Ended by')
      return /^kernel_[12]$/.test(now) && now !== first
    })
  },
)

view.test('what several threads did in an idle gap is said to be added up', async () => {
  const page = await openProfile(
      await view.add(put('threads.pt.trace.json', waiting([['outer', 50, 2000]]))),
    ),
    panel = page.locator('.widget-details .meanwhile')
  await page.locator('.figure-list button').click()
  await panel
    .getByRole('heading', { name: 'What 2 threads of the host did meanwhile, added up' })
    .waitFor()
  // Both threads together have more time than the gap: 400 us, 400 us, and the gap of 892 us itself.
  assert.match(await panel.locator('.sums').first().innerText(), /^900 us\s+outer/)
})

const NCCL = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)'

/** Of each step 3 ms of gemm, then NCCL alone for 4 ms, 4.1 ms and so on; `hidden`: then NCCL for 5.9 ms beside gemm. */
const communicating = (hidden = false) => {
  const span = (cat, name, pid, tid, ts, dur, args = {}) => ({
    ph: 'X',
    ...{ cat, name, pid, tid, ts, dur, args },
  })
  const kernel = (name, ts, dur, stream = 7) =>
      span('kernel', name, 0, stream, ts, dur, { device: 0, stream, correlation: ts }),
    period = hidden ? 20000 : 10000
  return {
    deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
    traceEvents: [0, 1, 2, 3].flatMap(step => {
      const ts = 1000 + step * period
      return [
        span('user_annotation', 'ProfilerStep#' + step, 9, 1, ts - 20, period - 10),
        ...(hidden ? [kernel('gemm', ts + 9000, 6000), kernel(NCCL, ts + 9010, 5900, 20)] : []),
        kernel('gemm', ts, 3000),
        kernel(NCCL, ts + 3010, 4000 + step * 100),
        kernel('relu', ts + 7500, 1200),
      ]
    }),
  }
}

view.test(
  'Show of a finding selects the longest of its work, unless people selected something meanwhile',
  async () => {
    const page = await openProfile(await view.add(put('comm.pt.trace.json', communicating()))),
      show = page.locator('.advice', { hasText: 'communicates while nothing computes' })
    const shown = page.locator('.widget-details .event-name')
    // Texts of labels need not have come.
    const asked = page.waitForRequest(/\/s\?.*work=communication/)
    await show.getByText('Show').click()
    await asked
    await shown.filter({ hasText: 'ncclDevKernel' }).waitFor()
    await page.locator('.widget-details dd', { hasText: '4,300,000 ns' }).first().waitFor()
    await page.keyboard.press('Escape')
    let answer = () => {}
    const held = new Promise(resolve => {
      answer = resolve
    })
    await page.route(/\/latency\?/, async route => {
      await held
      await route.continue()
    })
    const late = page.waitForRequest(/\/latency\?/)
    await show.getByText('Show').click()
    await late
    await page.keyboard.press('n')
    const step = page.locator('.widget-details h2', { hasText: 'ProfilerStep#0' })
    await step.waitFor()
    const came = page.waitForResponse(/\/latency\?/)
    answer()
    await came
    await rest(page)
    assert.equal(await step.count(), 1)
    assert.equal(await shown.count(), 0)
  },
)

view.test('Show of kernels that could be one selects the longest time that they ran', async () => {
  const chain = (ts, dur) =>
      [0, 1, 2].map(i => ({
        ph: 'X',
        cat: 'kernel',
        name: 'vectorized_elementwise_kernel',
        pid: 0,
        tid: 7,
        ts: ts + i * (dur + 2),
        dur,
        args: { device: 0, stream: 7 },
      })),
    gemm = ts => ({ ...chain(ts, 50)[0], name: 'sm80_xmma_gemm_f16' }),
    longest = chain(2000, 300),
    file = put('fuse.pt.trace.json', {
      traceEvents: [
        gemm(0),
        ...chain(100, 100),
        gemm(1000),
        ...chain(1100, 100),
        gemm(1900),
        ...longest,
        gemm(4000),
      ],
    }),
    page = await openProfile(await view.add(file))
  await page.locator('.advice', { hasText: 'kernels in a row' }).getByText('Show').click()
  await page.locator('.widget-details h2', { hasText: /^Area/ }).waitFor()
  const times = (await page.locator('.widget-details dd').allTextContents())
      .map(one => /^([\d,.]+) ns/.exec(one)?.[1].replaceAll(',', ''))
      .filter(Boolean)
      .map(Number),
    last = longest[2]
  assert.deepEqual(times.slice(0, 2), [longest[0].ts * 1000, (last.ts + last.dur) * 1000])
})

view.test('Show of exposed communication selects what ran alone, not the longest', async () => {
  const page = await openProfile(await view.add(put('hidden.pt.trace.json', communicating(true))))
  await page
    .locator('.advice', { hasText: 'communicates while nothing computes' })
    .getByText('Show')
    .click()
  await page.locator('.widget-details .event-name', { hasText: 'ncclDevKernel' }).waitFor()
  await page.locator('.widget-details dd', { hasText: '4,300,000 ns' }).first().waitFor()
  await page
    .locator('#status', { hasText: 'nothing computes, 4.30 ms of 4.30 ms' })
    .waitFor({ state: 'attached' })
})

// Ten gaps of 400 us in `slow_copy` before work whose launch is not in the file, of 410 before the
// last; and one of 900 us, the longest, before work that was launched late.
const unlinked = () => {
  const span = (cat, name, pid, tid, ts, dur, args = {}) => ({
    ph: 'X',
    ...{ cat, name, pid, tid, ts, dur, args },
  })
  const kernel = (ts, args = {}) => span('kernel', 'gemm', 0, 7, ts, 200, { device: 0, ...args })
  const launch = (ts, correlation) =>
    span('cuda_runtime', 'cudaLaunchKernel', 9, 1, ts, 5, { correlation })
  const starts = Array.from({ length: 10 }, (_, i) => 1700 + i * 600 + (i === 9 ? 10 : 0))
  return {
    deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
    traceEvents: [
      launch(1, 1),
      kernel(0 + 10, { correlation: 1 }),
      launch(1095, 2),
      kernel(1110, { correlation: 2 }),
      ...starts.flatMap(ts => [kernel(ts), span('cpu_op', 'slow_copy', 9, 1, ts - 385, 380)]),
    ],
  }
}

view.test(
  'Show of idle time before unlinked work selects a gap of that cause and of no other',
  async () => {
    const file = put('unlinked.pt.trace.json', unlinked()),
      page = await openProfile(await view.add(file)),
      found = (await rowsOf('findings', file)).find(one => one.answer === 'unlinked')
    assert.deepEqual([found.device, found.name], ['GPU 0', 'slow_copy'])
    await page
      .locator('.advice', { hasText: 'before work whose launch was not recorded' })
      .getByText('Show')
      .click()
    await page
      .locator('.widget-details h2', { hasText: /^Idle: launch not recorded 410 us/ })
      .waitFor()
    await page
      .locator('#status', {
        hasText: 'the longest of 10 gaps, launch not recorded, where the CPU was in slow_copy',
      })
      .waitFor({ state: 'attached' })
  },
)

view.test(
  'Show of a finding without times selects the longest call of its name, in what it is of',
  async () => {
    const page = await openProfile(await view.add(put('named.pt.trace.json', communicating()))),
      whole = await windowOf(page)
    await page.locator('.more-advice > summary').click()
    await page
      .locator('.advice', { hasText: 'of the self time of GPU 0' })
      .first()
      .getByText('Show')
      .click()
    await page.locator('.widget-details .event-name', { hasText: 'ncclDevKernel' }).waitFor()
    await page.locator('.widget-details dd', { hasText: '4,300,000 ns' }).first().waitFor()
    const said = page.locator('#status', { hasText: 'the longest of 4 calls of ncclDevKernel' })
    await said.waitFor({ state: 'attached' })
    const { t0, t1 } = await windowOf(page)
    assert.ok(t1 - t0 < (whole.t1 - whole.t0) / 2n)
  },
)

// GPU 0 idles once, the longest; GPU 1 idles ten times for 400 us in `slow_op`, and longer, once, in `other_op`.
const devicesOfOneHost = () => {
  const span = (cat, name, pid, tid, ts, dur, args = {}) => ({
    ph: 'X',
    ...{ cat, name, pid, tid, ts, dur, args },
  })
  let id = 0
  const work = (device, ts, dur) => [
    span('cuda_runtime', 'cudaLaunchKernel', 9, 1 + device, ts - 8, 5, { correlation: ++id }),
    span('kernel', 'gemm', device, 7, ts, dur, { device, stream: 7, correlation: id }),
  ]
  const starts = Array.from({ length: 10 }, (_, i) => 1000 + i * 600)
  return {
    deviceProperties: [0, 1].map(id => ({ id, name: 'NVIDIA H100' })),
    traceEvents: [
      ...[work(0, 20, 4000), work(0, 4970, 3000), work(1, 20, 100)].flat(),
      span('cpu_op', 'other_op', 9, 2, 125, 860),
      ...starts.flatMap(ts => [
        ...work(1, ts, 200),
        span('cpu_op', 'slow_op', 9, 2, ts + 205, 385),
      ]),
      ...work(1, 7000, 200),
    ],
  }
}

view.test(
  'a finding of a device shows a gap of that device, where the host was at its place, and its row',
  async () => {
    const file = put('devices.pt.trace.json', devicesOfOneHost()),
      page = await openProfile(await view.add(file)),
      [finding] = (await rowsOf('findings', file)).filter(one => one.answer === 'gain')
    assert.deepEqual([finding.device, finding.name], ['GPU 1', 'slow_op'])
    await page.locator('.advice', { hasText: 'slow_op' }).getByText('Show').click()
    await page
      .locator('.widget-details h2', { hasText: /^Idle: not launched yet 392 us/ })
      .waitFor()
    await page.locator('.widget-details .sums dd', { hasText: 'slow_op' }).waitFor()
    await page.locator('.widget-details dd', { hasText: 'GPU 1' }).waitFor()
    // Where the host was in the gaps of the part is asked at once, and ranges must be some.
    const asked = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(one => one.name)
        .filter(name => /\/places\?/.test(name)),
    )
    assert.equal(asked.length, 1)
    const answer = await page.evaluate(route => fetch(route).then(one => one.json()), asked[0])
    assert.ok(answer.places.includes('slow_op'), String(answer.places))
    for (const wrong of ['5..1', '1', '1..2,', 'a..b'])
      assert.equal(
        await page.evaluate(
          route => fetch(route).then(one => one.status),
          asked[0].replace(/ranges=.*/, 'ranges=' + wrong),
        ),
        400,
      )
    // Of a period the verdict says how long it is: no figure beside it says that there is no step.
    assert.match(await page.locator('.step-stack .of').textContent(), /^A period/)
    await page.getByRole('button', { name: 'Findings', exact: true }).click()
    await page.locator('.figure-list dt', { hasText: 'longest idle' }).waitFor()
    assert.equal(await page.locator('.figure-list dt', { hasText: 'step median' }).count(), 0)
    // Who asks for a step is shown what the verdict uses instead: GPU 1 repeats its work every 600 us.
    const periods =
      /the file states no steps; the verdict uses (\d+) periods of work that repeats, 6\d\d us in the mean/
    await page.keyboard.press('n')
    await openTab(page, 'Steps')
    const instead = page.locator('.widget-steps .unknown', { hasText: periods })
    await instead.waitFor()
    const [, count] = periods.exec(await instead.textContent())
    await page.locator('#status', { hasText: new RegExp(`^period 1, 1 of ${count}$`) }).waitFor()
    await page.locator('.widget-details h2', { hasText: 'Period 1' }).waitFor()
  },
)

// Idle for 892 us and less till a launch, 60 us behind one, and within gaps for calls that block, allocations and input.
const manyCauses = () => {
  const span = (cat, name, pid, tid, ts, dur, args = {}) => ({
    ph: 'X',
    ...{ cat, name, pid, tid, ts, dur, args },
  })
  let id = 0
  const work = (ts, dur, { name = 'gemm', early = 8, cat = 'kernel', stream = 7 } = {}) => [
    span('cuda_runtime', 'cudaLaunchKernel', 9, 1, ts - early, 5, { correlation: ++id }),
    span(cat, name, 0, stream, ts, dur, { device: 0, stream, correlation: id }),
  ]
  return {
    deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
    traceEvents: [
      ...work(100, 1000),
      ...work(1100, 300, {
        name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL',
        early: 100,
        stream: 20,
      }),
      ...work(1400, 200, { name: 'Memcpy HtoD (Pinned -> Device)', early: 60, cat: 'gpu_memcpy' }),
      span('cpu_op', 'slow_op', 9, 1, 1605, 880),
      ...work(2500, 1000),
      span('cuda_runtime', 'cudaStreamSynchronize', 9, 1, 3000, 690),
      ...work(3700, 1000),
      span('cpu_op', 'other_op', 9, 1, 4705, 280),
      ...work(5000, 1000),
      ...work(6060, 1000, { early: 100 }),
      span('python_function', 'model/data.py(3): load_batch', 9, 1, 7062, 85),
      span('python_function', 'torch/utils/data/_utils/fetch.py(51): fetch', 9, 1, 7063, 80),
      ...work(7160, 1000),
      span('cuda_runtime', 'cudaMalloc', 9, 1, 8165, 100),
      ...work(8290, 500),
    ],
  }
}

view.test(
  'the longest idle time is a whole gap, with what each part of it waits for; so is what a click on it selects',
  async () => {
    const trace = manyCauses(),
      late = trace.traceEvents.find(one => one.ts === 2492)
    // Of 900 us, 500 are before the launch, and 400 in a launch that takes long.
    Object.assign(late, { ts: 2100, dur: 398 })
    const page = await openProfile(await view.add(put('late.pt.trace.json', trace)))
    const idle = figureOf(page, 'longest idle'),
      parts = 'not launched yet 500 us, from launch to start 400 us'
    await idle.waitFor()
    assert.match(flat(await idle.textContent()), new RegExp('^900 us at [^,]*, ' + parts + '$'))
    await idle.locator('button').click()
    await page.locator('.widget-details h2', { hasText: 'Idle: ' + parts }).waitFor()
  },
)

view.test(
  'an idle part of the bar shows the longest gap of its cause, wherever the host was; small parts together one of theirs',
  async () => {
    for (const [trace, part, shown] of [
      [devicesOfOneHost(), 'Idle: late launches', 'Idle: not launched yet 872 us'],
      [manyCauses(), 'Idle: late launches', 'Idle: not launched yet 892 us'],
      [manyCauses(), 'Idle: other causes', 'Idle: gaps in queued work 60 us'],
    ]) {
      const page = await openProfile(await view.add(put('causes.pt.trace.json', trace)))
      await page.locator('.part-names button', { hasText: part }).click()
      const head = page.locator('.widget-details h2', { hasText: /^Idle/ })
      await head.waitFor()
      assert.equal(flat(await head.textContent()).replace('60.0', '60'), shown)
    }
  },
)

view.test(
  'an area says what the device did in parts that add up to its length, as a clipped report has them',
  async () => {
    // Of the 2 ms of `outer` kernels fill 70, 100 and 30 us.
    const file = put('area.pt.trace.json', waiting([['outer', 50, 2000]])),
      page = await openProfile(await view.add(file)),
      panel = page.locator('.widget-details .meanwhile')
    await ask(page, 'name=outer')
    await page.locator('.widget-details .event-name', { hasText: 'outer' }).waitFor()
    await page.keyboard.press('r')
    await panel.locator('h3', { hasText: 'What the device did' }).waitFor()
    const titles = await panel
      .locator('.part-bar .part')
      .evaluateAll(all => all.map(one => one.title))
    assert.deepEqual(titles, ['Compute: 200,000 ns', 'Idle: 1,800,000 ns'])
    await panel.locator('dd', { hasText: 'outer 1 time' }).waitFor()
  },
)

view.test(
  'kernels have short names in lists and panels, no two alike, and the whole one is in titles, in its own place and in the search',
  async () => {
    const whole = type => `void at::native::fill<${type}>(at::native::Args<${type}>, int)`,
      alone = 'void cudnn::ops::toNhwc<float, true>(float const*, int)',
      trace = waiting()
    trace.traceEvents
      .filter(one => one.cat === 'kernel')
      .forEach((one, i) => (one.name = [whole('float'), whole('int'), alone][i]))
    const page = await openProfile(await view.add(put('short.pt.trace.json', trace))),
      cells = page.locator('.widget-operators td[data-column=operator] [title]')
    await until('short names', async () => (await cells.allTextContents()).includes('toNhwc'))
    const shown = await cells.evaluateAll(all => all.map(one => [one.title, one.textContent]))
    for (const pair of [
      [whole('float'), 'fill<float>'],
      [whole('int'), 'fill<int>'],
      [alone, 'toNhwc'],
    ])
      assert.ok(
        shown.some(one => String(one) === String(pair)),
        String(shown),
      )
    await cells.and(page.locator(`[title="${alone}"]`)).click()
    const head = page.locator('.widget-details .event-name')
    await head.and(page.getByText('toNhwc', { exact: true })).waitFor()
    assert.equal(await head.getAttribute('title'), alone)
    await page.locator('.full-name summary').click()
    await page.locator('.full-name', { hasText: alone }).waitFor()
    assert.ok((await page.getByLabel('Search the whole profile').inputValue()).includes(alone))
  },
)

view.test('a part of the bar of a step has its whole name, or none of it', async () => {
  for (const file of [SYNTHETIC, put('thin.pt.trace.json', torchTrace(4, 20))]) {
    const page = await openProfile(await view.add(file))
    const cut = await page.locator('.verdict .part-bar .part').evaluateAll(parts =>
      parts
        .filter(part => {
          const own = part.getBoundingClientRect(),
            name = part.firstElementChild.getBoundingClientRect()
          return name.top < own.bottom - 1 && name.right > own.right
        })
        .map(part => part.textContent),
    )
    assert.deepEqual(cut, [])
  }
})

view.test('a finding says its time at stake once', async () => {
  const page = await openProfile(await view.add(put('once.pt.trace.json', torchTrace(4, 20))))
  const items = await page.locator('.advice').evaluateAll(all =>
    all.map(one => ({
      title: one.querySelector('h3').textContent,
      time: one.querySelector('.stake b')?.textContent,
    })),
  )
  assert.ok(items.some(one => one.time))
  for (const { title, time } of items) assert.ok(!time || !title.includes('(' + time + ')'), title)
})

/** How long intervals last together, us. */
function unionOf(events) {
  let sum = 0,
    end = -Infinity
  for (const { ts, dur } of [...events].sort((a, b) => a.ts - b.ts)) {
    sum += Math.max(0, ts + dur - Math.max(ts, end))
    end = Math.max(end, ts + dur)
  }
  return sum
}

view.test('the mean of the strip is how busy each device was', async () => {
  const busyOf = async url => {
      const id = url.split('/').pop(),
        base = view.server.base + '/api/v1/p/' + id,
        { gen } = await (await fetch(base)).json(),
        strip = await (await fetch(base + '/' + gen + '/strip?pixels=1024')).json(),
        { tracks } = await (await fetch(base + '/' + gen + '/meta')).json()
      return tracks
        .filter(one => one.kind === 'device' && strip.busy[one.track])
        .map(one => ({
          device: one.label,
          busy: (strip.busy[one.track].reduce((a, b) => a + b, 0) / 255) * Number(strip.p),
          step: (strip.busy[one.track].length * Number(strip.p)) / 255,
        }))
    },
    same = ({ device, busy, step }, wanted) =>
      assert.ok(
        Math.abs(busy - wanted) < 0.01 * wanted + step / 2, // a column is given in 255ths
        device + ': ' + busy + ' is not ' + wanted,
      )
  // Straight from the trace.
  const trace = torchTrace(4, 20),
    [gpu, ...others] = await busyOf(await view.add(put('strip.pt.trace.json', trace)))
  assert.equal(others.length, 0)
  same(gpu, 1e6 * unionOf(trace.traceEvents.filter(one => /^(kernel|gpu_mem)/.test(one.cat))))
  const devices = await rowsOf('devices', SYNTHETIC),
    cores = await busyOf(view.url)
  assert.equal(cores.length, devices.length)
  cores.forEach((one, i) => same(one, Number(devices[i].busy_ps)))
})

view.test(
  'tables of chosen tracks have their work where a name of a track ends in a space',
  async () => {
    const trace = torchTrace(4, 20),
      kernels = trace.traceEvents.filter(one => one.cat === 'kernel' && one.tid === 7)
    trace.traceEvents.push({
      ...{ ph: 'M', name: 'thread_name', pid: 0, tid: 7 },
      args: { name: 'stream 7 ' },
    })
    const url = await view.add(put('space.pt.trace.json', trace)),
      base = view.server.base + '/api/v1/p/' + url.split('/').pop(),
      { gen } = await (await fetch(base)).json(),
      { tracks } = await (await fetch(base + '/' + gen + '/meta')).json(),
      { track } = tracks.find(one => one.label === 'stream 7 '),
      // All but the first and the last kernel lie in it.
      t0 = Math.round((kernels[1].ts - 1) * 1e6),
      t1 = Math.round((kernels.at(-1).ts - 1) * 1e6),
      query = `/operators?level=name&n=100&t0=${t0}&t1=${t1}&tracks=${track}`
    let answer
    await until('the operators', async () => {
      answer = await (await fetch(base + '/' + gen + query)).json()
      return answer.rows
    })
    const at = answer.columns.findIndex(one => one.name === 'self_ns'),
      sum = answer.rows.reduce((all, row) => all + BigInt(row[at]), 0n),
      inside = kernels
        .slice(1, -1)
        .reduce((all, one) => all + BigInt(Math.round(one.dur * 1e6)), 0n)
    assert.equal(sum, inside)
  },
)

view.test(
  'the table of gaps counts from the zero of the ruler, as its figure and panel do',
  async () => {
    const trace = waiting()
    for (const event of trace.traceEvents) event.ts += 5000
    const page = await openProfile(await view.add(put('late-zero.pt.trace.json', trace)))
    const [, at] = /at ([\d.]+ \w+),/.exec(
      await page
        .locator('.figure-list dd', { has: page.locator('button') })
        .first()
        .textContent(),
    )
    await openTab(page, 'Gaps')
    const cells = page.locator('.widget-gaps td[data-column=start_ns] span:not(.unknown)')
    await cells.first().waitFor()
    assert.ok((await cells.allTextContents()).includes(at), at)
  },
)
