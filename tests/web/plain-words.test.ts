// The text of the web app is plain English: none of the words that it dropped, and one label for each state of a photo.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { adminReasons } from '../../web/strings/admin-things.ts'
import { admin } from '../../web/strings/admin.ts'
import { galleryStrings } from '../../web/strings/gallery.ts'
import { photoStrings } from '../../web/strings/photos.ts'
import { reviewStrings } from '../../web/strings/review.ts'

const folder = path.resolve(import.meta.dirname, '../../web/strings')

/** Turns of phrase that no product in this field uses. */
const dropped =
  /\b(in vain|whoever|nobody|somebody|everybody|anybody|all that (is|was|waits|stands)|stands (twice|here|there)|sitting|hears? of|goes on by itself|gone on with|is told|are told|of this kind|put in force|taken out|take back|for good|at once|void)\b/i

/** The texts of a catalogue without its comments, code and keys. */
const textsIn = (source: string): string[] =>
  [...source.replaceAll(/\/\/.*$|\/\*[\s\S]*?\*\//gm, '').matchAll(/'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g)]
    .map(([, plain, template]) => plain ?? (template ?? '').replaceAll(/\$\{[^}]*\}/g, '…'))
    .filter((text) => text.includes(' '))

void test('no catalogue contains a dropped word', async () => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts'))
  assert.ok(names.length > 10)
  for (const name of names) {
    const texts = textsIn(await readFile(path.join(folder, name), 'utf8'))
    assert.deepEqual(
      texts.filter((text) => dropped.test(text)),
      [],
      name,
    )
  }
})

void test('the check itself: a dropped word is found', () => {
  const texts = textsIn("export const words = { a: 'Nobody of this kind', b: `${x} is told` } // nobody")
  assert.equal(texts.filter((text) => dropped.test(text)).length, 2)
})

void test('a state has one label wherever it is shown', () => {
  const labels = {
    pending: 'Pending review',
    approved: 'Published',
    rejected: 'Rejected',
    removed: 'Unpublished',
  }
  const { edited: editedInPhotos, ...inPhotos } = photoStrings.status
  assert.deepEqual(inPhotos, labels)
  assert.deepEqual(galleryStrings.state, labels)
  assert.deepEqual(reviewStrings.facts.statuses, labels)
  const { deleted, ...inStorage } = admin.storage.states
  assert.deepEqual(inStorage, labels)
  assert.equal(deleted, 'Deleted')
  for (const place of [reviewStrings.views, photoStrings.tabs, reviewStrings.history.moves]) {
    const { approved, rejected, removed } = place
    assert.deepEqual(
      { approved, rejected, removed },
      { approved: 'Published', rejected: 'Rejected', removed: 'Unpublished' },
    )
  }
  assert.equal(reviewStrings.views.pending, labels.pending)
  assert.equal(photoStrings.tabs.pending, labels.pending)
  for (const edited of [editedInPhotos, reviewStrings.facts.editedToo, reviewStrings.views.edited])
    assert.equal(edited, 'Edited, pending review')
  assert.equal(reviewStrings.actions.remove, 'Unpublish')
  assert.equal(reviewStrings.actions.restore, 'Restore')
  assert.equal(adminReasons.decisions.remove, 'unpublish')
})
