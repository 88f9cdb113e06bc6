// The report of a run: every goal has a row, including losses and what was not measured, without details of the machine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Slice } from '../../bench/parts/bench.ts'
import { jsonOf, markdownOf, rowsOf, screenTable, type PathResult } from '../../bench/parts/report.ts'

const environment = {
  date: '2026-05-14',
  command: 'npm run bench view',
  node: 'v26.0.0',
  cores: 2,
  processor: 'A processor',
  kernel: 'Linux 6',
  nginx: 'nginx/1',
}

const slicesOf = (...cpuUs: number[]): Slice[] =>
  cpuUs.map((figure) => ({ done: 1, cpuUs: figure, wallMs: 1_000 }))

const found: PathResult = {
  name: 'view',
  about: 'photos',
  notes: ['50 photos.'],
  cases: [
    {
      name: 'size sm',
      goals: [
        { what: 'small', of: 'ours', to: 'nginx', figure: 'cpu', atMost: 3, stretch: 2 },
        { what: 'tiny', of: 'ours', to: 'nginx', figure: 'cpu', atMost: 1.1 },
        { what: 'other', of: 'directus', to: 'ours', figure: 'cpu', atLeast: 150 },
      ],
      sliceMs: 1_000,
      rounds: 7,
      slices: new Map([
        ['ours', slicesOf(15, 15, 15, 15, 15, 15, 15)],
        ['nginx', slicesOf(10, 10, 10, 10, 10, 10, 10)],
      ]),
      absent: [{ name: 'directus', absent: 'it is not installed.' }],
      discarded: 2,
      disturbed: 1,
      ddMs: [3, 1, 2],
      pacings: new Map([['ours', { perSecond: 500, latenciesMs: [1, 2, 9] }]]),
    },
  ],
}

void test('each goal is a row: met, missed, and not measured with the reason', () => {
  const verdicts = rowsOf([found]).map(({ ratio, verdict, why }) => ({ ratio, verdict, why }))
  assert.deepEqual(verdicts, [
    { ratio: 1.5, verdict: 'met', why: undefined },
    { ratio: 1.5, verdict: 'NOT MET', why: undefined },
    { ratio: undefined, verdict: 'not measured', why: 'it is not installed.' },
  ])
})

void test('the table on the screen is the one in the Markdown, with the stretch goal that was reached', () => {
  for (const text of [screenTable(rowsOf([found])), markdownOf(environment, [found])]) {
    assert.match(
      text,
      /small \(CPU: ours \/ nginx\).*1\.50 ×.*1\.50–1\.50.*≤ 3 × \(stretch 2 ×\).*met, stretch too/,
    )
    assert.match(text, /tiny.*NOT MET/)
    assert.match(text, /≥ 150 ×.*not measured: it is not installed\./)
  }
})

void test('the Markdown reports the noise, the disk, the steady rate and the notes', () => {
  const text = markdownOf(environment, [found])
  assert.match(text, /2 slices thrown away because of foreign CPU\. 1 kept in spite of it\./)
  assert.match(text, /dd conv=fsync of as many bytes: 2\.00 ms \(1\.00–3\.00\)/)
  assert.match(text, /2\.00 \/ 8\.86 \/ 9\.00 at 500\/s/)
  assert.match(text, /- 50 photos\./)
})

void test('a path that failed is reported, without a sentence that could name folders of the machine', () => {
  const failed = { ...found, failure: 'waymark ended in /somewhere/secret' }
  const written = markdownOf(environment, [failed]) + jsonOf(environment, [failed])
  assert.match(written, /Not measured to its end/)
  assert.doesNotMatch(written, /somewhere/)
})

void test('the JSON has every slice, so that each ratio can be recomputed', () => {
  const { rows, paths } = JSON.parse(jsonOf(environment, [found])) as {
    rows: { ratios: number[] }[]
    paths: { cases: { contenders: { slices: { cpuUs: number }[] }[] }[] }[]
  }
  assert.deepEqual(
    rows[0]?.ratios,
    Array.from({ length: 7 }, () => 1.5),
  )
  assert.deepEqual(
    paths[0]?.cases[0]?.contenders.map(({ slices }) => slices.map(({ cpuUs }) => cpuUs)),
    [Array.from({ length: 7 }, () => 15), Array.from({ length: 7 }, () => 10)],
  )
})

void test('a goal for an unknown contender fails the run', () => {
  const [one] = found.cases
  assert.ok(one)
  const goals = [{ what: 'typo', of: 'ours', to: 'ngnix', figure: 'cpu' }] as const
  assert.throws(() => rowsOf([{ ...found, cases: [{ ...one, goals }] }]), /compares ours with ngnix/)
})
