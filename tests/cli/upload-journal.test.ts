// The journal of an upload, truncated anywhere: later entries are still found.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { openJournal } from '../../cli/remote/upload-journal.ts'
import { newFolder } from '../helpers/folders.ts'

void test('a journal that was truncated anywhere keeps what is written afterwards', async (t) => {
  const folder = await newFolder(t)
  const place = { url: 'http://127.0.0.1:1', trailID: 7, acctID: 8 }
  const note = async (sha256: string, imageID: number) => {
    const journal = await openJournal(folder, place)
    await journal.begin(sha256, `key-${sha256}`)
    await journal.end(sha256, imageID, undefined)
    await journal.close()
  }
  await note('aa', 1)
  const [name = ''] = await readdir(path.join(folder, 'uploads'))
  const file = path.join(folder, 'uploads', name)
  const whole = await readFile(file)
  for (let length = 0; length <= whole.length; length += 1) {
    await writeFile(file, whole.subarray(0, length))
    await note('bb', 2)
    const { find, close } = await openJournal(folder, place, { isReadOnly: true })
    assert.deepEqual(find('bb'), { key: 'key-bb', imageID: 2 }, `cut at ${length}`)
    await close()
  }
})
