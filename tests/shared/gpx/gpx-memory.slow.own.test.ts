// 8 MiB of GPX, each in a process of its own: under 60 MB of growth, and the event loop never held for 50 ms.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const script = path.join(import.meta.dirname, 'gpx-memory.ts')

interface Outcome {
  readonly fault?: string
  readonly pointCount?: number
  readonly count: number
  readonly growthMegabytes: number
  readonly readMs: number
  readonly maxTurnMs: number
}

async function outcomeOf(...parts: readonly string[]): Promise<Outcome> {
  const { stdout } = await run(process.execPath, [script, ...parts], { timeout: 60_000 })
  return JSON.parse(stdout) as Outcome
}

const track = ['<gpx><trk><trkseg>', '</trkseg></trk></gpx>'] as const
const documents: Readonly<Record<string, readonly [head: string, chunk: string, tail: string]>> = {
  'the shortest points': [track[0], '<trkpt lat="1" lon="1"/>', track[1]],
  'points of a device': [
    track[0],
    '<trkpt lat="45.1234567" lon="7.1234567"><ele>123.4</ele><time>2020-01-01T00:00:00Z</time></trkpt>',
    track[1],
  ],
}

for (const [name, parts] of Object.entries(documents)) {
  void test(`C33: 8 MiB of ${name} are read in bounded memory, in steps`, async (t) => {
    const { fault, pointCount, count, growthMegabytes, readMs, maxTurnMs } = await outcomeOf(...parts)
    t.diagnostic(
      `${count} points, ${readMs.toFixed(0)} ms, ${growthMegabytes.toFixed(1)} MB, ${maxTurnMs.toFixed(1)} ms`,
    )
    assert.equal(fault, undefined)
    assert.equal(pointCount, count)
    assert.ok(growthMegabytes < 60, `grew by ${growthMegabytes} MB`)
    assert.ok(maxTurnMs < 50, `held the loop for ${maxTurnMs} ms`)
  })
}

const hostile: Readonly<Record<string, readonly [head: string, chunk: string, tail: string]>> = {
  'hyphens in a comment': ['<gpx><!--', '- ', '--></gpx>'],
  'brackets in CDATA': ['<gpx><![CDATA[', '] ', ']]></gpx>'],
  'tabs in an attribute': ['<gpx a="', '\t', '"/>'],
  'references in a name': ['<gpx><metadata><name>', '&lt;', '</name></metadata></gpx>'],
  'attributes in one tag': ['<gpx ', 'a="" ', '/>'],
  'open tags': ['<gpx>', '<a>', ''],
}

for (const [name, parts] of Object.entries(hostile)) {
  void test(`C33: 8 MiB of ${name} are refused in bounded memory`, async () => {
    const { fault, growthMegabytes } = await outcomeOf(...parts)
    assert.match(fault ?? 'read', /\(gpx line 1, element .+\)\.$/)
    assert.ok(growthMegabytes < 60, `grew by ${growthMegabytes} MB`)
  })
}
