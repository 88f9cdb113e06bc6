// A server that ends during a measurement: the run reports which one, how, and its last output.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { endChildren, watchChild } from '../../bench/parts/child.ts'
import { startLoad } from '../../bench/parts/load.ts'

const dyingServer = `
let left = 100
const server = require('http').createServer((request, response) => {
  left -= 1
  if (left > 0) return response.end('hello')
  process.stderr.write('the disk is gone', () => process.exit(3))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)))
`

void test('measuring a server that dies fails with the sentence of its death', async () => {
  const process = spawn(globalThis.process.execPath, ['-e', dyingServer], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let words = ''
  process.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text
  })
  const { pid, death } = watchChild(process, 'dying', () => words)
  const load = startLoad({ isQuick: true })
  try {
    const [port] = (await once(process.stdout, 'data')) as [Buffer]
    const target = {
      name: 'dying',
      port: Number(port),
      pids: [pid],
      death,
      connections: 4,
      asks: [{ path: '/' }],
    }
    const measured = load.contender(target).then((contender) => contender.slice(5_000))
    await assert.rejects(measured, { message: 'dying ended with code 3: the disk is gone.' })
  } finally {
    await load.close()
  }
})

void test('processes left running by a benchmark path are ended', async () => {
  const process = spawn(globalThis.process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const { death } = watchChild(process, 'left', () => '')
  await endChildren()
  assert.equal(process.signalCode, 'SIGTERM')
  assert.equal(death(), undefined, 'it was told to end')
})
