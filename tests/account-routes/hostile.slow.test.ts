// Hostile GPX sent to a running server in every way: refused quickly, and the kernel sees no file opened and no
// connection made (issue 5).
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { until } from '../faults/harness/server.ts'
import { readByGlibc, whyNoStrace } from '../helpers/tools.ts'
import { filesBody, forms, hostileBodies, hostileGpx, type Body } from './documents.ts'
import { startRouteService, type RouteService } from './route-service.ts'

const skip = whyNoStrace()
/** Under strace, which slows down each call, on a shared machine: 20 to 950 ms were measured. */
const atOnceMs = 5_000
const harmless = '<gpx><wpt lat="1" lon="1"/></gpx>'

interface Traced {
  readonly service: RouteService
  /** Opened files and connections since the last call, except in the test's folder. */
  readonly strangeCalls: () => Promise<string[]>
}

async function startTraced(t: TestContext, preloads: readonly string[] = []): Promise<Traced> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-strace-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const calls = path.join(folder, 'calls')
  const under = ['strace', '-f', '-o', calls, '-e', 'trace=open,openat,openat2,connect,execve']
  const service = await startRouteService({ under, preloads })
  t.after(() => service.end())
  const ours = path.dirname(service.dataDir)
  let seen = 0
  return {
    service,
    strangeCalls: async () => {
      let text = ''
      // The probe writes one of our files, so everything before it has been seen.
      await service.held()
      await until(async () => {
        text = await readFile(calls, 'utf8')
        return text.slice(seen).includes(ours)
      }, 'strace to tell of the probe')
      const lines = text.slice(seen).split('\n')
      seen = text.length
      return lines.filter(
        (line) =>
          /\b(open\w*|connect|execve)\(/.test(line) && !line.includes(ours) && !readByGlibc.test(line),
      )
    },
  }
}

interface Sending {
  readonly post: (body: Body) => ReturnType<RouteService['ask']>
  readonly put: (body: Body) => ReturnType<RouteService['ask']>
  readonly importFiles: (files: readonly string[]) => ReturnType<RouteService['ask']>
}

/** @returns requests that have been made once, so that lazy imports are done. */
async function warmed(service: RouteService): Promise<Sending> {
  const [walker] = service.walkers
  assert.ok(walker)
  const set = `/Accounts/${walker.accountId}/Routes`
  const { text: routeId } = await service.ask({ method: 'POST', path: set, ...forms.JSON(harmless) })
  const sending: Sending = {
    post: (body) => service.ask({ method: 'POST', path: set, ...body }),
    put: (body) => service.ask({ method: 'PUT', path: `${set}/${routeId}`, ...body }),
    importFiles: (files) =>
      service.ask({
        method: 'POST',
        path: `/v2/accounts/${walker.accountId}/routes/import`,
        ...filesBody(files),
      }),
  }
  for (const gpx of [harmless, 'nonsense', `<gpx>${'<wpt lat="1" lon="1"/>'.repeat(100_000)}</gpx>`]) {
    for (const form of Object.values(forms)) {
      await sending.post(form(gpx))
      await sending.put(form(gpx))
    }
    await sending.importFiles([gpx])
  }
  return sending
}

void test(
  'C33: hostile GPX in JSON, XML and files is refused at once, and no file or URL is opened',
  { skip },
  async (t) => {
    const { service, strangeCalls } = await startTraced(t)
    const { post, put, importFiles } = await warmed(service)
    await strangeCalls()
    let maxMs = 0
    for (const [name, gpx] of Object.entries(hostileGpx)) {
      for (const [formName, form] of Object.entries(forms)) {
        for (const [method, send] of Object.entries({ post, put })) {
          const { status, text, milliseconds } = await send(form(gpx))
          assert.equal(status, 400, `${method} of ${name} in ${formName}: ${text}`)
          assert.ok(milliseconds < atOnceMs, `${method} of ${name} in ${formName} took ${milliseconds} ms`)
          maxMs = Math.max(maxMs, milliseconds)
        }
      }
    }
    const { status, text, milliseconds } = await importFiles(Object.values(hostileGpx))
    assert.equal(status, 200, text)
    const { results } = JSON.parse(text) as { results: { problem?: { status: number; detail: string } }[] }
    for (const [index, name] of Object.keys(hostileGpx).entries())
      assert.equal(
        results[index]?.problem?.status,
        400,
        `${name} as a file: ${JSON.stringify(results[index])}`,
      )
    assert.ok(milliseconds < atOnceMs, `the import took ${milliseconds} ms`)
    assert.deepEqual(await strangeCalls(), [])
    t.diagnostic(`at most ${maxMs.toFixed(0)} ms, an import of all ${milliseconds.toFixed(0)} ms`)
  },
)

void test(
  'C8, trust 32: a hostile XML body around a route is refused at once, and no file or URL is opened',
  { skip },
  async (t) => {
    const { service, strangeCalls } = await startTraced(t)
    const { post, put } = await warmed(service)
    await strangeCalls()
    for (const [name, body] of Object.entries(hostileBodies)) {
      for (const send of [post, put]) {
        const { status, text, milliseconds } = await send({ type: 'application/xml', body })
        assert.equal(status, 400, `${name}: ${text}`)
        assert.ok(milliseconds < atOnceMs, `${name} took ${milliseconds} ms`)
      }
    }
    assert.deepEqual(await strangeCalls(), [])
  },
)

void test('the test itself notices a server that opens a file or a URL', { skip }, async (t) => {
  const wrong = path.join(import.meta.dirname, 'opens-files.ts')
  const { service, strangeCalls } = await startTraced(t, [wrong])
  const { post } = await warmed(service)
  await strangeCalls()
  await post(forms.JSON(hostileGpx['XXE of a file'] ?? ''))
  const seen = (await strangeCalls()).join('\n')
  assert.match(seen, /open\w*\(.*\/etc\/passwd/)
  assert.match(seen, /connect\(.*htons\(9\)/)
})
