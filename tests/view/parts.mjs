// SPDX-License-Identifier: Apache-2.0
// The parts of the page that need no browser: how times are written and read, which rows a tree shows, how the
// binary pictures are laid out, which key an event is, how the text of a search falls into words.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

const [viewer, built] = process.argv.slice(2)

// The modules and the bundles lie in one folder, as the server serves them.
const served = fs.mkdtempSync(path.join(os.tmpdir(), 'nprof-page-'))
process.on('exit', () => fs.rmSync(served, { recursive: true, force: true }))
for (const room of ['base', 'timeline', 'charts', 'widgets', 'pages'])
  fs.cpSync(path.join(viewer, room), path.join(served, room), { recursive: true })
fs.cpSync(path.join(built, 'lib'), path.join(served, 'lib'), { recursive: true })
fs.writeFileSync(path.join(served, 'package.json'), '{"type": "module"}')
// lit-html makes a walker when it is loaded, and questions listen to the page; nothing is rendered here.
globalThis.document = {
  createTreeWalker: () => ({}),
  addEventListener() {},
  removeEventListener() {},
}
const part = name => import(pathToFileURL(path.join(served, name)).href)

const time = await part('base/time.js')
const values = await part('base/values.js')
const units = await part('base/units.js')
const { linear } = await part('charts/scale.js')
const keys = await part('base/keys.js')

test('times are exact, also when they are negative or have 19 digits', () => {
  assert.equal(time.nsText(4225886874n), '4,225,886.874')
  assert.equal(time.nsText(-257000000001n), '-257,000,000.001')
  assert.equal(time.nsText(1735689600250000000001n, ''), '1735689600250000000.001')
  for (const ps of [0n, 1n, -1n, 999n, 1000n, -1500n, 2n ** 62n])
    assert.equal(time.readNs(time.nsText(ps)), ps)
  assert.equal(time.readNs('1.2345'), null)
  assert.equal(time.readNs('12x'), null)
})

test('figures are those of tests/units.json, as in nprof/units.h', () => {
  const examples = JSON.parse(fs.readFileSync(new URL('../units.json', import.meta.url), 'utf8'))
  assert.ok(examples.length > 50)
  for (const [value, unit, text] of examples) assert.equal(units.figureText(value, unit), text)
  assert.equal(time.durationText(-330010000n), '-330 us')
})

test('ticks of a chart leave each other the room of a line, and there is one at least', () => {
  for (const most of [1, 3, 7, 958e9])
    for (const height of [1, 20, 50, 80, 340]) {
      const { of, ticks } = linear(0, most, height, 0),
        apart = ticks.slice(1).map((tick, i) => of(ticks[i]) - of(tick))
      assert.equal(ticks[0], 0)
      assert.ok(ticks.length <= 6, `${most} in ${height}`)
      assert.ok(
        apart.every(room => Math.round(room) >= Math.min(16, height)),
        `${most} in ${height}: ${apart}`,
      )
    }
})

test('a layer sums self time of the layers below it, and its total is that sum', async () => {
  const { nested } = await part('widgets/layers.js'),
    columns = ['operator', 'device', 'calls', 'total_ns', 'self_ns'].map(name => ({ name }))
  const [model] = nested(columns, [
    ['model', 'GPU 0', '1', '100', '10'],
    ['model/loop', 'GPU 0', '1', '90', '30'],
    ['model/loop/body', 'GPU 0', '3', '60', '60'],
  ])
  assert.deepEqual(model.row, ['model', 'GPU 0', '5', '100', '100'])
  assert.deepEqual(model.nodes[0].row, ['model/loop', 'GPU 0', '4', '90', '90'])
})

test('times with a unit', () => {
  assert.equal(time.readTime('5.2ms'), 5200000000n)
  assert.equal(time.readTime('1.5us'), 1500000n)
  assert.equal(time.readTime('-7'), -7000n)
  assert.equal(time.readTime('soon'), null)
  assert.deepEqual(time.readRange('6000..6600'), { t0: 6000000n, t1: 6600000n })
  for (const text of ['6000-6600', ' 6000 6600', '6000 - 6600', '6us-6.6us', '6 us..6.6 us'])
    assert.deepEqual(time.readRange(text), { t0: 6000000n, t1: 6600000n }, text)
  assert.deepEqual(time.readRange('-5--3'), { t0: -5000n, t1: -3000n })
  for (const text of ['6600..6000', '6600-6000', '-5', '5 ms', 'a-b', '', '1..2..3'])
    assert.equal(time.readRange(text), null, text)
})

test('steps of a ruler are round and long enough', () => {
  for (const least of [1n, 3n, 7n, 99n, 100n, 123456789n]) {
    const step = time.roundStep(least)
    assert.ok(step >= least && step < least * 3n, least + ' gave ' + step)
    assert.match(String(step), /^[125]0*$/)
  }
})

test('ticks of a ruler have one unit, and their base is told once where they are far from zero', async () => {
  const { ruleOf } = await part('timeline/ruler.js'),
    sizes = { ps: 1n, ns: 10n ** 3n, us: 10n ** 6n, ms: 10n ** 9n, s: 10n ** 12n }
  const psIn = told => {
    const [, sign, whole, rest, unit] = /^(-?)([\d,]+)(?:\.(\d+))? (\w+)$/.exec(told)
    return (
      (sign ? -1n : 1n) *
      (BigInt(whole.replaceAll(',', '')) * sizes[unit] +
        (rest ? (BigInt(rest) * sizes[unit]) / 10n ** BigInt(rest.length) : 0n))
    )
  }
  const told = (t0, t1, zero = 0n) => {
    const { ticks, base } = ruleOf(t0, t1, 850, zero)
    return [base, ...ticks.map(one => one.text)]
  }
  assert.deepEqual(told(388070000000n, 1101170000000n, 388070000000n), [
    '',
    '0 ms',
    '100',
    '200',
    '300',
    '400',
    '500',
    '600',
    '700',
  ])
  assert.deepEqual(told(31260400000n, 31272400000n), [
    '31.26 ms',
    '+2 us',
    '+4 us',
    '+6 us',
    '+8 us',
    '+10 us',
    '+12 us',
  ])
  for (const zero of [0n, 388070000123n, -5n * 10n ** 18n]) {
    for (const [t0, length] of [
      [0n, 7n],
      [123456789012345n, 500n],
      [-9n, 10n ** 13n],
      [10n ** 17n, 3n * 10n ** 9n],
      [388070000122n, 40n],
      [-77n * 10n ** 14n, 10n ** 7n],
    ]) {
      const { ticks, base } = ruleOf(t0, t0 + length, 900, zero),
        units = new Set(ticks.map(one => one.text.split(' ')[1]).filter(Boolean)),
        [unit] = units
      assert.equal(units.size, 1)
      for (const { t, text } of ticks) {
        assert.ok(t >= t0 && t < t0 + length)
        assert.equal(
          (base ? psIn(base) : 0n) + psIn(text.replace('+', '').split(' ')[0] + ' ' + unit),
          t - zero,
          text,
        )
      }
    }
  }
})

test('a value that is not known is a word', () => {
  assert.equal(values.valueText(null, 'ps'), 'unknown')
  assert.equal(values.valueText('260000000', 'ps'), '260 us')
  assert.equal(values.metricText({ value: '5371000000', unit: 'ps' }), '5.37 ms')
  assert.equal(values.valueText(true, ''), 'yes')
  assert.equal(values.valueText('3 of 4', 'W'), '3 of 4 W')
  assert.equal(values.valueText(1536, 'bytes'), '1.50 KiB')
  assert.deepEqual(values.countTexts(61.25, 'W'), ['61.3 W', '61.25'])
  assert.deepEqual(values.countTexts(1234567, 'byte'), ['1.18 MiB', '1,234,567'])
  assert.deepEqual(values.countTexts(1200, 'W'), ['1,200 W', ''])
  assert.equal(values.countTexts(7, null)[1], values.NO_UNIT)
})

test('ticks are round in the unit in which they are written', () => {
  const most = 300 * 2 ** 20
  const { ticks } = linear(0, most, 0, 100, units.unitSize(most, 'byte'))
  assert.deepEqual(ticks.map(values.bytesText), ['0 B', '100 MiB', '200 MiB', '300 MiB'])
  assert.equal(units.unitSize(0.5, 'byte'), 1)
})

test('percents have one decimal, and what is less than a tenth has its number on hover alone', () => {
  const ratios = [0.0000037, 0.0123, 1, -0.0004, -0.25]
  assert.deepEqual(ratios.map(values.percentText), [
    '<0.1 %',
    '1.2 %',
    '100.0 %',
    '>-0.1 %',
    '-25.0 %',
  ])
  assert.deepEqual(ratios.map(values.exactPercent), [
    '0.00037 %',
    '1.2 %',
    '100.0 %',
    '-0.04 %',
    '-25.0 %',
  ])
  assert.deepEqual([0.0004, -0.0004, 0.02, 0].map(values.changeText), [
    '<+0.1 %',
    '>-0.1 %',
    '+2.0 %',
    '0.0 %',
  ])
  assert.deepEqual(
    [
      values.tinyText(0.0004, '1'),
      values.tinyText(0, '1'),
      values.tinyText(0.5, '1'),
      values.tinyText(null, '1'),
      values.tinyText(0.0004, 'ps'),
    ],
    ['0.04 %', '', '', '', ''],
  )
})

test('letters are keys by their place', () => {
  const key = (code, typed, more = {}) =>
    keys.keyOf({
      code,
      key: typed,
      shiftKey: false,
      ctrlKey: false,
      altKey: false,
      metaKey: false,
      ...more,
    })
  assert.equal(key('KeyW', 'ц'), 'w')
  assert.equal(key('KeyW', 'W', { shiftKey: true }), 'Shift+w')
  assert.equal(key('Slash', '?', { shiftKey: true }), '?')
  assert.equal(key('KeyZ', 'z', { ctrlKey: true }), 'Ctrl+z')
  assert.equal(key('ArrowUp', 'ArrowUp', { shiftKey: true }), 'Shift+ArrowUp')
  assert.equal(key('Digit1', '1'), '1')
})

test('conditions are those of tests/conditions.json', async () => {
  const { keeperOf } = await part('widgets/filter.js'),
    { treeOf, textOf } = await part('base/conditions.js')
  const { columns, rows, fits, wrong } = JSON.parse(
    fs.readFileSync(path.join(viewer, '..', '..', 'tests', 'conditions.json'), 'utf8'),
  )
  const described = columns.map(name => ({
    name,
    type: name === 'n' ? 'double' : 'text',
    unit: '',
  }))
  const found = text => rows.flatMap((row, i) => (keeperOf(text, described)(row) ? [i] : []))
  const exact = text => /900719925474099/.test(text) || text.includes('GEMM_bf16') // by the server alone
  for (const [text, wanted] of fits.filter(([text]) => !exact(text))) {
    assert.deepEqual(found(text), wanted, text)
    const tree = treeOf(text)
    if (tree) assert.deepEqual(found(textOf(tree)), wanted, textOf(tree))
  }
  for (const [text, at] of wrong.filter(([text]) => !/\{99/.test(text)))
    assert.throws(
      () => treeOf(text),
      error => error.at === at,
      text,
    )
})

test('a filter with a condition on no column says which there are', async () => {
  const { strangerNote } = await part('widgets/filter.js'),
    columns = [
      { name: 'name', type: 'text', unit: '' },
      { name: 'total_ns', type: 'int64', unit: 'ps', title: 'self' },
      { name: 'calls_ns', type: 'int64', unit: 'ps' },
    ]
  assert.equal(
    strangerNote('speed > 3 and self > 1', columns),
    'no column speed: there are name, self, calls',
  )
  for (const text of ['self > 1', 'TOTAL > 1ms', 'gemm', '', 'a > '])
    assert.equal(strangerNote(text, columns), '', text)
})

test('frames of a flame graph without room for a name are one', async () => {
  const { sliversTogether } = await part('widgets/flame.js')
  const node = (id, parent, name) => ({ id, parent, name, self: '1', total: '1', count: 1 })
  const placed = (id, parent, depth, width, x) => ({
    ...node(id, parent, 'n' + id),
    depth,
    width,
    x,
  })
  const rows = sliversTogether(
    [
      placed(1, null, 0, 1, 0),
      placed(2, 1, 1, 0.5, 0),
      placed(3, 1, 1, 0.02, 0.5),
      placed(4, 1, 1, 0.01, 0.52),
      placed(5, 2, 2, 0.01, 0),
      placed(6, 3, 2, 0.02, 0.5),
      placed(7, 6, 3, 0.02, 0.5),
    ],
    1000,
  )
  assert.deepEqual(
    rows.map(({ id, more, width, total }) => [id, more?.length ?? 0, width, total]),
    [
      [1, 0, 1, '1'],
      [2, 0, 0.5, '1'],
      [3, 2, 0.03, '2'],
      [5, 1, 0.01, '1'],
    ],
  )
})

test('a frame of several makes these the root of a flame graph, where each gets room', async () => {
  const { place, sliversTogether } = await part('widgets/flame.js')
  const frames = [
    { id: 1, parent: null, name: 'main', self: '0', total: '1000', count: 1 },
    ...Array.from({ length: 1000 }, (_, i) => ({
      id: i + 2,
      parent: 1,
      name: 'n' + i,
      self: '1',
      total: '1',
      count: 1,
    })),
  ]
  const drawn = ids => sliversTogether(place(frames, ids), 1000),
    several = ids => drawn(ids).filter(one => one.more?.length > 1)
  // All is slivers: each click on the last one leads further, and at the end to a frame alone.
  let ids = [],
    clicks = 0
  for (; several(ids).length; clicks++) {
    const groups = several(ids),
      below = groups.flatMap(one => one.more.map(({ id }) => id))
    assert.deepEqual(below, ids.length ? ids : frames.slice(1).map(({ id }) => id))
    ids = groups.at(-1).more.map(({ id }) => id)
    assert.ok(ids.length < below.length, below.length)
  }
  assert.ok(clicks <= 3, clicks)
  assert.deepEqual(
    drawn(ids).map(({ id, depth }) => [id, depth]),
    ids.map(id => [id, 0]),
  )
})

test('frames that only call on take no row in a flame graph; what ends a stack and what splits does', async () => {
  const { withoutWrappers } = await part('widgets/flame.js')
  const frames = [
    ['main', null, 100],
    ['call', 1, 95], // only calls on
    ['forward', 2, 95], // and so does this, of its caller
    ['layer 0', 3, 50],
    ['layer 1', 3, 40],
    ['mm', 4, 49], // only calls on
    ['gemm', 6, 49], // ends a stack
    ['add', 5, 35], // 87.5 % of its caller: it stays
    ['kernel', 8, 35],
  ].map(([name, parent, total], i) => ({
    id: i + 1,
    parent,
    name,
    self: '0',
    total: String(total),
    count: 1,
  }))
  assert.deepEqual(
    withoutWrappers(frames).map(one => [one.name, one.parent]),
    [
      ['main', null],
      ['layer 0', 1],
      ['layer 1', 1],
      ['gemm', 4],
      ['add', 5],
      ['kernel', 8],
    ],
  )
})

test('modules of one class that one frame calls are one in a flame graph, with what they call', async () => {
  const { withClasses } = await part('widgets/flame.js')
  const frames = [
    ['main', null, 100],
    ['nn.Module: Block_0', 1, 50],
    ['nn.Module: Block_1', 1, 40],
    ['nn.Module: Head_0', 1, 10], // the only one of its class
    ['mm', 2, 30],
    ['mm', 3, 25],
    ['add', 3, 15],
    ['nn.Module: Block_7', 4, 10], // of another caller
  ].map(([name, parent, total], i) => ({
    id: i + 1,
    parent,
    name,
    self: '1',
    total: String(total),
    count: 1,
  }))
  assert.deepEqual(
    withClasses(frames, true).map(one => [one.name, one.parent, one.total, one.self, one.count]),
    [
      ['main', null, '100', '1', 1],
      ['nn.Module: Block × 2', 1, '90', '2', 2],
      ['mm', 2, '55', '2', 2],
      ['add', 2, '15', '1', 1],
      ['nn.Module: Head_0', 1, '10', '1', 1],
      ['nn.Module: Block_7', 4, '10', '1', 1],
    ],
  )
  // In the order of time a class stays where the first of it is, whatever takes longer.
  const late = [frames[0], frames[3], ...frames.slice(1, 3)]
  assert.deepEqual(
    [false, true].map(byWeight => withClasses(late, byWeight).map(one => one.id)),
    [
      [1, 4, 2],
      [1, 2, 4],
    ],
  )
})

test('moments of a filter of the server count from the zero of the ruler, lengths do not', async () => {
  const { whereOf } = await part('widgets/filter.js'),
    columns = ['start_ns', 'duration_ns'].map(name => ({ name, type: 'int64', unit: 'ps' })),
    where = text => whereOf(text, columns, 1_000_000n)
  assert.equal(where('start > 5us'), where('start_ns > 5000'))
  assert.equal(where('start > 5us'), '"start_ns" > "6000000ps"')
  assert.equal(
    where('start >= -1us and duration < 5us'),
    '("start_ns" >= "0ps" and "duration_ns" < "5us")',
  )
})

test('a filter wants one of its words and none of those with a minus', async () => {
  const { filterTest } = await part('timeline/rows.js')
  const fits = filterTest('XLA* -modules')
  assert.ok(fits('XLA Ops'))
  assert.ok(!fits('XLA Modules'))
  assert.ok(!fits('Steps'))
  assert.ok(filterTest('')('anything'))
})

test('words of a filter that a label has as they stand are one text', async () => {
  const { filterTest } = await part('timeline/rows.js'),
    labels = ['DMA 64 queue 0', 'DMA Throughput', 'Pending DMA Count', 'PE']
  const shown = filter => labels.filter(filterTest(filter, labels))
  assert.deepEqual(shown('dma throughput'), ['DMA Throughput'])
  assert.deepEqual(shown('Pending  DMA -queue'), ['Pending DMA Count'])
  assert.deepEqual(shown('throughput pe'), ['DMA Throughput', 'Pending DMA Count', 'PE'])
  const ranks = ['RANK 3 - GPU', 'RANK 2 - GPU', 'RANK 3 - CPU', 'stream 3']
  const those = filter => ranks.filter(filterTest(filter, ranks))
  assert.deepEqual(those('rank 3 - gpu'), ['RANK 3 - GPU'])
  assert.deepEqual(those('rank 3 -'), ['RANK 3 - GPU', 'RANK 3 - CPU'])
  assert.deepEqual(those('rank 3 - -gpu'), ['RANK 3 - CPU'])
  assert.deepEqual(those('stream -'), ['stream 3'])
})

test('a text without room for three letters is left out', async () => {
  const { fit } = await part('timeline/fit.js'),
    context = { measureText: text => ({ width: 6 * text.length }) }
  assert.equal(fit(context, 'pe', 16), 'pe')
  assert.equal(fit(context, 'param.1', 18), '')
  assert.equal(fit(context, 'param.1', 24), '')
  assert.equal(fit(context, 'param.1', 32), 'para…')
  assert.equal(fit(context, 'param.1', 44), 'param.1')
  // A sign is no letter.
  assert.equal(fit(context, '▲ param.1', 32), '')
  assert.equal(fit(context, '▲ param.1', 40), '▲ par…')
  assert.equal(fit(context, '__param.1', 32), '')
  // Longer ones keep letters of both ends: names differ there.
  assert.equal(fit(context, 'loop_fusion_of_many.1', 76), 'loop_fu…ny.1')
})

test('of long names that are alike what tells them apart stays', async () => {
  const { differingAt, partsOf } = await part('base/ends.js')
  const names = [
      'sm90_xmma_gemm_bf16bf16_tilesize128x64x64_warpgroupsize1x1x1_cublas',
      'sm90_xmma_gemm_bf16bf16_tilesize128x192x64_warpgroupsize1x1x1_cublas',
      'ampere_bf16_s16816gemm_bf16_128x256_stages_64x3_tn',
      'ampere_bf16_s16816gemm_bf16_128x256_stages_64x3_tt',
      'short',
      'jit(step)/layers/attention/softmax',
    ],
    differ = differingAt(names)
  // What may go is every second part; the others are seen.
  const seen = names.map(name => {
    const parts = partsOf(name, differ.get(name))
    assert.equal(parts.join(''), name)
    return parts.filter((_, i) => i % 2).join(' ')
  })
  assert.equal(new Set(seen).size, names.length, seen.join())
  assert.match(seen[0], /128x64/)
  assert.match(seen[1], /128x192/)
  assert.deepEqual([seen[2].at(-1), seen[3].at(-1), seen[4]], ['n', 't', 'short'])
  assert.deepEqual(partsOf(names[5], 0), ['jit(step)/layers/attenti', 'on/softmax'])
})

test('a kernel has its short name, but two different names never show as one', async () => {
  const { calledOf, mayShorten } = await part('base/kernels.js')
  const long = 'void at::native::fill<float>(int)',
    short = new Map([
      [long, 'fill'],
      ['void other::fill<int>(int)', 'other'],
      ['void a::sum<int>(int)', 'add'],
      ['void b::sum<int>(int)', 'add'],
      ['void c::d()', long],
    ]),
    called = names => [...calledOf(names, name => short.get(name) ?? name).values()]
  assert.deepEqual(called([long, 'copy', '']), ['fill', 'copy', ''])
  // An operator that is called as a kernel would be, two kernels of one short name, a name that is the short one of another.
  const [, , one, two, odd] = short.keys()
  assert.deepEqual(called([long, 'fill']), [long, 'fill'])
  assert.deepEqual(called([one, two]), [one, two])
  for (const names of [[...short.keys()], [long, odd], [...short.keys(), 'fill', 'add', 'other']])
    assert.equal(new Set(called(names)).size, names.length, String(called(names)))
  const all = [long, '_ZN2at4fillEv', 'a::b() const', 'f() [clone .isra.0]']
  assert.ok(all.every(mayShorten))
  assert.ok(!['aten::add', 'fusion.3', 'ProfilerStep#4', ''].some(mayShorten))
})

test('a name whose label has not come is whole until it has; blocks are asked for but once', async () => {
  const { Names } = await part('timeline/names.js'),
    whole = 'void at::native::fill<float>(int)',
    asked = []
  const names = new Names(async ({ from }) => {
    asked.push(from)
    return { from, names: [from ? [whole, 'kernel', 'fill'] : ['aten::add', '', 'aten::add']] }
  }, 8192)
  names.first = false
  assert.equal(names.called.value('aten::add'), 'aten::add')
  assert.deepEqual(asked, [])
  for (const said of [whole, whole, 'fill', 'fill']) {
    assert.equal(names.called.value(whole), said)
    await new Promise(resolve => setTimeout(resolve))
  }
  assert.deepEqual(asked, [0, 4096])
})

test('names in drawings and lists have so many letters at most, and stay apart', async () => {
  const { shortNames } = await part('base/ends.js')
  const lists = [
    Array.from({ length: 12 }, (_, i) => 'trainer-pool-eu-west-4b.cluster.local/GPU ' + i),
    Array.from(
      { length: 12 },
      (_, i) => 'trainer-pool-' + (100 + i) + '.eu-west-4b.cluster.local/NVIDIA H100 80GB HBM3',
    ),
    [
      'Neuron device 0/NeuronCore 0',
      'Neuron device 0/NeuronCore 1',
      'Neuron device 1/NeuronCore 0',
      'Neuron device 1/NeuronCore 1',
    ],
    ['GPU 0', 'GPU 1'],
  ]
  for (const names of lists) {
    for (const letters of [16, 20, 24, 60]) {
      const short = shortNames(names, letters)
      assert.ok(
        [...short.values()].every(text => text.length <= letters),
        [...short.values()].join(),
      )
      assert.equal(
        new Set(short.values()).size,
        names.length,
        letters + ': ' + [...short.values()].join(),
      )
      for (const [name, text] of short) if (name.length <= letters) assert.equal(text, name)
    }
  }
})

test('a widget that has but words leaves its room to others in the ratio of theirs', async () => {
  const { sharesFor } = await part('widgets/room.js')
  assert.deepEqual(sharesFor([0.5, 0.5], [100, null], 1000), [0.1, 0.9])
  assert.deepEqual(sharesFor([0.5, 0.5], [900, null], 1000), [0.5, 0.5]) // never more than it had
  assert.deepEqual(
    sharesFor([0.6, 0.3, 0.1], [100, null, null], 1000).map(one => Math.round(one * 1000)),
    [100, 675, 225],
  )
})

test('a layout opens on tabs that have something to show', async () => {
  const { builtIn, fronts } = await part('widgets/layouts.js')
  const shown = area =>
      area.type === 'tab-area' ? [area.widgets[area.currentIndex]] : area.children.flatMap(shown),
    trace = builtIn('trace')
  assert.deepEqual(shown(trace), ['timeline', 'operators', 'details'])
  assert.deepEqual(shown(fronts(trace, () => false)), shown(trace))
  assert.deepEqual(shown(fronts(trace, id => id === 'operators')), ['timeline', 'steps', 'details'])
  assert.deepEqual(shown(fronts(trace, () => true)), shown(trace))
})

test('what to do stands above in a narrow window, and beside the lanes again in a wide one', async () => {
  const { builtIn, turned } = await part('widgets/layouts.js')
  const at = (width, area) => {
    globalThis.innerWidth = width
    return turned(area)
  }
  const tab = (...widgets) => ({ type: 'tab-area', widgets, currentIndex: 0 })
  const split = (orientation, children, sizes) => ({
    type: 'split-area',
    orientation,
    children,
    sizes,
  })
  try {
    const wide = builtIn('Standard'),
      narrow = at(900, wide)
    assert.deepEqual(
      narrow.children.map(one => one.widgets[0]),
      ['details', 'timeline', 'operators'],
    )
    assert.ok(Math.abs(narrow.sizes.reduce((all, one) => all + one) - 1) < 1e-9)
    assert.equal(at(320, narrow), narrow)
    const rounded = value =>
      JSON.parse(JSON.stringify(value), (_key, one) => (one === +one ? +one.toFixed(6) : one))
    assert.deepEqual(rounded(at(901, narrow)), rounded(wide))
    assert.equal(at(1440, wide), wide)
    // Other arrangements stay: two beside each other, and what to do above by somebody's hand.
    const own = split('horizontal', [tab('timeline'), tab('details', 'code')], [0.6, 0.4]),
      above = split('vertical', [tab('details'), tab('timeline')], [0.5, 0.5])
    for (const width of [320, 1440])
      for (const area of [own, above, tab('timeline')]) assert.equal(at(width, area), area)
    // One that people made of the frame turns with what they made: lanes alone, and parts beside
    // each other below.
    const lanes = split('horizontal', [tab('timeline'), tab('details')], [0.7, 0.3])
    assert.deepEqual(
      at(600, lanes),
      split('vertical', [tab('details'), tab('timeline')], [0.38, 0.62]),
    )
    assert.deepEqual(rounded(at(1440, at(600, lanes)).children[0]), tab('timeline'))
  } finally {
    delete globalThis.innerWidth
  }
})

test('names of old layouts put their view in front of the one frame; of others there is none', async () => {
  const { NAMES, builtIn, isArea } = await part('widgets/layouts.js')
  const widgets = area =>
      area.type === 'tab-area' ? area.widgets : area.children.flatMap(widgets),
    shown = area =>
      area.type === 'tab-area' ? [area.widgets[area.currentIndex]] : area.children.flatMap(shown)
  for (const name of NAMES) {
    assert.ok(isArea(builtIn(name)), name)
    const all = widgets(builtIn(name))
    assert.ok(all.includes('timeline') && all.includes('details'), name)
    assert.equal(new Set(all).size, all.length, name)
  }
  assert.deepEqual(
    ['operator-hlo', 'operator-timeline', 'Flame', 'Ranks', 'Overview'].map(
      name => shown(builtIn(name))[1],
    ),
    ['operators:hlo', 'layers', 'flame', 'ranks', 'operators'],
  )
  for (const name of ['', 'mine', 'toString', '__proto__']) assert.equal(builtIn(name), null, name)
})

test('charts have the colour of bars of the name', async () => {
  const { Colours, colourOf } = await part('timeline/colours.js')
  const names = {
    total: 3,
    mixed: new Set(),
    version: { peek: () => 0 },
    labels: [
      ['void gemm<float>', 'kernel', 'gemm', null, null, null],
      ['aten::mm', 'cpu_op', 'aten::mm', null, 'aten::linear', null],
    ],
    labelOf: name => names.labels.findIndex(one => one[0] === name),
  }
  const more = { verdicts: null },
    of = (mode, name) => new Colours(names, mode, more).ofName(name)
  assert.equal(of('operator', 'void gemm<float>'), colourOf('gemm'))
  assert.equal(of('operator', 'aten::mm'), colourOf('aten::linear'))
  assert.equal(of('category', 'aten::mm'), colourOf('cpu_op'))
  for (const mode of ['operator', 'category', 'step', 'engine'])
    assert.equal(of(mode, 'no bar'), colourOf('no bar'))
})

test('of devices that are busy alike the first four are open', async () => {
  const { Rows, freshTree } = await part('timeline/rows.js')
  const device = (hash, busy, children) => ({
    hash,
    label: hash,
    kind: 'device',
    track: null,
    lanes: [],
    children,
    busy,
    span: 1n,
    rows: 1,
    device: true,
  })
  const openOf = busy =>
    new Rows(
      busy.map((one, i) => device('d' + i, one, [device('d' + i + 'c', 0n, [])])),
      freshTree(),
    ).rows
      .filter(row => row.level === 0 && row.open)
      .map(row => row.node.hash)
  assert.deepEqual(openOf(Array(8).fill(5n)), ['d0', 'd1', 'd2', 'd3'])
  assert.deepEqual(openOf([1n, 9n, 1n, 8n, 1n, 1n, 7n]), ['d0', 'd1', 'd3', 'd6'])
})

test('a filter finds a row below one that has lanes of its own', async () => {
  const { Rows, freshTree } = await part('timeline/rows.js')
  const node = (label, lanes, children = [], device = true) => ({
    hash: label,
    label,
    kind: 'engine',
    track: null,
    lanes: lanes ? [{ lane: 1, id: 1, type: 0, depth: 0 }] : [],
    children,
    busy: 0n,
    span: 1n,
    rows: 1,
    device,
  })
  // As a NeuronCore, which has executions on a lane of its own and its engines below.
  const core = node('NeuronCore 4', true, [
    node('PE', true),
    node('DMA', false, [node('q0', true), node('q1', true)]),
  ])
  const found = (filter, only = '') =>
    new Rows([core], { ...freshTree(), filter, only }).rows.map(row => row.node.label)
  assert.deepEqual(found('PE'), ['NeuronCore 4', 'PE'])
  assert.deepEqual(found('q1'), ['NeuronCore 4', 'DMA', 'q1'])
  assert.deepEqual(found('none of them'), [])
  assert.deepEqual(found('* -q0'), ['NeuronCore 4', 'PE', 'DMA', 'q1'])
  assert.deepEqual(found('PE', 'devices'), ['NeuronCore 4', 'PE'])
  assert.deepEqual(found('PE', 'host'), [])
})

test('many queues of a NeuronCore are one row, so that engines and counters are seen at once', async () => {
  const { Model, treeOf } = await part('timeline/model.js'),
    { Rows, freshTree } = await part('timeline/rows.js')
  const rowsOf = (queues, core, filter = '') => {
    const kinds = ['input', 'device', 'core', ...Array(queues).fill('queue'), 'engine'],
      labels = [
        'file',
        'Neuron device 0',
        core,
        ...kinds.slice(3, -1).map((_, i) => 'DMA ' + i),
        'PE',
      ]
    const model = new Model({
      start: '0',
      end: '100',
      rows: 9 * kinds.length,
      tracks: kinds.map((kind, i) => ({
        track: i + 1,
        hash: String(i + 1).padStart(8, '0'),
        parent: Math.min(i, 3) || null,
        kind,
        key: labels[i],
        label: labels[i],
        sort: i,
        input: 0,
        origin: 'decoder',
        rows: 9,
        busy: '5',
        counter: null,
        lost: 0,
        start: '0',
        end: '9',
      })),
      lanes: {
        track: kinds.map((_, i) => i + 1).slice(2),
        type: kinds.slice(2).map(() => 'span'),
        depth: kinds.slice(2).map(() => 0),
        label: kinds.slice(2).map(() => null),
        rows: kinds.slice(2).map(() => 9),
      },
    })
    const rows = new Rows(treeOf(model, 'device'), { ...freshTree(), filter })
    assert.equal(rows.total, queues + 2)
    return rows.rows.map(row => row.node.label).slice(-queues - 2)
  }
  const dma = Array.from({ length: 9 }, (_, i) => 'DMA ' + i)
  assert.deepEqual(rowsOf(9, 'NeuronCore 4').slice(-3), ['NeuronCore 4', 'DMA, 9 rows', 'PE'])
  assert.deepEqual(rowsOf(9, 'NeuronCore 4', 'DMA?7').slice(-2), ['DMA, 9 rows', 'DMA 7'])
  assert.deepEqual(rowsOf(8, 'NeuronCore 4'), ['NeuronCore 4', ...dma.slice(0, 8), 'PE'])
  assert.deepEqual(rowsOf(9, 'TPU core'), ['TPU core', ...dma, 'PE']) // as the file has them
})

test('in a tree of groups each row of a lane stands once; a lane of one group is itself', async () => {
  const { Model, treeOf } = await part('timeline/model.js'),
    { Rows, freshTree } = await part('timeline/rows.js')
  const track = (number, kind, label, parent) => ({
    track: number,
    hash: String(number).repeat(8),
    parent,
    kind,
    key: label,
    label,
    sort: number,
    input: 0,
    origin: 'decoder',
    rows: 9,
    busy: '5',
    counter: null,
    lost: 0,
    start: '0',
    end: '9',
  })
  const model = new Model({
    start: '0',
    end: '100',
    rows: 27,
    tracks: [
      track(1, 'input', 'file', 0),
      track(2, 'device', 'GPU', 1),
      track(3, 'queue', 'stream', 2),
      track(4, 'thread', 'main', 1),
    ],
    lanes: {
      track: [3, 3, 4],
      type: ['span', 'span', 'span'],
      depth: [0, 1, 0],
      label: [null, null, null],
      rows: [9, 9, 9],
    },
  })
  const groups = {
    by: 'step',
    groups: [
      {
        group: 0,
        name: '7',
        lanes: [
          [0, 4],
          [1, 9],
        ],
        rows: 13,
      },
      { group: 1, name: '8', lanes: [[0, 5]], rows: 5 },
      { group: 2, name: null, lanes: [[2, 9]], rows: 9 },
    ],
  }
  const roots = treeOf(model, 'step', groups),
    lanes = roots.flatMap(root => root.children.flatMap(child => child.lanes))
  assert.deepEqual(
    roots.map(root => [root.label, root.rows]),
    [
      ['step 7', 13],
      ['step 8', 5],
      ['in no step', 9],
    ],
  )
  assert.deepEqual(
    lanes.map(lane => [lane.id, lane.rows]),
    [
      ['step:0@0', 4],
      [1, 9],
      ['step:0@1', 5],
      [2, 9],
    ],
  )
  assert.equal(
    new Set(roots.flatMap(root => [root.hash, ...root.children.map(child => child.hash)])).size,
    6,
  )
  // A lane of two groups has a row in each: that of the group of the event; none while it is unknown.
  const rows = new Rows(roots, {
    ...freshTree(),
    open: Object.fromEntries(roots.map(root => [root.hash, true])),
  })
  assert.equal(rows.rowOf(0, 3, 1).node.above, 'step 8')
  assert.equal(rows.rowOf(0, 3, 0).node.above, 'step 7')
  assert.equal(rows.rowOf(0, 3, undefined), null)
  const folded = new Rows(roots, {
    ...freshTree(),
    open: Object.fromEntries(roots.map(root => [root.hash, false])),
  })
  assert.equal(folded.rowOf(1, 3, 0).node.label, 'step 7')
  // The name of a group finds its tracks; a word with a minus hides some.
  const found = filter =>
    new Rows(roots, { ...freshTree(), filter }).rows.map(row => row.node.label)
  assert.deepEqual(found('step?8'), ['step 8', 'GPU › stream'])
  assert.deepEqual(found('step?8 -stream'), ['step 8'])
  assert.deepEqual(
    treeOf(model, 'step', null).map(root => root.label),
    ['GPU', 'main'],
  )
  assert.deepEqual(
    treeOf(model, 'layer', {
      by: 'layer',
      groups: [{ group: 0, name: null, lanes: [[0, 9]], rows: 9 }],
      unknown: 'needs layers',
    }).map(root => [root.label, root.reason]),
    [['no layer', 'needs layers']],
  )
})

test('tables of a part of a large profile are asked for when people say that they wait; those of the whole run at once', async () => {
  const { MOST_ROWS, askedOfScope, missing, scopeNote } = await part('widgets/scoped.js'),
    { scopeOf } = await part('widgets/frame.js'),
    { nothing, signal } = await part('lib/lit.js')
  const asked = [],
    window = signal({ t0: 5n, t1: 9n })
  const session = {
    scope: signal('whole'),
    patient: signal(false),
    model: { rows: MOST_ROWS + 1 },
    rangeOf: scope => (scope === 'whole' ? null : window.value),
    chosenOf: () => ({ tracks: [] }),
    chosenText: ({ tracks }) => (tracks.length ? tracks.length + ' tracks' : 'all tracks'),
    ask: async (_route, params) => {
      asked.push([params.t0, params.t1])
      return params.t0 === null ? {} : { t0: String(params.t0), t1: String(params.t1) }
    },
  }
  globalThis.window = globalThis // widgets wait for a moment by it before they ask again
  const { answer, dispose } = askedOfScope(session, () => ({ route: 'table/x', params: {} }))
  const come = async (t0, t1) => {
    while (
      answer.value.state !== 'done' ||
      answer.value.data.t0 !== t0 ||
      answer.value.data.t1 !== t1
    )
      await new Promise(resolve => setImmediate(resolve))
  }
  const textOf = template => (template === nothing ? '' : template.strings.join(' '))
  await come(undefined, undefined)
  assert.deepEqual([textOf(missing(session, answer.value)), scopeNote(session)], ['', ''])
  session.scope.value = 'window'
  assert.match(textOf(missing(session, answer.value)), /analyzers read all[^]*Work it out/)
  session.patient.value = true
  assert.match(textOf(missing(session, answer.value)), /aria-busy/) // what has come is of the whole run
  await come('5', '9')
  assert.deepEqual(
    [
      textOf(missing(session, answer.value)),
      scopeOf(session, answer.value) === 'past',
      scopeNote(session),
    ],
    ['', false, '4 ps of all tracks'],
  )
  window.value = { t0: 6n, t1: 9n }
  assert.ok(scopeOf(session, answer.value) === 'past')
  await come('6', '9')
  assert.deepEqual(asked, [
    [null, null],
    [5n, 9n],
    [6n, 9n],
  ])
  dispose()
})

test('counters of one unit have one axis when that is asked for, however many they are; else no unit is asked for', async () => {
  const { axesOf, axisText } = await part('timeline/axis.js'),
    { COUNTER } = await part('timeline/model.js')
  const made = all => ({
    tracks: new Map(
      all.map(([min, max], track) => [
        track,
        { track, counter: min === null ? null : { min, max, bins: null } },
      ]),
    ),
    lanesOf: new Map(all.map((_, track) => [track, [{ type: COUNTER, label: track }]])),
  })
  const counters = [
      [2, 5, 'byte'],
      [-3, 1, 'byte'],
      [7, 9, null],
      [null, null, 'byte'],
      [0, 0, '1'],
    ],
    asked = []
  const names = {
    unitOf: ([label]) => {
      asked.push(label)
      return counters[label][2]
    },
  }
  const common = axesOf(made(counters), names)
  assert.deepEqual(
    [...common]
      .sort(([a], [b]) => a - b)
      .map(([track, { low, high, rows }]) => [track, low, high, rows]),
    [
      [0, -3, 5, 2],
      [1, -3, 5, 2],
      [2, 0, 9, 1],
      [4, 0, 1, 1],
    ],
  )
  assert.equal(axisText(common.get(0), common.get(0).unit), 'axis -3 B to 5 B, of 2 rows')
  assert.deepEqual(asked, [0, 1, 2, 4])
  assert.deepEqual(
    [...axesOf(made(counters), null)].map(([track, { low, high, rows }]) => [
      track,
      low,
      high,
      rows,
    ]),
    [
      [0, 0, 5, 1],
      [1, -3, 1, 1],
      [2, 0, 9, 1],
      [4, 0, 1, 1],
    ],
  )
  const many = axesOf(made(Array.from({ length: 200000 }, (_, i) => [0, i])), {
    unitOf: () => 'byte',
  })
  assert.deepEqual([many.get(7).high, many.get(7).rows], [199999, 200000])
})

test('below a row is what was asked for last, and a row that was folded meanwhile stays folded', async () => {
  const { unfolded } = await part('widgets/unfolded.js'),
    { signal } = await part('lib/lit.js'),
    answerOf = t0 => ({ of: { params: { level: 'layer', t0 } } })
  const shown = signal(answerOf('1')),
    a = { name: 'a', device: '', calls: 1 },
    b = { ...a, name: 'b' },
    waiting = [],
    settle = () => new Promise(resolve => setImmediate(resolve))
  const rows = unfolded(
    { settings: signal({}) },
    'x',
    () => shown.value,
    () => [a, b],
    (row, { t0 }) =>
      new Promise((answer, fail) => waiting.push({ of: row.name + t0, answer, fail })),
  )
  rows.toggle(a)
  shown.value = answerOf('2')
  assert.deepEqual(
    waiting.map(one => one.of),
    ['a1', 'a2'],
  )
  waiting[1].answer(['second'])
  await settle()
  waiting[0].answer(['first'])
  await settle()
  assert.deepEqual(rows.below(a), ['second'])
  rows.toggle(b)
  rows.toggle(b)
  waiting[2].answer(null)
  await settle()
  assert.deepEqual([rows.isOpen(a), rows.isOpen(b)], [true, false])
  rows.dispose()
})

test('two markers that are compared with each other are one pair', async () => {
  const { comparedOf } = await part('base/markers.js'),
    mark = (id, t, versus) => ({ id, t, versus, name: id, color: 0, range: null })
  const seen = markers => comparedOf(markers).map(({ t0, t1 }) => [t0, t1])
  assert.deepEqual(seen([mark('a', 1n), mark('b', 5n)]), [[1n, 5n]])
  assert.deepEqual(seen([mark('a', 1n, 'b'), mark('b', 5n, 'a')]), [[1n, 5n]])
  assert.deepEqual(
    seen([mark('a', 1n), mark('b', 5n), mark('c', 9n, 'a'), mark('d', 11n, 'gone')]),
    [[1n, 9n]],
  )
  assert.deepEqual(seen([mark('a', 1n), mark('b', 5n), mark('c', 9n)]), [])
})

test('lists of lanes', async () => {
  const { ranges, floorDiv, levelOf, tilesOf } = await part('timeline/tiles.js')
  assert.equal(ranges([3, 1, 2, 7, 9, 10]), '1-3,7,9-10')
  assert.equal(ranges([]), '')
  assert.equal(floorDiv(-1n, 8n), -1n)
  assert.equal(floorDiv(-8n, 8n), -1n)
  assert.equal(floorDiv(7n, 8n), 0n)
  assert.equal(levelOf(1000n, 1000), 0)
  assert.equal(levelOf(1024000n, 1000), 10)
  assert.deepEqual(tilesOf(0, -1n, 2049n), [-1n, 0n, 1n])
})

test('a picture is laid out as docs/formats/view-api.md 2.1 says', async () => {
  const { decode } = await part('timeline/tiles.js')
  const n = 3,
    bytes = new ArrayBuffer(40 + 16 + n * 29),
    view = new DataView(bytes)
  view.setUint32(0, 0x5756504e, true)
  view.setUint32(4, 1, true)
  view.setUint32(8, 1, true)
  view.setUint32(12, n, true)
  view.setBigInt64(16, -5n, true)
  view.setBigInt64(24, 64n, true)
  view.setUint32(32, 0xffffffff, true)
  ;[17, 0, n, 0].forEach((value, i) => view.setUint32(40 + 4 * i, value, true))
  for (let column = 0; column < 7; column++)
    for (let i = 0; i < n; i++) view.setUint32(56 + (column * n + i) * 4, column * 100 + i, true)
  for (let i = 0; i < n; i++) view.setUint8(56 + 7 * n * 4 + i, 250 + i)
  const { picture, parts, next, rects } = decode(bytes)
  assert.deepEqual(parts, [{ lane: 17, from: 0, to: 3 }])
  assert.deepEqual([picture.t0, picture.p, next, rects], [-5n, 64n, 0xffffffff, 3])
  assert.deepEqual(
    [...picture.x0, ...picture.x1, ...picture.count],
    [0, 1, 2, 100, 101, 102, 400, 401, 402],
  )
  assert.deepEqual([...picture.fill], [250, 251, 252])
  view.setUint32(4, 2, true)
  assert.throws(() => decode(bytes), /version 1/)
})

test('a heading is hatched where more than half of a pixel is idle', async () => {
  const { mostlyIn } = await part('timeline/idle.js')
  assert.deepEqual(mostlyIn([{ a: 0, b: 10 }], 10), [[0, 10]])
  assert.deepEqual(mostlyIn([], 10), [])
  // 0.4 of each pixel is idle, then 0.6 of each, in two gaps; then one gap over parts of two pixels.
  assert.deepEqual(
    mostlyIn(
      Array.from({ length: 4 }, (_, x) => ({ a: x + 0.2, b: x + 0.6 })),
      8,
    ),
    [],
  )
  assert.deepEqual(
    mostlyIn(
      Array.from({ length: 4 }, (_, x) => [
        { a: x, b: x + 0.3 },
        { a: x + 0.5, b: x + 0.8 },
      ]).flat(),
      8,
    ),
    [[0, 4]],
  )
  assert.deepEqual(
    mostlyIn(
      [
        { a: 1.7, b: 4.4 },
        { a: 5.4, b: 6.1 },
        { a: 7.5, b: 7.99 },
      ],
      7.99,
    ),
    [
      [2, 4],
      [5, 6],
    ],
  )
})

test('the strip has a share for each pixel, whatever its parts are wide', async () => {
  const { sharesOf } = await part('timeline/idle.js')
  assert.deepEqual(
    [...sharesOf([255, 255, 255, 255, 255], 0, 0.8, 4)].map(one => one.toFixed(6)),
    Array(4).fill('1.000000'),
  )
  assert.deepEqual(
    [...sharesOf([255, 0, 51], 0.5, 1.5, 6)].map(one => Number(one.toFixed(6))),
    [0.5, 1, 0, 0.1, 0.2, 0],
  )
})

/** How much two colours contrast, as WCAG 2 has it. @param {number[]} a @param {number[]} b */
function contrastOf(a, b) {
  const light = rgb =>
    rgb
      .map(value => value / 255)
      .map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)
  const [most, least] = [light(a), light(b)].sort((x, y) => y - x)
  return (most + 0.05) / (least + 0.05)
}

test('T59 texts on canvases, which axe does not see, contrast by 4.5: on each colour of bars, and on the ground of each theme', async () => {
  const { PALETTE, INK } = await part('timeline/colours.js'),
    LINE = PALETTE.map((await part('timeline/palette.js')).lineOn)
  assert.equal(PALETTE.length, 24)
  for (const [i, rgb] of PALETTE.entries())
    assert.ok(
      contrastOf(rgb, INK[i] === '#000' ? [0, 0, 0] : [255, 255, 255]) >= 4.5,
      rgb + ' with ' + INK[i],
    )
  // Also where lines of a pattern lie below the text; and they are seen on the bar.
  for (const [i, rgb] of PALETTE.entries()) {
    const [value, , , alpha] = LINE[i].match(/[\d.]+/g).map(Number),
      line = rgb.map(one => one + (value - one) * alpha)
    assert.ok(
      contrastOf(line, INK[i] === '#000' ? [0, 0, 0] : [255, 255, 255]) >= 4.5,
      rgb + ' with ' + LINE[i],
    )
    assert.ok(contrastOf(line, rgb) >= 1.5, rgb + ' with ' + LINE[i] + ': ' + contrastOf(line, rgb))
  }
})

/** What theme.css says of colours, a block a case: its selector, and each token as three numbers. */
function tokensOf() {
  const style = fs.readFileSync(path.join(viewer, 'style', 'theme.css'), 'utf8'),
    hex = text => [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16))
  const blocks = [...style.matchAll(/^ *:root(\S*) \{([^}]*)\}/gm)]
    .map(([, name, body]) => ({
      name,
      ...Object.fromEntries(
        [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, key, value]) => [
          key,
          hex(value),
        ]),
      ),
    }))
    .filter(one => one.name !== ',')
  const light = blocks.filter(one => one.name === '' && one.ink2),
    dark = blocks.filter(one => one.name.includes('dark') && one.ink2)
  assert.equal(light.length, 2)
  assert.equal(dark.length, 2)
  // Where more contrast is preferred, inks and lines are others.
  return {
    light: [light[0], { ...light[0], ...light[1] }],
    dark: [
      { ...light[0], ...dark[0] },
      { ...light[0], ...dark[0], ...dark[1] },
    ],
  }
}

test('T59 texts of each theme contrast by 4.5 on each ground that they stand on, and inks of kinds on it by 3', () => {
  const { light, dark } = tokensOf()
  for (const theme of [...light, ...dark]) {
    for (const ink of [
      'ink',
      'ink2',
      'ink3',
      'link',
      'bad',
      'warn',
      'code-keyword',
      'code-string',
      'code-number',
    ])
      for (const ground of ['panel', 'bg', 'raise', 'hover', 'on'])
        assert.ok(
          contrastOf(theme[ink], theme[ground]) >= 4.5,
          ink + ' on ' + ground + ': ' + contrastOf(theme[ink], theme[ground]),
        )
    assert.ok(contrastOf(theme.warn, theme['warn-bg']) >= 4.5)
    for (const edge of ['kt', 'ct', 'mt', 'it', 'i2', 'focus'])
      assert.ok(
        contrastOf(theme[edge], theme.panel) >= 3,
        edge + ': ' + contrastOf(theme[edge], theme.panel),
      )
  }
})

/** A colour with a share of white, or of black where it is below 0, as color-mix() has it in oklab. @param {number[]} rgb @param {number} share */
function mixed(rgb, share) {
  const product = (m, v) => m.map(row => row.reduce((sum, one, i) => sum + one * v[i], 0))
  const linear = rgb
    .map(value => value / 255)
    .map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  const lms = product(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    linear,
  ).map(Math.cbrt)
  const lab = product(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    lms,
  )
  const [l, a, b] = lab.map(
    (one, i) => one * (1 - Math.abs(share)) + (i === 0 && share > 0 ? share : 0),
  )
  const back = product(
    [
      [1, 0.3963377774, 0.2158037573],
      [1, -0.1055613458, -0.0638541728],
      [1, -0.0894841775, -1.291485548],
    ],
    [l, a, b],
  ).map(one => one ** 3)
  return product(
    [
      [4.0767416621, -3.3077115913, 0.2309699292],
      [-1.2684380046, 2.6097574011, -0.3413193965],
      [-0.0041960863, -0.7034186147, 1.707614701],
    ],
    back,
  ).map(v => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055) * 255)
}

test('bars have the hue of their kind of work and one of five lightnesses by name, as color-mix() would have them', async () => {
  const { KINDS, SHADES, paletteOf } = await part('timeline/palette.js'),
    { PALETTE, Colours } = await part('timeline/colours.js'),
    { light, dark } = tokensOf(),
    style = fs.readFileSync(path.join(viewer, 'style', 'theme.css'), 'utf8')
  const texts = [...style.matchAll(/--l(\d): (\w+ \d+%)/g)].map(([, , text]) => text)
  for (const [nth, theme, shares] of [
    [0, light[0], [0, -0.06, 0.09, 0.18, 0.3]],
    [1, dark[0], [0.04, 0, -0.1, -0.18, -0.26]],
  ]) {
    const of = token =>
        /^--l\d/.test(token) ? texts[nth * SHADES + Number(token[3])] : token.slice(2),
      palette = paletteOf(PALETTE, of, token => theme[token])
    for (const [k, kind] of [...KINDS].entries())
      for (const [i, share] of shares.entries()) {
        const own = palette.rgb[PALETTE.length + k * SHADES + i],
          expected = mixed(theme[kind], share)
        assert.ok(
          own.every((value, c) => Math.abs(value - expected[c]) <= 1),
          kind + i + ': ' + own + ' is not ' + expected,
        )
        assert.ok(contrastOf(theme.barink, own) >= 4.5)
      }
  }
  const host = (name, category) => [name, category, '', null, null, null, null, null, false],
    work = (name, what) => [name, 'kernel', '', null, null, null, null, what, false]
  const labels = [
    host('aten::mm', 'cpu_op'),
    host('model.py(7): forward', 'python_function'),
    host('cudaLaunchKernel', 'cuda_runtime'),
    host('ProfilerStep#4', 'user_annotation'),
    work('gemm', 'compute'),
    work('ncclAllReduce', 'communication'),
    work('Memcpy HtoD', 'memory'),
    work('wait', 'control'),
    work('ProfilerStep#4', null),
  ]
  const colours = new Colours(
    { total: labels.length, version: { peek: () => 0 }, mixed: new Set(), get: i => labels[i] },
    'work',
    { verdicts: null },
  )
  const kindOf = i => KINDS[Math.floor((colours.of(i, i > 3) - PALETTE.length) / SHADES)]
  assert.equal(labels.map((_, i) => kindOf(i)).join(''), 'oprakcmxa')
})

test('T59 texts contrast by 4.5 on bars of each kind of work, in each of the five lightnesses that tell names apart', () => {
  assert.deepEqual(
    mixed([255, 0, 0], 0).map(one => Math.round(Math.abs(one))),
    [255, 0, 0],
  )
  assert.deepEqual(mixed([0, 0, 0], 1).map(Math.round), [255, 255, 255])
  const { light, dark } = tokensOf()
  for (const [theme, shares] of [
    [light[0], [0, -0.06, 0.09, 0.18, 0.3]],
    [dark[0], [0.04, 0, -0.1, -0.18, -0.26]],
  ])
    for (const kind of ['k', 'c', 'm', 'x', 'o', 'p', 'r', 'a', 'i'])
      for (const share of kind === 'i' ? [0] : shares)
        assert.ok(
          contrastOf(theme.barink, mixed(theme[kind], share)) >= 4.5,
          kind + ' ' + share + ': ' + contrastOf(theme.barink, mixed(theme[kind], share)),
        )
})

test('parts of a chart whose colours are alike differ by their hatching', async () => {
  const { fillsOf } = await part('charts/fill.js')
  const rgbOf = text => text.match(/\d+/g).map(Number),
    far = (a, b) => Math.hypot(...rgbOf(a).map((value, i) => value - rgbOf(b)[i]))
  let hatched = 0
  for (let set = 0; set < 300; set++) {
    const fills = [...fillsOf(Array.from({ length: 9 }, (_, i) => `part ${set}.${i}`)).values()]
    for (const [i, one] of fills.entries()) {
      const before = fills.slice(0, i),
        alike = before.filter(other => far(one.colour, other.colour) < 60)
      if (alike.length < 4)
        assert.ok(
          alike.every(other => !Object.is(other.angle, one.angle)),
          one.colour,
        )
      if (!alike.length) assert.ok(Number.isNaN(one.angle))
      hatched += alike.length > 0
    }
  }
  assert.ok(hatched > 100)
})

test('parts of a step have the hue of their kind of work; of idle time none is plain, and no three are alike', async () => {
  const { fillsOfParts } = await part('charts/fill.js')
  const idle = ['idle_host', 'idle_launch', 'idle_wait'],
    fills = fillsOfParts(['compute', 'exposed_communication', 'exposed_copy', 'other', ...idle])
  assert.deepEqual(
    ['compute', 'exposed_communication', 'exposed_copy', 'other'].map(one => [
      fills.get(one).colour,
      fills.get(one).angle,
    ]),
    ['k', 'c', 'm', 'x'].map(hue => [`var(--${hue})`, NaN]),
  )
  assert.deepEqual(
    idle.map(one => [fills.get(one).colour, fills.get(one).stripe, fills.get(one).angle]),
    [45, -45, 0].map(angle => ['var(--i)', 'var(--i2)', angle]),
  )
  const many = fillsOfParts(Array.from({ length: 9 }, (_, i) => 'idle' + i))
  assert.ok([...many.values()].every(fill => !Number.isNaN(fill.angle)))
})

test('a missing NEFF is said of an NTFF, not of the JSON of the vendor, which has names', async () => {
  const { doubtsOf, wantsNeff } = await part('base/doubts.js')
  const profileOf = properties => ({
    inputs: [{ decoder: 'ntff', properties }],
    warnings: [],
    unclosed: 0,
    lost: 0,
    skipped: [],
  })
  const json = profileOf({ wants: 'neff' }),
    ntff = profileOf({ wants: 'neff', notice: 'version 5' }),
    head = { certainty: 'checked' }
  assert.ok(wantsNeff(json) && wantsNeff(ntff))
  assert.deepEqual(doubtsOf(json, head), [])
  assert.match(doubtsOf(ntff, head).join(), /^No NEFF beside it/)
})

test('what was skipped for a reason is said once for all inputs, and rounding below a picosecond not at all', async () => {
  const { doubtsOf } = await part('base/doubts.js')
  const skipped = [
    ['1200', 'rows without a time', 'no time'],
    ['3', 'digits beyond a picosecond', 'the time was rounded to the nearest picosecond'],
    ['34', 'rows without a time', 'no time'],
    ['5', 'rows without a time', 'another reason'],
  ].map(([count, what, reason]) => ({ count, what, reason }))
  const profile = { inputs: [], warnings: [], unclosed: 0, lost: 0, skipped }
  assert.deepEqual(doubtsOf(profile, { certainty: 'checked' }), [
    '1,234 × rows without a time: no time',
    '5 × rows without a time: another reason',
  ])
})

test('a count of one has no s; a number alone is that of a process', () => {
  assert.deepEqual(
    [0, 1, '1', 2, 1200].map(n => values.counted(n, 'row')),
    ['0 rows', '1 row', '1 row', '2 rows', '1,200 rows'],
  )
  assert.deepEqual(['100', 'GPU 0', '/device:TPU:0'].map(values.deviceText), [
    'process 100',
    'GPU 0',
    '/device:TPU:0',
  ])
  assert.deepEqual([0.1, 0, -0.25].map(values.changeText), ['+10.0 %', '0.0 %', '-25.0 %'])
})

test('words of a search keep what is quoted', async () => {
  const { wordsOf } = await part('base/hits.js')
  assert.deepEqual(wordsOf('name="two words" dur>1ms x'), ['name="two words"', 'dur>1ms', 'x'])
  assert.deepEqual(wordsOf('name="a \\" b" c'), ['name="a \\" b"', 'c'])
})

test('the colour of a label is looked for once, and again when texts have come', async () => {
  const { Colours, colourOf } = await part('timeline/colours.js'),
    { signal } = await part('lib/lit.js')
  let asked = 0
  const texts = [],
    names = {
      total: 2,
      mixed: new Set(),
      version: signal(0),
      get: label => (asked++, texts[label] ?? null),
    }
  const colours = new Colours(names, 'name', { verdicts: null })
  const grey = colours.of(1, false)
  texts[1] = ['gemm', '', 'gemm', null, null, null]
  assert.equal(colours.of(1, false), grey)
  names.version.value++
  colours.refresh()
  assert.equal(colours.of(1, false), colourOf('gemm'))
  colours.refresh()
  colours.of(1, false)
  assert.equal(asked, 2)
})

test('the bars of a waterfall lead from one sum to the other without a hole, and the axis holds all', async () => {
  const { OTHER, axisOf, changesOf } = await part('base/waterfall.js'),
    sum = (mean, parts) => ({
      mean,
      parts: Object.entries(parts).map(([part, time]) => ({ part, time })),
    })
  const a = sum(1000n, { compute: 600n, comm: 100n, host: 300n }),
    b = sum(1110n, { compute: 600n, comm: 460n, copy: 50n })
  const changes = changesOf(a, b)
  assert.deepEqual(
    changes.map(({ part, by }) => [part, by]),
    [
      ['comm', 360n],
      ['host', -300n],
      ['copy', 50n],
    ],
  )
  assert.equal(changes[0].from, a.mean)
  changes.slice(1).forEach((one, i) => assert.equal(one.from, changes[i].to))
  assert.equal(changes.at(-1).to, b.mean)
  const { start, end } = axisOf(a, b, changes)
  for (const { from, to } of changes) assert.ok(from >= start && to >= start && to <= end)
  // What no part has is a part; the same twice changes nothing.
  assert.deepEqual(changesOf(sum(10n, { compute: 7n }), sum(12n, { compute: 7n })), [
    { part: OTHER, by: 2n, from: 10n, to: 12n },
  ])
  assert.deepEqual(changesOf(a, a), [])
})

test('a lane is written as each of its pixels says: full or as high as it is busy, with an edge at its foot', async () => {
  globalThis.ImageData ??= class {
    constructor(width, height) {
      this.data = new Uint8ClampedArray(4 * width * height)
    }
  }
  const { LaneImage } = await part('timeline/image.js'),
    { FAINT } = await part('timeline/density.js')
  const [width, height] = [40, 50],
    colours = Array.from({ length: 3 }, (_, i) => i),
    palette = {
      pixel: Uint32Array.from(colours, i => 0x101010 + i),
      seam: Uint32Array.from(colours, i => 0x202020 + i),
      edge: Uint32Array.from(colours, i => 0x303030 + i),
    }
  let seed = 7
  const random = below => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % below
  const image = new LaneImage(width, height)
  for (let round = 0; round < 40; round++) {
    const ground = Int32Array.from({ length: width }, (_, x) => (x % 7 ? 0 : 0x80445566)),
      wanted = Uint32Array.from({ length: width * height }, (_, i) => ground[i % width]),
      from = random(8),
      to = height - random(8),
      thin = 1 + random(2)
    image.fill(ground, 0, height)
    for (let top = -5; top < height; top += 18) {
      const h = [18, 36, 3, 6][random(4)],
        shares = new Map()
      image.columns.clear()
      for (let x = 0; x < width; x += 1 + random(6)) {
        const [colour, faint, length] = [random(3), random(4) ? 0 : FAINT, 1 + random(6)],
          end = Math.min(width, x + length)
        if (random(2)) {
          image.columns.addBar(x, end, colour | faint)
          for (let at = x; at < end; at++)
            shares.set(at, { busy: 1, colour, faint, seam: end - x > 2 && at === end - 1 })
        } else if (!shares.has(x)) {
          const busy = random(100) / 100 + 1e-6
          image.columns.add(x, busy, colour | faint)
          shares.set(x, { busy: Math.fround(busy), colour, faint, seam: false })
        }
      }
      image.write(palette, ground, top, h, thin, from, to)
      for (const [x, { busy, colour, faint, seam }] of shares) {
        const high = busy < 1 ? Math.max(Math.min(h, 2 * thin), Math.round(h * busy)) : h
        for (let y = h - high; y < h; y++) {
          if (top + y < from || top + y >= to) continue
          const values = h > 4 * thin && y >= h - thin ? 'edge' : seam ? 'seam' : 'pixel'
          wanted[(top + y) * width + x] = palette[values][colour] + (faint ? 0x40 : 0xff) * 2 ** 24
        }
      }
      if (h > 18) break
    }
    assert.deepEqual([...new Uint32Array(image.pixels.buffer)], [...wanted])
  }
})
