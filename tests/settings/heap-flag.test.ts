// The flag of V8 for servers: one sentence where a process has it not, and where a Node does not know it.
import assert from 'node:assert/strict'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { describeMissingFlag, describeUnknownFlag, heapFlag } from '../../src/settings/heap-flag.ts'
import { newFolder } from '../helpers/folders.ts'

void test('a process without the flag gets one sentence on what it loses; one with it gets none', () => {
  assert.match(describeMissingFlag([]) ?? '', /^Node was started without --external-memory-[^\n]+\.$/)
  assert.match(describeMissingFlag([`--no${heapFlag.slice(1)}`]) ?? '', /without/)
  assert.equal(describeMissingFlag(['--trace-gc', heapFlag]), undefined)
  assert.equal(describeMissingFlag([`--${heapFlag.slice(2).replaceAll('-', '_')}`]), undefined)
})

void test('this Node supports the flag, and one that exits because of it does not', async (t) => {
  assert.equal(describeUnknownFlag(), undefined)
  const other = path.join(await newFolder(t), 'node')
  await writeFile(other, '#!/bin/sh\n[ "$1" = --version ]\n')
  await chmod(other, 0o700)
  assert.match(describeUnknownFlag(other) ?? '', /does not know --external-memory-/)
})

void test('the launcher passes the same flag on the command line', async () => {
  const launcher = await readFile(path.join(import.meta.dirname, '../../bin/newer-node.cjs'), 'utf8')
  assert.equal(/^var heapFlag = '(.+)'$/m.exec(launcher)?.[1], heapFlag)
})
