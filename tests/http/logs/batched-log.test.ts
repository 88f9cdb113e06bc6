// The log is written in batches, in order, and bounded if its reader is slow (trust 40).
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createBatchedLog } from '../../../src/http/logs/batched-log.ts'

/** A reader that reads a chunk on request. */
function createReader() {
  const chunks: string[] = []
  let go: (error?: Error) => void = () => undefined
  const output = new Writable({
    decodeStrings: false,
    emitClose: false,
    autoDestroy: false, // like process.stdout, which survives a failure
    write: (chunk: string, _encoding, done) => {
      chunks.push(chunk)
      go = (error) => done(error)
    },
  })
  return { output, chunks, take: (error?: Error) => go(error) }
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

void test('trust 40: a quiet server writes its log lines at the end of the turn, together and in order', async () => {
  const { output, chunks, take } = createReader()
  const log = createBatchedLog(output)
  log.write('a\n')
  log.write('b\n')
  assert.deepEqual(chunks, [])
  await turn()
  assert.deepEqual(chunks, ['a\nb\n'])
  take()
  log.write('c\n')
  log.flush()
  take()
  assert.deepEqual(chunks, ['a\nb\n', 'c\n'])
})

void test('trust 40: a turn that logs endlessly is written in parts', () => {
  const chunks: string[] = []
  const log = createBatchedLog({
    writableLength: 0,
    on: () => undefined,
    write: (text, written) => {
      chunks.push(text)
      written()
    },
  })
  const line = `${'x'.repeat(999)}\n`
  for (let written = 0; written < 1_000; written += 1) log.write(line)
  assert.ok(chunks.length >= 10 && chunks.every((chunk) => chunk.length < 100_000))
  log.flush()
  assert.equal(chunks.join(''), line.repeat(1_000))
})

void test('trust 40: a slow log reader uses limited memory, and is told how many lines it missed', () => {
  const { output, chunks, take } = createReader()
  const log = createBatchedLog(output)
  const written = 20_000
  for (let count = 0; count < written; count += 1) log.write(`${'x'.repeat(999)}\n`)
  log.flush()
  assert.ok(output.writableLength < 9 * 1024 * 1024, String(output.writableLength))
  while (output.writableLength > 0) take()
  for (const line of ['late\n', 'last\n']) {
    log.write(line)
    log.flush()
    take()
  }
  const lines = chunks.join('').trimEnd().split('\n')
  const kept = lines.filter((one) => one.startsWith('x')).length
  const notice = JSON.parse(lines.at(-3) ?? '') as Record<string, unknown>
  assert.deepEqual([notice['level'], notice['msg']], [40, 'log lines were dropped'])
  assert.equal(notice['missing'], written - kept)
  assert.ok(kept > 8_000 && kept < written)
  assert.deepEqual(lines.slice(-2), ['late', 'last'])
})
