// A list of another server that does not fit into memory.
import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { readListFile, type ListForm } from '../../cli/pull/list-file.ts'
import { newFolder } from '../helpers/folders.ts'

const form: ListForm = { root: 'TrailImageDetails', contentType: 'application/json' }

void test('a list of 500,000 images is read in little memory', async (t) => {
  const file = path.join(await newFolder(t), 'list')
  const handle = await open(file, 'w')
  const images = 500_000
  for (let from = 0; from < images; from += 10_000) {
    const some = Array.from({ length: 10_000 }, (_, at) => {
      const fields = `"caption":"${'c'.repeat(120)}","detailUrl":"rim","displayName":"Ann","imageID":${from + at + 1}`
      return `${from + at === 0 ? '[' : ','}{${fields},"lat":"45.5","lon":"-122.5","title":"${'t'.repeat(60)}"}`
    })
    await handle.write(some.join(''))
  }
  await handle.write(']')
  await handle.close()
  let count = 0
  let max = 0
  for await (const one of readListFile(file, form)) {
    count += 1
    assert.equal(one.get('imageID'), String(count))
    if (count % 50_000 === 0) max = Math.max(max, process.memoryUsage().rss)
  }
  assert.equal(count, images)
  assert.ok(max < 400 * 1024 ** 2, `${Math.round(max / 1024 ** 2)} MiB`)
})
