// Dropped files: folders are read completely, and no file is silently ignored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesBelow, type Entry } from '../../web/pages/upload/walk-entries.ts'

type Reported = (error: Error) => void

const entry = (name: string, more: object): Entry => ({ name, isFile: false, isDirectory: false, ...more })

const file = (name: string): Entry =>
  entry(name, { isFile: true, file: (take: (file: File) => void) => take(new File(['x'], name)) })

const unreadable = (name: string): Entry =>
  entry(name, { isFile: true, file: (_: unknown, fail: Reported) => fail(new Error('gone')) })

const folder = (name: string, entries: readonly Entry[], isForbidden = false): Entry =>
  entry(name, {
    isDirectory: true,
    createReader: () => {
      const parts = [entries, []]
      return {
        readEntries: (take: (some: readonly Entry[]) => void, fail: Reported) =>
          isForbidden ? fail(new Error('forbidden')) : take(parts.shift() ?? []),
      }
    },
  })

void test('an entry that cannot be read does not affect the others, and becomes an empty file with its name', async () => {
  const secret = folder('secret', [], true)
  const dropped = folder('day', [file('b10.jpg'), unreadable('b2.jpg'), file('.hidden'), secret])
  const files = await filesBelow(dropped)
  assert.deepEqual(
    files.map(({ name, size }) => `${name} ${size}`),
    ['b2.jpg 0', 'b10.jpg 1', 'secret 0'],
  )
})
