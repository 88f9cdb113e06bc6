// Compares responses with golden files: status line, chosen headers and body, byte for byte.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { send, type WireRequest } from './wire.ts'

const shownHeaders = [
  'Allow',
  'Cache-Control',
  'Content-Type',
  'Location',
  'Referrer-Policy',
  'Vary',
  'WWW-Authenticate',
  'X-Content-Type-Options',
]

/** Headers are sorted; the request id, which is random, is left out. */
async function asGolden(answer: Response): Promise<string> {
  const headers = shownHeaders.flatMap((name) => {
    const value = answer.headers.get(name)
    return value === null ? [] : [`${name}: ${value}`]
  })
  const body = (await answer.text()).replace(/urn:waymark:request:[\da-f-]{36}/, 'urn:waymark:request:ID')
  return [`HTTP/1.1 ${answer.status} ${answer.statusText}`, ...headers, '', body].join('\n')
}

/** @param folder of the golden files, ending in a slash. */
export function createGoldens(folder: URL, serverUrl: () => string) {
  const checked = new Set<string>()
  return {
    check: async (name: string, request: WireRequest): Promise<void> => {
      checked.add(name)
      const golden = readFileSync(new URL(name, folder))
      const answer = await asGolden(await send(serverUrl(), request))
      assert.deepEqual(answer.split('\n'), golden.toString().split('\n'), name)
    },

    /** Fails if a golden file was not used. */
    assertAllChecked: (): void => {
      assert.deepEqual([...checked].toSorted(), readdirSync(folder).toSorted())
    },
  }
}
