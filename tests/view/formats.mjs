// SPDX-License-Identifier: Apache-2.0
// The page shows all that formats hold beside spans: Neuron's files, its timeline of operators, Furiosa's tables
// (tests 2, 14-16, 23, 25, 26, 40, 41, 43, 45, 50, 51 of the list).
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {
  AGAIN,
  SYNTHETIC,
  ask,
  causeName,
  scrollTo,
  shortTime,
  cellsAre,
  cellsOf,
  choose,
  clickEvent,
  colourAt,
  csvOf,
  fieldsOf,
  folder,
  layout,
  made,
  nprof,
  openProfile,
  openTab,
  pointOf,
  psOf,
  put,
  rowOf,
  serve,
  shot,
  sortsByEach,
  suite,
  table,
  tableOf,
  until,
  windowOf,
} from './harness.mjs'
import { torchTrace } from './torch.mjs'

const view = suite([SYNTHETIC])
const rowNames = page =>
  page
    .locator('.row .name')
    .allTextContents()
    .then(all => all.map(name => name.trim()))

/** Makes one NTFF with these options; gives its path. */
const ntff = (name, ...options) =>
  path.join(made(name, 'tools/ntff_make.py', ...options), 'synthetic_1.ntff')

/** The same of version 5, whose instructions all but for the first of each engine begin with bytes that this Python expression gives. */
function ntffOf(name, bytes) {
  const file = path.join(folder, name)
  execFileSync('python3', [
    '-B',
    '-c',
    `import sys
sys.path.insert(0, sys.argv[1] + '/tests/tools')
import ntff_make
def change(core):
    for engine, code in core.code.items():
        slots = bytearray(code)
        for at in range(64, len(slots), 64):
            begin = bytes(${bytes})
            slots[at : at + len(begin)] = begin
        core.code[engine] = bytes(slots)
open(sys.argv[2], 'wb').write(ntff_make.make(1, 5, bytes(range(16)), change=change))`,
    process.env.NPROF_SOURCE,
    file,
  ])
  return file
}

let neffs
function neff() {
  neffs ??= made('neffs', 'tools/neff-make.py')
  return path.join(neffs, 'synthetic_debug.neff')
}

/** A device profile as the Neuron tools write it. */
function device() {
  fs.mkdirSync(path.join(folder, 'tools'), { recursive: true })
  made('tools', 'tools/neuron-tools-make.py')
  return path.join(folder, 'tools', 'synthetic_device.json')
}

/** The same with what a collectives core did at its begin. */
function deviceWithCollectives() {
  const text = fs.readFileSync(device(), 'utf8'),
    [, start] = text.match(/"timestamp": "?([\d.]+)/)
  return put(
    'collectives.json',
    `{"cc_instruction": [{"start_ts": ${start}, "duration_ns": 8, "core_idx": 0}],` + text.slice(1),
  )
}

const neuron = () => made('neuron.xplane.pb', 'view/fixtures.py', 'neuron')

view.test('T2 the printed address is of this machine, and leads to the profile', async () => {
  const {
    port,
    profile: [address],
    said,
  } = view.server
  assert.match(
    said.out,
    new RegExp(
      '^View profile at http://localhost:' + port + '/profile/n_[0-9a-f]{40}\nctrl-c to exit\n$',
    ),
  )
  await openProfile(address)
})

view.test(
  'T2 T45 a NEFF and its NTFF are one profile; Summary has the tensors of the NEFF',
  async () => {
    const other = await serve(['--address', '0.0.0.0', '-n', neff(), '-s', ntff('pair')])
    try {
      assert.match(
        other.said.out,
        /^View profile at http:\/\/0\.0\.0\.0:\d+\/profile\/n_[0-9a-f]{40}\nctrl-c to exit\n/,
      )
      await until('the warning', () => /no password/.test(other.said.err))
      const page = await openProfile(
        other.base + '/profile/' + other.said.out.match(/n_[0-9a-f]{40}/)[0],
        AGAIN,
      )
      assert.match(await page.locator('.facts').textContent(), /^neff \+ ntff · /)
      await openTab(page, 'Summary')
      for (const [button, names] of [
        ['Input tensors', ['x', 'w']],
        ['Output tensors', ['y', 'z']],
      ]) {
        await openTab(page, 'Summary')
        await page.getByRole('button', { name: button }).click()
        const grid = page.getByRole('grid', { name: /^Tensors/ }).last()
        await until(button, async () => String(await cellsOf(grid, 'name')) === String(names))
      }
      await openTab(page, 'Summary')
      const none = route => route.fulfill({ json: { columns: [], rows: [] } })
      await page.route(/table\/neff_layers/, none)
      await page.getByRole('button', { name: 'Framework layers' }).click()
      await until('that there are none', async () =>
        /Framework layers: the file names none/.test(
          await page.locator('[data-say]').first().textContent(),
        ),
      )
      await page.unroute(/table\/neff_layers/, none)
      await page.getByRole('button', { name: 'Framework layers' }).click()
      const grid = page
        .getByRole('grid')
        .filter({ has: page.locator('td[data-column=layer]') })
        .last()
      await grid.locator('tbody tr').first().waitFor()
      const rows = await tableOf(neff(), 'neff_layers')
      assert.deepEqual(
        (await cellsOf(grid, 'layer')).map(text => text.trim().replace(/^–$/, '')),
        rows.map(row => row.layer).filter(Boolean),
      )
    } finally {
      await other.end()
    }
  },
)

view.test(
  'T45 layers have their start and their end, and flops are those of the report',
  async () => {
    const file = device(),
      page = await openProfile(await view.add(file)),
      layers = await table('layers', file),
      work = await table('mfu', file)
    await openTab(page, 'Summary')
    await page.getByRole('button', { name: 'Framework layers' }).click()
    await cellsAre(page.getByRole('grid', { name: 'Layers' }), layers)
    assert.ok(
      layers.length > 4 && layers.every(layer => BigInt(layer.end_ps) > BigInt(layer.start_ps)),
    )
    assert.equal(
      await page
        .getByRole('grid', { name: 'Layers' })
        .locator(
          'td[data-column=start_ns] span:not(.unknown), td[data-column=end_ns] span:not(.unknown)',
        )
        .count(),
      2 * layers.length,
    )
    await openTab(page, 'Summary')
    await page.getByRole('button', { name: 'FLOP count' }).click()
    await cellsAre(page.getByRole('grid', { name: 'Utilisation' }), work)
  },
)

view.test(
  'a line says how an NTFF was read, as its decoder states it; a NEFF that is dropped on it becomes one profile with it',
  async () => {
    const none =
      'No NEFF beside it: names, tensors and layers are unknown. Add it: drop the .neff here'
    const lines = {
      5: 'NTFF is not a published format: version 5 is read by the fields that real files have shown; opcodes that none of them has are marked (likely)',
      4: "NTFF is not a published format: version 4 is read by the fields that real files have shown, not compared with the vendor's rows; opcodes that none of them has are marked (likely)",
    }
    const fileOf = version => ntff('of-version-' + version, '--version', version)
    for (const [version, line] of Object.entries(lines)) {
      const page = await openProfile(await view.add(fileOf(version)), AGAIN),
        said = page.locator('.doubt')
      assert.ok(
        (await said.getAttribute('title')).split('\n').includes(line),
        await said.getAttribute('title'),
      )
      assert.ok((await said.getAttribute('title')).split('\n').includes(none))
      assert.ok(
        (await said.textContent()).startsWith(
          '⚠ ' +
            (await said.getAttribute('title')).split('\n').length +
            ' things to know: ' +
            line +
            ' · ' +
            none,
        ),
        await said.textContent(),
      )
      const { certainty } = (
        await (
          await fetch(view.server.base + '/api/v1/p/' + page.url().match(/n_[0-9a-f]{40}/)[0])
        ).json()
      ).profile
      assert.equal(certainty, 'checked')
    }
    const page = await openProfile(await view.add(fileOf(5)), AGAIN),
      old = page.url().match(/n_[0-9a-f]{40}/)[0]
    await shot(page, 'ntff')
    await page.locator('.doubt').click()
    await page.locator('.widget-problems').waitFor()
    await page.evaluate(
      bytes => {
        const data = new DataTransfer()
        data.items.add(new File([new Uint8Array(bytes)], 'synthetic_debug.neff'))
        document
          .querySelector('#app')
          .dispatchEvent(
            new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
          )
      },
      [...fs.readFileSync(neff())],
    )
    await page.waitForURL(url => /n_[0-9a-f]{40}/.test(url.href) && !url.href.includes(old))
    await page.locator('.timeline .row').first().waitFor()
    await until('the cards', async () => (await page.locator('.doubt').count()) > 0)
    assert.match(await page.locator('.facts').textContent(), /^neff \+ ntff · /)
    assert.ok(!(await page.locator('.doubt').getAttribute('title')).includes('No NEFF'))
  },
)

view.test('T14 the ruler of an NTFF goes from 0 ns to where nprof info says', async () => {
  const file = ntff('ruler'),
    page = await openProfile(await view.add(file))
  const {
      tables: [
        {
          columns,
          rows: [row],
        },
      ],
    } = JSON.parse(await nprof('info', '-q', '--format', 'json', file)),
    end = BigInt(row[columns.indexOf('end_ps')])
  assert.deepEqual(await windowOf(page), { t0: 0n, t1: end })
  assert.match(
    await page.locator('.timeline .over').getAttribute('aria-label'),
    new RegExp(
      '^0 to ' +
        (Number(end) / 1000)
          .toLocaleString('en', { maximumFractionDigits: 3 })
          .replaceAll('.', '\\.') +
        ' ns, ',
    ),
  )
  assert.match(
    await page.getByLabel('Zero of the ruler').locator('option:checked').textContent(),
    /origin/,
  )
})

view.test('T21 of a wait that no arrow ends Details says what it is for', async () => {
  const file = ntffOf('waits.ntff', '[2, 0, 0, 0, 7, 9, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]'),
    page = await openProfile(await view.add(file))
  await page.getByLabel('Search the whole profile').fill('waits_for=E[9]==1')
  await page.keyboard.press('Enter')
  const details = page.locator('.widget-details').first()
  await details.getByText('Depends on: E[9]==1; which row made it so is not known').waitFor()
  await details.getByText('Needed by: nothing that the file says').waitFor()
})

view.test(
  'T15 rows of a Neuron core stand as the guide has them; engines have the times of csv',
  async () => {
    const page = await openProfile(await view.add(deviceWithCollectives()))
    await layout(page, 'Device')
    await openTab(page, 'Summary')
    const fromBottom = [
      /^TensorMatrix Utilization$/,
      /^Pending DMA Count$/,
      /^DMA Throughput$/,
      /^(PE|ACT|POOL|DVE|SP)$/,
      /^DMA /,
    ]
    const names = await rowNames(page),
      collectives = names.findIndex(name => /^CC-core/.test(name))
    assert.ok(
      collectives > names.findIndex(name => /^DMA /.test(name)) &&
        collectives < names.indexOf('PE'),
      names.join(),
    )
    const order = names
      .reverse()
      .map(name => fromBottom.findIndex(one => one.test(name)))
      .filter(at => at >= 0)
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
    )
    assert.deepEqual([...new Set(order)], [0, 1, 2, 3, 4])
    for (const outside of [true, false]) {
      const file = outside ? ntff('outside', '--outside') : ntff('whole'),
        one = await openProfile(await view.add(file))
      const names = await rowNames(one)
      assert.ok(!names.some(name => /^CC-core/.test(name)))
      if (outside) {
        // What is computed from the same as busy is unknown for the same reason.
        await layout(one, 'Device')
        await openTab(one, 'Summary')
        assert.match(
          (
            await one
              .locator('.widget-summary .unknown-columns', { hasText: 'busy, idle' })
              .textContent()
          ).replace(/\s+/g, ' '),
          /^unknown in every row: busy, idle, compute, exposed, overlap: it is unknown which instructions are work · /,
        )
      }
      const [, ...rows] = (
        await nprof(
          'run',
          '-q',
          '-s',
          'csv:columns=kind+thread+start_ns+duration_ns',
          '-o',
          '-',
          file,
        )
      )
        .trim()
        .split('\n')
        .map(line => line.split(','))
      const engines = ['PE', 'ACT', 'POOL', 'DVE', 'SP'].filter(engine =>
        rows.some(row => row[0] === 'span' && row[1] === engine),
      )
      assert.ok(engines.length > 2, engines.join())
      for (const engine of engines) {
        assert.ok(names.includes(engine), engine)
        const seen = await one.evaluate(engineTimes, engine),
          wanted = rows
            .filter(row => row[0] === 'span' && row[1] === engine)
            .map(row => [psOf(row[2]), psOf(row[2]) + psOf(row[3])])
            .sort((a, b) => (a[0] < b[0] ? -1 : 1))
        assert.deepEqual(
          seen.map(([start, end]) => [BigInt(start), BigInt(end)]),
          wanted,
          engine,
        )
      }
    }
  },
)

/** Starts and ends of all events of a track, as Details has them. */
async function engineTimes(label) {
  const id = location.pathname.split('/').pop(),
    { gen } = await (await fetch('/api/v1/p/' + id)).json(),
    base = '/api/v1/p/' + id + '/' + gen
  const meta = await (await fetch(base + '/meta')).json()
  const track = meta.tracks.find(one => one.label === label).track,
    times = []
  for (const lane of meta.lanes.filter(one => one.track === track && one.type === 'span')) {
    for (let row = 0; row < lane.rows; row++) {
      const event = await (await fetch(base + '/e?row=' + lane.lane + '.' + row)).json()
      times.push([event.start, event.end])
    }
  }
  return times.sort((a, b) => (BigInt(a[0]) < BigInt(b[0]) ? -1 : 1))
}

view.test('T16 the rows of HFU and of memory say at the cursor what csv says', async () => {
  const memory = [5, 9, 4].map((total, i) => ({
    ph: 'i',
    name: '[memory]',
    cat: 'cpu_instant_event',
    pid: 1,
    tid: 1,
    ts: 10 + 100 * i,
    s: 't',
    args: {
      'Total Allocated': total * 1e6,
      'Total Reserved': 2e7,
      'Device Type': 1,
      'Device Id': 0,
      Addr: 77 + i,
      Bytes: 100,
    },
  }))
  const kernel = {
    ph: 'X',
    cat: 'kernel',
    name: 'gemm',
    pid: 0,
    tid: 7,
    ts: 0,
    dur: 300,
    args: { device: 0, stream: 7 },
  }
  const kineto = path.join(folder, 'memory.pt.trace.json')
  fs.writeFileSync(
    kineto,
    JSON.stringify({
      schemaVersion: 1,
      deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
      traceEvents: [kernel, ...memory],
    }),
  )
  for (const [input, url, name, t] of [
    [SYNTHETIC, view.url, 'HFU', 5000000000n],
    [kineto, await view.add(kineto), 'Device Memory', 250000000n],
  ]) {
    const page = await openProfile(url)
    await layout(page, 'Device')
    await openTab(page, 'Summary')
    const rows = (
      await nprof(
        'run',
        '-q',
        '-a',
        'device',
        '-s',
        'csv:table=events,columns=kind+name+start_ns+value+process',
        '-o',
        '-',
        input,
      )
    )
      .trim()
      .split('\n')
      .map(line => line.split(','))
    const process = name === 'HFU' ? '/device:TPU:0' : ''
    const first = rows.filter(
        row => row[0] === 'counter' && row[1] === name && (!process || row[4] === process),
      ),
      last = first.filter(row => psOf(row[2]) <= t).pop()
    await ask(page, '@' + Number(t - 1000000n) / 1000 + '..' + Number(t + 1000000n) / 1000)
    await until('its pictures', () => page.locator('.timeline:not([aria-busy])').count())
    const card = page.locator('.hovercard', { hasText: 'value' }),
      value = Number(last[3])
    await until(name + ' ' + value, async () => {
      const { x, y } = await pointOf(page, name, t)
      await page.mouse.move(x + 1, y)
      await page.mouse.move(x, y)
      return (
        (await card.isVisible()) &&
        Math.abs(
          Number((await card.locator('.value .muted').textContent()).replaceAll(',', '')) - value,
        ) <=
          Math.abs(value) * 1e-3
      )
    })
    // The unit stands beside the name, at the pointer and in Details.
    const { x, y } = await pointOf(page, name, t)
    assert.match(
      await card.locator('.value').textContent(),
      name === 'HFU' ? /^value [\d.]+ % / : /^value [\d.]+ MiB /,
    )
    assert.match(
      await rowOf(page, name).getAttribute('title'),
      name === 'HFU' ? /from [\d.]+ % to [\d.]+ %/ : /from [\d.]+ \w*B to [\d.]+ MiB/,
    )
    await page.mouse.click(x, y)
    await until('its value', async () =>
      (name === 'HFU' ? /^[\d.]+ % / : /^[\d.]+ MiB /).test((await fieldsOf(page)).value),
    )
    assert.equal((await fieldsOf(page)).unit, name === 'HFU' ? '1' : 'byte')
  }
})

view.test('a counter of which the file states no unit says that', async () => {
  const file = put('counter.json', {
    traceEvents: [0, 1, 2].map(i => ({
      ph: 'C',
      pid: 1,
      tid: 1,
      ts: 100 * i,
      name: 'depth',
      args: { value: 3 + i },
    })),
  })
  const page = await openProfile(await view.add(file)),
    row = page.locator('.tree .row', { hasText: 'depth' }).last()
  await row.waitFor()
  await until('its title', async () =>
    /from 3 to 5, unit unknown: the file states none/.test(await row.getAttribute('title')),
  )
  await page.keyboard.press('.')
  await until('its value', async () => /^3 unit unknown/.test((await fieldsOf(page)).value))
})

view.test(
  'T25 the operator timeline has four sections over one axis, from 6000 to 6600 ns',
  async () => {
    const page = await openProfile(await view.add(neuron()))
    await layout(page, 'operator-timeline')
    const names = await rowNames(page),
      sections = names.filter(name => /^Process /.test(name))
    assert.deepEqual(sections, [
      'Process Overview',
      'Process Control',
      'Process Execution',
      'Process Data Transfer',
    ])
    assert.deepEqual(
      names.slice(names.indexOf('Process Overview') + 1, names.indexOf('Process Control')),
      ['Neuron Runtime setup', 'Compute engines busy', 'DMA engines busy'],
    )
    const lanes = names.slice(
      names.indexOf('Process Execution') + 1,
      names.indexOf('Process Data Transfer'),
    )
    assert.deepEqual(lanes, ['NN[model]', 'Components', 'Framework Ops', 'HLO Ops'])
    // What begins in each section in this window begins where its time lies: a bar of the overview, of control, of execution and of data.
    await ask(page, '@5000..13000')
    await until('the first window', async () => (await windowOf(page)).t0 === 5000000n)
    const room = await page
      .locator('.timeline .bars')
      .evaluate(canvas => canvas.getBoundingClientRect().width)
    for (const [row, start] of [
      ['Compute engines busy', 11700],
      ['0 › HLO Ops', 5600],
      ['1 › HLO Ops', 11700],
      ['2 › HLO Ops', 6010],
    ]) {
      const { y } = await pointOf(page, row, 9000000n)
      await until(
        row + ' begins at ' + start + ' ns',
        async () => Math.abs((await firstPainted(page, y)) - (room * (start - 5000)) / 8000) <= 1.5,
      ).catch(async error => {
        throw new Error(
          error.message + ' but at ' + (5000 + (8000 * (await firstPainted(page, y))) / room),
        )
      })
    }
    await ask(page, '@6000..6600')
    await until('the window', async () => {
      const { t0, t1 } = await windowOf(page)
      return t0 === 6000000n && t1 === 6600000n
    })
    // What begins at 6010 ns begins at the same pixel in each section: the first one painted of rows that are empty before.
    const wide = await page
      .locator('.timeline .bars')
      .evaluate(canvas => canvas.getBoundingClientRect().width)
    const third =
      (await page.locator('.tree .row .name', { hasText: /^\s*HLO Ops\s*$/ }).count()) - 1
    for (const row of [
      'DMA engines busy',
      third + ' › HLO Ops',
      third + ' › Framework Ops',
      third + ' › Components',
    ]) {
      const { y } = await pointOf(page, row, 6300000n)
      await until(
        row + ' begins at 6010 ns',
        async () => Math.abs((await firstPainted(page, y)) - wide / 60) <= 1.5,
      )
    }
    await shot(page, 'operator-timeline')
  },
)

/** Where the first bar of a row begins, in pixels: what has a colour. */
const firstPainted = (page, y) =>
  page.locator('.timeline .bars').evaluate((canvas, y) => {
    const { data } = canvas
      .getContext('2d')
      .getImageData(0, Math.round(y - canvas.getBoundingClientRect().top), canvas.width, 1)
    for (let x = 0; x < canvas.width; x++)
      if (
        data[4 * x + 3] > 250 &&
        Math.max(...data.slice(4 * x, 4 * x + 3)) - Math.min(...data.slice(4 * x, 4 * x + 3)) > 12
      )
        return x
    return NaN
  }, y)

view.test(
  'layers have lanes over time on the axis of the timeline: a level of the model each, and operators',
  async () => {
    const page = await openProfile(view.url),
      lanes = page.locator('.lanes'),
      names = () => lanes.locator('.row .name').allTextContents(),
      said = page.locator('[data-say]').last()
    await layout(page, 'operator-timeline')
    await lanes.locator('.row').first().waitFor()
    assert.deepEqual(
      (await names()).map(name => name.trim()),
      ['/device:TPU:0', '/device:TPU:1'].flatMap(device => [
        device,
        'level 1',
        'level 2',
        'operators',
      ]),
    )
    // One x is one time in both, also closer by.
    const boxOf = canvas => canvas.boundingBox().then(({ x, width }) => [x, width])
    await ask(page, '@2000000..9000000')
    await until('the window', async () =>
      (await lanes.locator('.over').getAttribute('aria-label')).startsWith(
        '2,000,000 to 9,000,000 ns',
      ),
    )
    assert.deepEqual(
      await boxOf(lanes.locator('.over')),
      await boxOf(page.locator('.timeline .over')),
    )
    const rows = (
      await nprof(
        'run',
        '-q',
        '-s',
        'csv:table=events,columns=kind+process+thread+name+start_ns+duration_ns+framework_op',
        '-o',
        '-',
        SYNTHETIC,
      )
    )
      .trim()
      .split('\n')
      .map(line => line.split(','))
      .filter(row => row[0] === 'span' && row[1] === '/device:TPU:0' && row[2] === 'XLA Ops')
    const ofRun = rows.filter(row => /\/attention\//.test(row[6])).slice(0, 3),
      start = psOf(ofRun[0][4]),
      end = psOf(ofRun[2][4]) + psOf(ofRun[2][5])
    await scrollTo(lanes.locator('.row', { hasText: 'level 2' }).first())
    const canvas = await lanes.locator('.over').boundingBox(),
      level = await lanes.locator('.row', { hasText: 'level 2' }).first().boundingBox(),
      xOf = t => canvas.x + (Number(t - 2000000000n) / 7e9) * canvas.width
    const late = start + ((end - start) * 9n) / 10n,
      at = { x: xOf(late), y: level.y + 10 } // where no text is
    const isBar = async (t, row) => {
      const [r, g, b] = (await colourAt(lanes.locator('.bars'), { x: xOf(t), y: row.y + 10 }))
        .split(',')
        .map(Number)
      return Math.max(r, g, b) - Math.min(r, g, b) > 12
    }
    await until(
      'a bar of the run, and none before the step',
      async () => (await isBar(late, level)) && !(await isBar(2500000000n, level)),
    )
    await page.mouse.move(at.x, at.y)
    const card = lanes.locator('.hovercard'),
      mfu = (await table('layers', SYNTHETIC)).find(row => row.layer === 'layers/attention').mfu
    await until(
      'its card',
      async () =>
        (await card.textContent()).includes('3 rows, self time ') &&
        (await card.textContent()).includes('MFU of all its runs ' + (100 * mfu).toFixed(1) + ' %'),
    )
    const nsText = ps =>
      String(ps / 1000n).replace(/\B(?=(\d{3})+$)/g, ',') +
      '.' +
      String(ps % 1000n)
        .padStart(3, '0')
        .replace(/0+$/, '')
    assert.ok(
      (await card.textContent()).includes(nsText(start) + ' – ' + nsText(end) + ' ns'),
      await card.textContent(),
    )
    // A right click outlines what ran of it, a click shows its operators.
    await page.mouse.click(at.x, at.y, { button: 'right' })
    await said
      .filter({ hasText: '3 events of layers/attention in this run' })
      .waitFor({ state: 'attached' })
    const bar = await pointOf(page, 'XLA Ops', start, 1)
    await until('outlines', async () =>
      (
        await Promise.all(
          [-1, 0, 1].map(by =>
            colourAt(page.locator('.timeline .over'), { x: bar.x + by, y: bar.y }),
          ),
        )
      ).some(colour => Number(colour.split(',')[3]) > 100),
    )
    await shot(page, 'layers')
    await page.mouse.click(at.x, at.y)
    await until(
      'its operators',
      async () =>
        (await page
          .locator('.widget-operators:not(.lm-mod-hidden)')
          .getByLabel('Filter operators')
          .inputValue()) === 'layers/attention/',
    )
    await said
      .filter({
        hasText: 'selected ' + shortTime(end - start) + ' from ' + shortTime(start) + ' on',
      })
      .waitFor({ state: 'attached' })
  },
)

view.test(
  'lanes of layers are those that the file states: model class, component, operator of a Neuron profile',
  async () => {
    const page = await openProfile(await view.add(neuron()))
    await layout(page, 'operator-timeline')
    await page.locator('.lanes .row').first().waitFor()
    const id = page.url().match(/n_[0-9a-f]{40}/)[0],
      base = view.server.base + '/api/v1/p/' + id,
      { gen } = await (await fetch(base)).json(),
      { names } = await (await fetch(base + '/' + gen + '/layers')).json()
    const of = kind =>
      names
        .filter(one => one[1] === kind)
        .map(one => one[0])
        .sort()
    assert.deepEqual(
      of('layer').filter(name => /layer1|model\]$/.test(name)),
      ['NN[model]', 'NN[model]/Linear[layer1]'],
    )
    assert.ok(of('operator').includes('NN[model]/Linear[layer1]/aten__addmm_dot'))
    const plain = await openProfile(
      await view.add(
        put('no-layers.json', {
          traceEvents: [{ ph: 'X', pid: 1, tid: 1, ts: 0, dur: 10, name: 'a' }],
        }),
      ),
    )
    await plain.keyboard.press('+')
    await plain
      .getByRole('dialog')
      .getByRole('button', { name: /^Layers/ })
      .first()
      .click()
    await plain
      .locator('.lanes-box', { hasText: 'unknown: needs rows of devices that state their layer' })
      .waitFor()
  },
)

view.test(
  'work of PyTorch is in lanes of the modules that launched it, and their times stand below',
  async () => {
    const on = { pid: 9, tid: 1 },
      module = (name, ts, dur) => ({
        ph: 'X',
        cat: 'python_function',
        name: 'nn.Module: ' + name,
        ...on,
        ts,
        dur,
      })
    const work = [
      [1, 12],
      [2, 22],
      [3, 45],
    ].flatMap(([correlation, ts]) => [
      {
        ph: 'X',
        cat: 'cuda_runtime',
        name: 'cudaLaunchKernel',
        ...on,
        ts,
        dur: 2,
        args: { correlation },
      },
      {
        ph: 'X',
        cat: 'kernel',
        name: 'gemm',
        pid: 0,
        tid: 7,
        ts: ts + 70,
        dur: 8,
        args: { device: 0, stream: 7, correlation },
      },
    ])
    const page = await openProfile(
      await view.add(
        put('modules.json', {
          traceEvents: [
            ...work,
            module('Net_0', 10, 30),
            module('Linear_1', 20, 10),
            { ph: 'X', cat: 'cpu_op', name: 'aten::mm', ...on, ts: 11, dur: 5 },
          ],
        }),
      ),
    )
    await layout(page, 'operator-timeline')
    const lanes = page.locator('.lanes'),
      widget = page.locator('.widget-layers')
    await lanes.locator('.row').first().waitFor()
    assert.deepEqual(
      (await lanes.locator('.row .name').allTextContents()).map(name => name.trim()).slice(-2),
      ['level 1', 'level 2'],
    )
    assert.deepEqual(await cellsOf(widget.getByRole('grid', { name: 'Modules' }), 'module'), [
      'Net_0',
      'Net_0/Linear_1',
    ])
    // Linear_1 has one kernel, long behind it: 92 to 100 us.
    await scrollTo(lanes.locator('.row', { hasText: 'level 2' }))
    const canvas = await lanes.locator('.over').boundingBox(),
      row = await lanes.locator('.row', { hasText: 'level 2' }).boundingBox()
    await page.mouse.click(canvas.x + (canvas.width * (96 - 10)) / (123 - 10), row.y + 10)
    await until(
      'its table',
      async () =>
        (await page
          .locator('.widget-table:not(.lm-mod-hidden) input[type=search]')
          .inputValue()) === 'module ~ "Net_0/Linear_1"',
    )
    await page
      .locator('[data-say]')
      .last()
      .filter({ hasText: 'selected 8.00 us from 92.0 us on' })
      .waitFor({ state: 'attached' })
  },
)

view.test(
  'B26 names of Neuron operators are read as paths of layers, each within the one above it',
  async () => {
    const file = neuron(),
      page = await openProfile(await view.add(file), AGAIN),
      layers = await table('layers', file)
    await layout(page, 'operator-timeline')
    const grid = page.locator('.widget-layers').getByRole('grid').first()
    await cellsAre(grid, layers)
    // As the fixture names its operators: the model, its layers, and what is in them.
    assert.deepEqual((await cellsOf(grid, 'layer')).map(text => text.trim()).sort(), [
      'NN[model]',
      'NN[model]/Linear[layer1]',
      'NN[model]/ReLU[nl1]',
      'NN[model]/ReLU[nl1]/Tensor_1',
      'NN[model]/Tanh[nl2]',
    ])
    for (const one of layers) {
      const above = layers.find(
        other => other.layer === one.layer.split('/').slice(0, -1).join('/'),
      )
      if (above)
        assert.ok(
          BigInt(above.start_ps) <= BigInt(one.start_ps) &&
            BigInt(above.end_ps) >= BigInt(one.end_ps),
          one.layer,
        )
    }
  },
)

view.test('T23 a fused operator lists what it was made of, also what has no event', async () => {
  const page = await openProfile(await view.add(neuron()))
  const members = page.locator('details', { hasText: /^Fused/ })
  const fusions = [
    [
      'fused_16',
      ['Linear[layer1]/aten__addmm_add', 'input', 'Linear[layer1]/aten__addmm_dot'],
      0,
      '11,452 ns',
      'Fused by the compiler',
    ],
    [
      'fused_3',
      ['input', 'ReLU[nl1]/Tensor_1/aten__relu_maximum'],
      0,
      '900 ns',
      'Fused by the compiler',
    ],
    [
      'fused_19',
      ['Linear[layer2]/aten__addmm_add', 'Tanh[nl2]/aten__tanh'],
      1,
      '5,824 ns',
      'Fused by the compiler',
    ],
  ]
  for (const [name, parts, hidden, duration, how] of fusions) {
    await ask(page, 'name=' + name)
    await page.locator('.event-name', { hasText: new RegExp('^' + name + '$') }).waitFor()
    assert.ok((await fieldsOf(page)).duration.startsWith(duration), name)
    await until(
      name,
      async () => (await members.locator('li').allTextContents()).length === parts.length,
    )
    const listed = await members.locator('li').allTextContents()
    for (const part of parts)
      assert.ok(
        listed.some(one => one.includes('NN[model]/' + part)),
        part + ' is not in ' + listed,
      )
    assert.equal(listed.filter(one => one.includes('hidden')).length, hidden, name)
    const summary = await members.locator('summary').textContent()
    assert.ok(summary.startsWith(how + ': ' + parts.length + ' operators'), summary)
  }
  await layout(page, 'operator-hlo')
  for (const [name, parts, hidden, , how] of fusions) {
    const help = page.getByRole('button', { name: 'What is fused in ' + name, exact: true })
    await help.hover()
    const said = await until('the help of ' + name, async () =>
      new RegExp('^' + how + ': (.*)').exec(await help.getAttribute('title'))?.[1].split(', '),
    )
    assert.deepEqual(
      said.map(one => one.replace(/ \(hidden.*/, '')).sort(),
      parts.map(part => 'NN[model]/' + part).sort(),
      name,
    )
    assert.equal(said.filter(one => one.includes('hidden')).length, hidden, name)
    // C11: who has no pointer that hovers presses it.
    await help.press('Enter')
    assert.equal(await page.locator('.made-of').textContent(), await help.getAttribute('title'))
    await help.press('Enter')
    await page.locator('.made-of').waitFor({ state: 'detached' })
  }
  // The short table, which a layout has at first, says it of the two that took most time.
  await page.getByRole('button', { name: 'Brief', exact: true }).click()
  const first = page.getByRole('button', { name: /^What is fused in / })
  await until('two helps', async () => (await first.count()) === 2)
  const longest = first.and(page.getByLabel('What is fused in fused_16', { exact: true }))
  await longest.press('Enter')
  assert.equal(await page.locator('.made-of').textContent(), await longest.getAttribute('title'))
})

view.test(
  'C15 how a fusion came about stands in Details, in its table and in that of operators',
  async () => {
    const page = await openProfile(
      await view.add(made('beside.xplane.pb', 'view/fixtures.py', 'beside')),
    )
    // Of fused_16 one operator executes meanwhile, of fused_3 none does: by the times of fixtures.py.
    for (const [name, how, inTable] of [
      ['fused_16', 'Fused, in parallel', 'parallel'],
      ['fused_3', 'Fused by the compiler', 'compiler'],
    ]) {
      await ask(page, 'name=' + name)
      await page.locator('.event-name', { hasText: new RegExp('^' + name + '$') }).waitFor()
      const members = page.locator('.details details', { hasText: /^Fused/ })
      assert.ok((await members.locator('summary').textContent()).startsWith(how + ': '))
      await members.getByRole('button', { name: 'All fusions' }).click()
      const row = page
        .locator('.widget-table:not(.lm-mod-hidden) tbody tr')
        .filter({ has: page.getByText(name, { exact: true }) })
      await row.waitFor()
      assert.equal((await row.locator('td[data-column=how]').textContent()).trim(), inTable)
    }
    await layout(page, 'operator-hlo')
    const help = page.getByRole('button', { name: 'What is fused in fused_16', exact: true })
    await until('how', async () =>
      (await help.getAttribute('title')).startsWith('Fused, in parallel: '),
    )
  },
)

view.test(
  'T26 layout trace: host, device, transfers and collective operations of a Neuron profile on one axis',
  async () => {
    const page = await openProfile(
      await view.add(made('reduce.xplane.pb', 'view/fixtures.py', 'reduce')),
    )
    await layout(page, 'trace')
    const names = await rowNames(page)
    for (const name of ['Process Data Transfer', 'Process Execution'])
      assert.ok(names.includes(name), name + ' is not in ' + names)
    await page.locator('.timeline .over').hover()
    await page.mouse.wheel(0, 5000)
    await until('the threads of the host, below', async () =>
      (await rowNames(page)).includes('python'),
    )
    await clickEvent(page, 'python', 15000000n, 'SyncTensorsGraph.53')
    assert.equal((await fieldsOf(page)).start, '0 ns')
    // Times of the fixture, from the same zero as those of the host.
    for (const [name, start] of [
      ['fused_16', '6,100 ns'],
      ['dot.3', '200 ns'],
      ['all-reduce.7', '17,800 ns'],
    ]) {
      await ask(page, 'name=' + name)
      await page.locator('.event-name', { hasText: name }).waitFor()
      assert.equal((await fieldsOf(page)).start, start)
    }
    await openTab(page, 'Communication')
    const grid = page.locator('.widget-collectives').getByRole('grid').first()
    await until('the collective', async () => String(await cellsOf(grid, 'kind')) === 'allreduce')
    assert.deepEqual(
      [
        await cellsOf(grid, 'calls'),
        await grid.locator('td[data-column=total_ns] span').getAttribute('title'),
      ],
      [['1'], '400 ns'],
    )
  },
)

/** The table in which the profile says what ran on which core, as csv has it. */
async function neuronOps(file) {
  const [head, ...rows] = (
    await nprof(
      'run',
      '-q',
      '-s',
      'csv:table=neuron_ops,columns=level+name+device+core',
      '-o',
      '-',
      file,
    )
  )
    .trim()
    .split('\n')
    .map(line => line.split(','))
  return rows.map(row => Object.fromEntries(head.map((key, i) => [key, row[i]])))
}

view.test(
  'T40 B11 C6 the operator tools of TensorBoard are in the menu of layouts, by their names',
  async () => {
    const page = await openProfile(await view.add(neuron())),
      menu = page.locator('#menu-layout'),
      item = name => menu.locator('[role=menuitemradio]', { hasText: new RegExp('^' + name + '$') })
    for (const [name, front] of [
      ['operator-hlo', 'Operators: hlo'],
      ['operator-framework', 'Operators: framework'],
      ['operator-timeline', 'Layers'],
      ['Standard', 'Operators'],
    ]) {
      await page.getByRole('button', { name: 'Layout', exact: true }).click()
      await item(name).click()
      await page
        .locator('.lm-TabBar-tab.lm-mod-current .lm-TabBar-tabLabel')
        .filter({ hasText: new RegExp('^' + front + '$') })
        .waitFor()
      assert.equal(await item(name).getAttribute('aria-checked'), 'true')
    }
    // A profile of one rank has no layout of its ranks.
    assert.equal(await item('Ranks').count(), 0)
  },
)

view.test(
  'T40 operator-framework and operator-hlo have two pies, and a table with what the profiler of Neuron says',
  async () => {
    const file = neuron(),
      page = await openProfile(await view.add(file), AGAIN),
      all = await table('operators', file),
      said = await neuronOps(file)
    for (const level of ['framework', 'hlo']) {
      await layout(page, 'operator-' + level)
      const grid = page.getByRole('grid', { name: 'Operators', exact: true }),
        expected = all.filter(one => one.level === level)
      await until(
        'its rows',
        async () => (await grid.locator('tbody tr').count()) === expected.length,
      )
      // Pies have the shares of the table: of nine operators, and of the rest together.
      const sum = rows => rows.reduce((all, one) => all + Number(one.self_ps), 0),
        percent = part => ((100 * part) / sum(expected)).toFixed(1) + ' %'
      const ranked = [...expected].sort((a, b) => Number(b.self_ps) - Number(a.self_ps)),
        devices = [...new Set(expected.map(one => one.device))]
      assert.equal(devices.length, 1)
      for (const [title, parts] of [
        ['Time by device', [sum(expected)]],
        [
          'Operators of ' + expected[0].device,
          [
            ...ranked.slice(0, 9).map(one => Number(one.self_ps)),
            ...(ranked.length > 9 ? [sum(ranked.slice(9))] : []),
          ].filter(part => part > 0),
        ],
      ]) {
        const pie = page.locator('figure.pie', { hasText: title })
        await pie.locator('.slice').first().waitFor()
        assert.deepEqual(
          await pie.locator('.legend b').allTextContents(),
          parts.map(percent),
          level + ', ' + title,
        )
        assert.equal(await pie.locator('path.slice').count(), parts.length)
      }
      const heads = (await grid.getByRole('columnheader').allTextContents()).map(text =>
        text.replace(/[▾▴]/, '').trim(),
      )
      for (const head of [
        'operator',
        'occurrences',
        'total',
        'Time %',
        'device',
        'Neuron device',
        'core',
      ])
        assert.ok(heads.includes(head), head + ' is not in ' + heads)
      assert.equal(await sortsByEach(grid), heads.length)
      const header = grid.getByRole('columnheader', { name: 'Time %' })
      await header.getByRole('button').click()
      await until(
        'the largest first',
        async () => (await header.getAttribute('aria-sort')) === 'descending',
      )
      const rows = await grid
        .locator('tbody tr')
        .evaluateAll(rows =>
          rows.map(row =>
            Object.fromEntries(
              [...row.cells].map(cell => [
                cell.dataset.column,
                (cell.querySelector('span[title]')?.title || cell.textContent)
                  .trim()
                  .replace(/^▸|\s*\?$/g, ''),
              ]),
            ),
          ),
        )
      assert.deepEqual(
        rows.map(row => Number(row.share)),
        expected.map(one => one.share).sort((a, b) => b - a),
      )
      for (const row of rows) {
        const own = expected.find(one => one.operator === row.operator)
        assert.deepEqual(
          [Number(row.calls), psOf(row.total_ns.replace(' ns', '')), row.device],
          [own.calls, BigInt(own.total_ps), own.device],
          row.operator,
        )
        for (const [column, of] of [
          ['core', 'core'],
          ['neuron_device', 'device'],
        ])
          assert.equal(
            row[column],
            [
              ...new Set(
                said
                  .filter(one => one.name === row.operator && one.level === level)
                  .map(one => String(one[of])),
              ),
            ].join(', '),
            row.operator,
          )
      }
    }
  },
)

view.test('T41 where each operator is one of HLO, both pies agree', async () => {
  const page = await openProfile(
    await view.add(made('simple.xplane.pb', 'view/fixtures.py', 'simple')),
  )
  const slices = {}
  for (const level of ['framework', 'hlo']) {
    await layout(page, 'operator-' + level)
    const pie = page.locator('figure.pie', { hasText: 'Operators of' })
    await pie.locator('.legend b').nth(4).waitFor()
    slices[level] = await pie.locator('.legend b').allTextContents()
    assert.equal(await pie.locator('path.slice').count(), 5)
  }
  assert.deepEqual(slices.framework, slices.hlo)
  // They last 1 to 5 times 500 ns.
  assert.deepEqual(
    slices.hlo,
    [5, 4, 3, 2, 1].map(n => ((100 * n) / 15).toFixed(1) + ' %'),
  )
})

view.test('T43 Summary has the shares of tables categories and devices', async () => {
  const file = neuron(),
    page = await openProfile(await view.add(file))
  await openTab(page, 'Summary')
  const [device] = await table('devices', file),
    categories = await table('categories', file)
  const grid = page.getByRole('grid', { name: 'Devices', exact: true })
  await grid.locator('tbody tr').first().waitFor()
  for (const key of ['busy', 'compute', 'copy', 'overlap']) {
    const shown = await grid
      .locator(`td[data-column=${key}_ns] span, td[data-column=${key}_ps] span`)
      .first()
      .getAttribute('title')
    assert.equal(psOf(shown.replace(' ns', '')), BigInt(device[key + '_ps']), key)
  }
  const list = page
    .getByRole('grid')
    .filter({ has: page.locator('td[data-column=category]') })
    .first()
  const shown = await list
    .locator('tbody tr')
    .evaluateAll(rows =>
      rows.map(row =>
        Object.fromEntries(
          [...row.cells].map(cell => [
            cell.dataset.column,
            cell.querySelector('span')?.title || cell.textContent.trim(),
          ]),
        ),
      ),
    )
  assert.deepEqual(
    shown.map(row => [row.category, Number(row.share)]).sort(),
    categories.map(row => [row.category, row.share]).sort(),
  )
  for (const category of ['compute', 'control', 'copy'])
    assert.ok(
      categories.some(row => row.category === category && row.share > 0),
      category,
    )
})

/** A synthetic profile of Furiosa: the CSV that its profiler writes. */
function furiosa() {
  const out = path.join(folder, 'furiosa'),
    file = path.join(out, 'synthetic_spans.csv')
  if (fs.existsSync(file)) return file
  fs.mkdirSync(out)
  execFileSync('python3', [
    '-B',
    path.join(process.env.NPROF_SOURCE, 'tests/tools/furiosa-make.py'),
    'make',
    out,
    '7',
    '5',
  ])
  return file
}

view.test(
  'a layout of operators that the file does not name says so, and shows those that it names',
  async () => {
    const page = await openProfile(await view.add(furiosa())),
      widget = page.locator('.widget-operators:not(.lm-mod-hidden)')
    for (const name of ['operator-framework', 'operator-hlo']) {
      await layout(page, name)
      assert.equal(
        await widget.locator('.instead').count(),
        1,
        name + ' rests before its answer is there',
      )
      assert.match(
        await widget.locator('.instead').textContent(),
        /^unknown: needs (framework|HLO) operators: .*\. Operators by name stand here instead\.$/,
      )
      assert.equal(await widget.getByLabel('Level', { exact: true }).inputValue(), 'name')
      assert.ok((await widget.locator('tbody tr').count()) > 1)
    }
    await widget.getByLabel('Level', { exact: true }).selectOption('framework')
    await widget.locator('.unknown', { hasText: 'needs framework operators' }).waitFor()
    assert.equal(await widget.locator('.instead, tbody tr').count(), 0)
  },
)

view.test(
  'the tab Communication has transfers where the file has some, and Transfers says where it has none',
  async () => {
    const torch = await openProfile(await view.add(put('linked.pt.trace.json', torchTrace(2, 8))))
    await openTab(torch, 'Transfers')
    const widget = torch.locator('.widget-transfers')
    assert.equal(
      await widget.locator('p.unknown').textContent(),
      'unknown: needs transfers: no row of the file is one',
    )
    await widget.getByRole('grid', { name: 'Idle queues' }).waitFor()
    const tpu = await openProfile(view.url)
    await openTab(tpu, 'Communication')
    await tpu
      .locator('.widget-collectives h2', { hasText: /transfer|dma|queue/i })
      .first()
      .waitFor()
  },
)

view.test('T50 rows of the NPU, of the CPU, or all; events of one label', async () => {
  const page = await openProfile(await view.add(furiosa()))
  const all = await rowNames(page)
  await choose(page, 'Rows of', 'of devices')
  await until('rows of devices', async () => (await rowNames(page)).length < all.length)
  const devices = await rowNames(page)
  await choose(page, 'Rows of', 'of host')
  await until('rows of the host', async () => String(await rowNames(page)) !== String(devices))
  const host = await rowNames(page)
  assert.ok(
    devices.some(name => /^NPU \d/.test(name)) &&
      !host.some(name => /^NPU \d/.test(name)) &&
      host.length > 0,
  )
  await page.waitForURL(/r:host/)
  await page.reload()
  await until('the same rows', async () => String(await rowNames(page)) === String(host))
  await choose(page, 'Rows of', 'of ')
  await until('all rows', async () => (await rowNames(page)).length === all.length)
  await page.keyboard.press('+')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Events/ })
    .click()
  await page.getByLabel('Filter events').fill('name~"user label"')
  const grid = page.getByRole('grid', { name: 'Events of the window' })
  await until('rows of the label', async () => {
    const names = await cellsOf(grid, 'name')
    return names.length > 0 && names.every(name => name === 'user label, with a comma')
  })
})

/** Spans with the labels of the SDK's documentation, each with what ran on the NPU and on the processor for it, as its profiler writes them. */
function labelled() {
  const head =
    'trace_id,parent_span_id,span_id,start,end,cat,name,thread.id,dram_base,pe_index,execution_index,instruction_index,operator_index'
  const spans = [
    ['warm up', 900000],
    ['trace', 650018],
    ['trace', 365199],
    ['trace', 258540],
    ['trace', 270625],
  ]
  const hex = (n, digits) => n.toString(16).padStart(digits, '0')
  const lines = spans.flatMap(([name, duration], i) => {
    const start = 1690798389820000000n + BigInt(i) * 2000000n,
      trace = hex(i + 1, 32),
      root = hex(16 * i + 1, 16),
      npu = hex(16 * i + 2, 16)
    const row = (parent, id, from, length, cat, what, thread, more) =>
      [
        trace,
        parent,
        id,
        start + BigInt(from),
        start + BigInt(from + length),
        cat,
        what,
        thread,
        more,
      ].join()
    return [
      row(root, hex(16 * i + 3, 16), 100, 1000, 'Nux', 'Quantize', 45, ',,,,0'),
      row(npu, hex(16 * i + 4, 16), 2000, 3000, 'NPU', 'LowLevelConv2d', 0, '0,0,' + i + ',1,'),
      row(root, npu, 1500, 5000, 'Nux', 'Inference', 45, ',,,,'),
      row('0'.repeat(16), root, 0, duration, 'Nux', name, 1, ',,,,'),
    ]
  })
  return put('labelled.csv', [head, ...lines].join('\n') + '\n')
}

view.test(
  'T50 T51 labels filter rows, and E12: name=trace has the rows of that name alone',
  async () => {
    const file = labelled(),
      page = await openProfile(await view.add(file), AGAIN),
      rows = (await csvOf(file, ['kind', 'name', 'duration_ns'])).filter(row => row.kind === 'span')
    await page.keyboard.press('+')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Events/ })
      .click()
    const grid = page.getByRole('grid', { name: 'Events of the window' })
    for (const [text, name, durations] of [
      ['name=trace', 'trace', [650018, 365199, 258540, 270625]],
      ['name="warm up"', 'warm up', [900000]],
    ]) {
      await page.getByLabel('Filter events').fill(text)
      await until(text, async () => {
        const names = await cellsOf(grid, 'name')
        return names.length === durations.length && names.every(one => one === name)
      })
      assert.deepEqual(
        rows.filter(row => row.name === name).map(row => Number(row.duration_ns)),
        durations,
      )
      assert.equal(Number(await grid.getAttribute('aria-rowcount')), durations.length + 1)
      // Its command prints these rows and no others.
      const words = (
        await page
          .locator('.widget-events')
          .getByTitle(/^Copy as command/)
          .getAttribute('title')
      )
        .replace('Copy as command: nprof ', '')
        .match(/'[^']*'|\S+/g)
        .map(word => word.replaceAll("'", ''))
      const printed = (
        await nprof(
          words[0],
          '-q',
          ...words
            .slice(1)
            .map(word => (word === 'csv' ? 'csv:columns=kind+name+duration_ns' : word)),
        )
      )
        .trim()
        .split('\n')
        .slice(1)
        .filter(line => line.startsWith('span,'))
      assert.deepEqual(
        printed,
        durations.map(duration => 'span,' + name + ',' + duration),
      )
    }
  },
)

view.test(
  'T51 tables of Furiosa, and the report as the vendor prints it, byte for byte',
  async () => {
    const golden = path.join(process.env.NPROF_TEST_DATA ?? '', '..', 'golden', 'furiosa')
    const file = fs.existsSync(golden) ? path.join(golden, 'furiosa_0.9_doc.csv') : furiosa()
    const page = await openProfile(await view.add(file))
    await page.keyboard.press('+')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Report/ })
      .click()
    const text = page.locator('.printed')
    await until('the report', async () => (await text.textContent()).length > 100)
    const printed = fs.existsSync(golden)
      ? fs
          .readFileSync(path.join(golden, 'expected_0.9.txt'), 'utf8')
          .split('Export trace event')[0]
      : await nprof('report', '--style', 'furiosa-0.9', file)
    assert.equal(await text.textContent(), printed)
    for (const name of [
      'furiosa_summary',
      'inferences',
      'npu_executions',
      'npu_operators',
      'external_operators',
    ]) {
      const rows = await table(name, file).catch(() => [])
      if (!rows.length) continue
      await page.keyboard.press('Escape')
      await page.keyboard.press('+')
      const title = await page.evaluate(async table => {
        const id = location.pathname.split('/').pop(),
          { gen } = await (await fetch('/api/v1/p/' + id)).json()
        return (await (await fetch('/api/v1/p/' + id + '/' + gen + '/profile')).json()).tables.find(
          one => one.name === table,
        )?.title
      }, name)
      await page
        .getByRole('dialog')
        .locator('.tables')
        .getByRole('button', { name: title })
        .first()
        .click()
      const grid = page.getByRole('grid', { name: title, exact: true })
      await grid.locator('tbody tr').first().waitFor()
      assert.equal(Number(await grid.getAttribute('aria-rowcount')), rows.length + 1, name)
      await cellsAre(grid, rows)
    }
  },
)

/** How many diagonals of the hatch cross a part of the row's first pixels at a time: thin lines, between which the ground is seen. */
async function hatchedAt(page, row, t) {
  const { x, y } = await pointOf(page, row, t)
  return page.locator('.timeline .bars').evaluate(
    (canvas, at) => {
      const box = canvas.getBoundingClientRect(),
        { data } = canvas
          .getContext('2d')
          .getImageData(Math.round(at.x - box.left) - 12, Math.round(at.y - box.top), 24, 1)
      return Array.from(
        { length: 24 },
        (_, i) => data[4 * i + 3] > 150 && data[4 * i] < 190,
      ).filter((dark, i, all) => dark && !all[i - 1]).length
    },
    { x, y },
  )
}

view.test(
  'idle time of NPUs, which are cores, is hatched with its cause, and a click selects it',
  async () => {
    const page = await openProfile(await view.add(furiosa())),
      gaps = (await table('gaps', furiosa())).filter(gap => gap.start_ps !== null)
    assert.ok(gaps.length > 2 && new Set(gaps.map(gap => gap.device)).size === 2)
    for (const gap of gaps) {
      const middle = BigInt(gap.start_ps) + BigInt(gap.duration_ps) / 2n
      await until(
        'the hatch on ' + gap.device,
        async () => (await hatchedAt(page, gap.device, middle)) >= 3,
      )
    }
    const first = gaps[0],
      t = BigInt(first.start_ps) + BigInt(first.duration_ps) / 2n,
      { x, y } = await pointOf(page, first.device, t)
    await page.mouse.click(x, y)
    await page
      .locator('.widget-details h2', { hasText: 'Idle: ' + causeName(first.cause) })
      .waitFor()
    assert.equal((await fieldsOf(page)).device, first.device)
    await choose(page, 'Over the bars', 'gaps')
    await until('no hatch', async () => (await hatchedAt(page, first.device, t)) === 0)
  },
)

view.test('gaps that are too short to have a row each are said where gaps are shown', async () => {
  // 40 kernels of 5 us, 2 us apart, each launched 1 us before it begins.
  const kernels = Array.from({ length: 40 }, (_, i) => [
    {
      ph: 'X',
      cat: 'cuda_runtime',
      name: 'cudaLaunchKernel',
      pid: 1,
      tid: 1,
      ts: 7 * i,
      dur: 0.5,
      args: { correlation: i + 1 },
    },
    {
      ph: 'X',
      cat: 'kernel',
      name: 'gemm',
      pid: 0,
      tid: 7,
      ts: 7 * i + 1,
      dur: 5,
      args: { device: 0, stream: 7, correlation: i + 1 },
    },
  ]).flat()
  const file = put('short-gaps.pt.trace.json', {
    schemaVersion: 1,
    deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
    traceEvents: kernels,
  })
  const page = await openProfile(await view.add(file))
  await page
    .locator('#menu-view-settings [aria-checked=true]', {
      hasText:
        /^idle gaps with their cause: none is drawn, 78.0 us in gaps shorter than gap= of analyzer device$/,
    })
    .waitFor({ state: 'attached' })
})

/** Pixels of the strip over the timeline, from 300 of its left edge on, that are not empty. */
const stripAt = page =>
  page.locator('.overview').evaluate(canvas => {
    const { data } = canvas.getContext('2d').getImageData(300, 14, 36, 18)
    return Array.from({ length: 18 }, (_, y) =>
      Array.from({ length: 36 }, (_, x) => (data[4 * (36 * y + x) + 3] > 120 ? '#' : '.')).join(''),
    )
  })

view.test(
  'the strip is empty where a device is idle, whatever the overview of its file has, and work hides copies beside it',
  async () => {
    const page = await openProfile(
        await view.add(made('beside.xplane.pb', 'view/fixtures.py', 'beside')),
      ),
      strip = page.locator('.overview')
    // By the times of fixtures.py: dot.3 and fused_3 compute from 0.2 to 3.6 us, fused_16 copies from 6.1 us on, alone but
    // for dot.4 from 7 to 8 us, and fused_19; nothing runs from 3.6 to 5.6 us.
    const { t0, t1 } = await windowOf(page)
    const at = async us => {
      const { x: left, y, width } = await strip.boundingBox(),
        x = (Number(BigInt(Math.round(us * 1e6)) - t0) / Number(t1 - t0)) * width
      return colourAt(strip, { x: left + Math.round(x), y: y + 14 })
    }
    const compute = await until('the strip', async () => {
      const colour = await at(1)
      return Number(colour.split(',')[3]) > 0 && colour
    })
    assert.equal(Number((await at(4.6)).split(',')[3]), 0)
    assert.equal(await at(7.5), compute)
    assert.notEqual(await at(9), compute)
    assert.ok(Number((await at(9)).split(',')[3]) > 0)
  },
)

/** Whether a picture is of diagonal lines, as idle time is: each row is the one below, moved by a pixel. */
const isHatch = rows => rows.slice(1).every((row, i) => row.slice(0, -1) === rows[i].slice(1))

for (const look of [
  { colorScheme: 'light' },
  { colorScheme: 'dark' },
  { colorScheme: 'dark', forcedColors: 'active' },
]) {
  view.test(
    'rows of which it is unknown whether they are work look neither busy nor idle: ' +
      Object.values(look).join(', '),
    async () => {
      const page = await openProfile(await view.add(ntff('unsure', '--outside')), look)
      const rows = await until('the strip', async () => {
        const all = await stripAt(page)
        return all.join('').includes('#') && all
      })
      const filled = rows.join('').split('#').length - 1
      assert.ok(filled > 40 && filled < 18 * 36 * 0.5, rows.join('\n'))
      assert.ok(!isHatch(rows), rows.join('\n'))
      assert.match(
        await page.locator('.overview').getAttribute('title'),
        /^Dotted: it is unknown which rows are work/,
      )
      await shot(page, 'unsure-' + Object.values(look).join('-'))
    },
  )
}

/** What pattern a bar has at a point of the screen, from its pixels alone: which of them, above its lower edge, are not of its commonest colour. */
async function patternAt(page, { x, y }) {
  const rows = await page.locator('.timeline .bars').evaluate(
    (canvas, at) => {
      const box = canvas.getBoundingClientRect(),
        pixels = new Uint32Array(
          canvas
            .getContext('2d')
            .getImageData(Math.round(at.x - box.left), Math.round(at.y - box.top) - 7, 16, 14).data
            .buffer,
        )
      const often = [...pixels].sort(
        (a, b) => pixels.filter(one => one === b).length - pixels.filter(one => one === a).length,
      )[0]
      return Array.from({ length: 14 }, (_, row) =>
        [...pixels.slice(16 * row, 16 * row + 16)].map(one => (one === often ? '.' : '#')).join(''),
      )
    },
    { x, y },
  )
  const marked = rows.map(row => row.includes('#')),
    next = rows.slice(1)
  if (!marked.includes(true)) return 'plain'
  if (next.every((row, i) => row.slice(1) === rows[i].slice(0, -1))) return 'backslash'
  if (next.every((row, i) => row.slice(0, -1) === rows[i].slice(1))) return 'slash'
  return marked.slice(0, 9).includes(true) || !marked.slice(9).includes(true)
    ? rows.join('\n')
    : 'wave'
}

/** How much the lightest pixel at a point of the screen contrasts with the darkest, on the ground of the page. */
const contrastAt = (page, { x, y }) =>
  page.locator('.timeline .bars').evaluate(
    (canvas, at) => {
      const box = canvas.getBoundingClientRect(),
        own = document.createElement('canvas').getContext('2d')
      own.fillStyle = getComputedStyle(canvas.closest('.timeline')).backgroundColor
      own.fillRect(0, 0, 16, 8)
      own.drawImage(
        canvas,
        Math.round(at.x - box.left),
        Math.round(at.y - box.top) - 4,
        16,
        8,
        0,
        0,
        16,
        8,
      )
      const { data } = own.getImageData(0, 0, 16, 8),
        linear = value =>
          value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
      const all = Array.from(
        { length: data.length / 4 },
        (_, i) =>
          0.2126 * linear(data[4 * i]) +
          0.7152 * linear(data[4 * i + 1]) +
          0.0722 * linear(data[4 * i + 2]),
      )
      return (Math.max(...all) + 0.05) / (Math.min(...all) + 0.05)
    },
    { x, y },
  )

/** Bars one after the other on a stream of a GPU, 100 us each, with whether they are communication; and a call of the host. */
const LINKED = [
  [{ cat: 'kernel', name: 'gemm' }, false],
  [{ cat: 'kernel', name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)' }, true],
  [{ cat: 'kernel', name: 'opaque', args: { 'Collective name': 'allreduce' } }, true],
  [{ cat: 'gpu_user_annotation', name: 'nccl:all_reduce' }, false],
  [{ cat: 'gpu_memcpy', name: 'Memcpy HtoD (Pinned -> Device)' }, false],
  [{ cat: 'kernel', name: 'triton_red_fused_all_reduce_0' }, false],
  [{ cat: 'kernel', name: 'void vllm::cross_device_reduce_1stage<float>(RankData*)' }, true],
]
const linked = () =>
  put('linked.pt.trace.json', {
    schemaVersion: 1,
    deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
    traceEvents: [
      ...LINKED.map(([event], i) => ({
        ph: 'X',
        pid: 0,
        tid: 7,
        ts: 100 * i,
        dur: 100,
        ...event,
        args: { device: 0, stream: 7, ...event.args },
      })),
      { ph: 'X', cat: 'cpu_op', name: 'c10d::allreduce_', pid: 100, tid: 1, ts: 100, dur: 300 },
      {
        ph: 'B',
        cat: 'kernel',
        name: 'ncclDevKernel_AllGather_RING_LL',
        pid: 0,
        tid: 7,
        ts: 700,
        args: { device: 0, stream: 7 },
      },
      {
        ph: 'X',
        cat: 'kernel',
        name: 'gemm',
        pid: 0,
        tid: 8,
        ts: 700,
        dur: 100,
        args: { device: 0, stream: 8 },
      },
    ],
  })

for (const look of [
  { colorScheme: 'light' },
  { colorScheme: 'dark' },
  { colorScheme: 'dark', forcedColors: 'active' },
]) {
  view.test(
    'communication of devices has lines, and nothing else has: ' + Object.values(look).join(', '),
    async () => {
      const page = await openProfile(await view.add(linked()), look)
      // Each alone, so wide that its text ends before its end.
      for (const [i, [{ name }, links]] of LINKED.entries()) {
        await ask(page, '@' + 100000 * i + '..' + 100000 * (i + 1))
        await page.mouse.move(5, 5)
        const wanted = links ? 'backslash' : 'plain'
        await until(
          wanted + ' for ' + name,
          async () =>
            (await patternAt(
              page,
              await pointOf(page, 'stream 7', BigInt(100 * i + 90) * 1000000n),
            )) === wanted,
        )
        if (i > 0 && i < 4)
          assert.equal(
            await patternAt(page, await pointOf(page, 'thread 1', BigInt(100 * i + 90) * 1000000n)),
            'plain',
          )
      }
      // One without an end is pale, and its lines are seen as well.
      await ask(page, '@700000..800000')
      await page.mouse.move(5, 5)
      const open = await until('its row', () => pointOf(page, 'stream 7', 790000000n, 1))
      await until('its lines', async () => (await patternAt(page, open)) === 'backslash')
      assert.ok((await contrastAt(page, open)) >= 1.5, String(await contrastAt(page, open)))
    },
  )

  view.test(
    'a name that is likely alone has a wave: ' + Object.values(look).join(', '),
    async () => {
      const file = ntffOf('likely.ntff', '[(0x41, 0x02)[at // 64 % 2]]'),
        page = await openProfile(await view.add(file), look)
      const spans = (
        await csvOf(file, ['kind', 'name', 'category', 'thread', 'start_ns', 'duration_ns'])
      ).filter(
        row =>
          row.kind === 'span' && /instruction/.test(row.category) && Number(row.duration_ns) > 10,
      )
      const some = [true, false].map(likely =>
        spans.filter(row => likely === row.name.endsWith('(likely)')).slice(0, 3),
      )
      assert.ok(
        some.every(rows => rows.length === 3),
        JSON.stringify(spans, null, 1),
      )
      for (const row of some.flat()) {
        const start = psOf(row.start_ns),
          end = start + psOf(row.duration_ns),
          wanted = row.name.endsWith('(likely)') ? 'wave' : 'plain'
        await ask(page, '@' + row.start_ns + '..' + Number(end) / 1000)
        await page.mouse.move(5, 5)
        await until(
          wanted + ' for ' + row.name,
          async () =>
            (await patternAt(
              page,
              await pointOf(page, row.thread, start + ((end - start) * 9n) / 10n),
            )) === wanted,
        )
      }
    },
  )
}

view.test('the help says what patterns mean, each as it is drawn', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('?')
  const pairs = page.getByRole('dialog').locator('.patterns')
  await pairs.waitFor()
  assert.deepEqual(
    (await pairs.locator('dd').allTextContents()).map(text => text.split(':')[0]),
    [
      'idle',
      'communication between devices',
      'lost',
      'likely',
      'it is unknown which rows are work',
    ],
  )
  assert.equal(
    new Set(await pairs.locator('canvas').evaluateAll(all => all.map(canvas => canvas.toDataURL())))
      .size,
    5,
  )
  await scrollTo(pairs)
  await shot(page, 'help')
})
