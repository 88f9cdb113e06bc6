// Chunks of a body that wait for a busy reader: small ones are joined, and all stay in order.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createIncoming } from '../../../src/http/bodies/incoming.ts'
import type { ServerLimits } from '../../../src/http/limits.ts'

function incomingOf(pieces: readonly Uint8Array[]) {
  const request = new Readable({ read: () => undefined })
  Object.assign(request, { headers: {}, complete: true, socket: {} })
  for (const piece of [...pieces, null]) request.push(piece)
  return createIncoming({
    request: request as IncomingMessage,
    response: new EventEmitter() as ServerResponse,
    limits: { maxImageBytes: 1e6, uploadTimeoutSeconds: 60, requestTimeoutSeconds: 60 } as ServerLimits,
    isUpload: false,
    isWaiting: false,
    since: performance.now(),
    isHijacked: () => false,
    answerRaw: assert.fail,
    closeGently: assert.fail,
    halfClose: assert.fail,
  })
}

async function readSlowly(pieces: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const read: Uint8Array[] = []
  for await (const piece of incomingOf(pieces).read()) {
    read.push(piece)
    await turn()
  }
  return read
}

const pieceOf = (length: number, at: number): Buffer => Buffer.alloc(length, at % 251)

const cases: Readonly<Record<string, { lengths: readonly number[]; read: readonly number[] }>> = {
  'one short piece, as it is': { lengths: [200], read: [200] },
  'short pieces, as one': { lengths: [1, 2, 3, 4], read: [10] },
  'a long piece between short ones': { lengths: [1, 5_000, 2, 3], read: [1, 5_000, 5] },
  'long pieces, as they are': { lengths: [5_000, 6_000], read: [5_000, 6_000] },
  'more short pieces than are gathered at once': {
    lengths: Array.from({ length: 7 }, () => 4_000),
    read: [16_000, 4_000, 8_000],
  },
}

for (const [what, { lengths, read }] of Object.entries(cases)) {
  void test(what, async () => {
    const pieces = lengths.map(pieceOf)
    const found = await readSlowly(pieces)
    assert.deepEqual(Buffer.concat(found), Buffer.concat(pieces))
    assert.deepEqual(
      found.map(({ length }) => length),
      read,
    )
  })
}
