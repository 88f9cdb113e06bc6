// EDITED_PHOTOS=require-review: an approved image whose texts are changed goes back to pending, by a move of who changed them (contract C22).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  acceptedOf,
  decide,
  edit,
  listedAs,
  newImage,
  putTo,
  show,
  startEditing,
  storyOf,
  texts,
} from '../helpers/edited-images.ts'
import { newFolder } from '../helpers/folders.ts'
import { startWaymark } from '../helpers/waymark.ts'

const pending = await startEditing('pend')
after(() => pending.waymark.close())

void test('C22 C23: EDITED_PHOTOS=require-review returns an edited image to pending, and shows who edited it', async () => {
  for (const [change, person] of [
    [{ title: 'New' }, pending.ana],
    [{ caption: 'New' }, pending.eve],
  ] as const) {
    const imageId = await newImage(pending)
    const before = await storyOf(pending, imageId)
    await edit(pending, imageId, change, person)
    const { title } = { ...texts, ...change }
    assert.deepEqual(await show(pending, imageId), { status: 'pending', edited: true, title })
    assert.equal(await listedAs(pending, imageId), undefined)
    assert.deepEqual(await acceptedOf(pending, imageId), [texts.title, texts.caption])
    const after = await storyOf(pending, imageId)
    assert.deepEqual(after.moves, [...before.moves, `approved>pending ${person.accountId}`])
    // The feed never tells of an approved image with the new text.
    assert.deepEqual(after.events, [...before.events, 'image.reopened pending', 'image.updated pending'])
    await edit(pending, imageId, { title: 'Newer' })
    assert.deepEqual((await storyOf(pending, imageId)).moves, after.moves, 'it is pending already')
    await decide(pending, imageId, 'approve')
    assert.deepEqual(await show(pending, imageId), { status: 'approved', edited: false, title: 'Newer' })
    assert.equal(await listedAs(pending, imageId), 'Newer')
  }
})

void test('C22: EDITED_PHOTOS=require-review keeps an image listed if only its position changes, or nothing does', async () => {
  const imageId = await newImage(pending)
  const { moves } = await storyOf(pending, imageId)
  for (const change of [{ lat: '45.5', lon: '-122.6' }, texts, { caption: null, displayName: 'New' }, {}]) {
    await edit(pending, imageId, change)
    assert.equal(await listedAs(pending, imageId), texts.title)
  }
  assert.deepEqual((await storyOf(pending, imageId)).moves, moves)
})

void test('C22: EDITED_PHOTOS=require-review: restoring the accepted texts clears the mark, but only review lists the image again', async () => {
  const imageId = await newImage(pending)
  await edit(pending, imageId, { title: 'New' })
  await edit(pending, imageId, { title: texts.title })
  assert.deepEqual(await show(pending, imageId), { status: 'pending', edited: false, title: texts.title })
  await decide(pending, imageId, 'approve')
  assert.equal(await listedAs(pending, imageId), texts.title)
})

void test('C22: EDITED_PHOTOS=require-review: of 20 concurrent edits only one changes the state of the image', async () => {
  const imageId = await newImage(pending)
  const { moves } = await storyOf(pending, imageId)
  const edits = Array.from({ length: 20 }, (_, index) =>
    putTo(pending.waymark, pending.ana, imageId, { title: `Title ${index}` }),
  )
  for (const answer of await Promise.all(edits)) assert.equal(answer.status, 200, await answer.text())
  assert.deepEqual((await storyOf(pending, imageId)).moves, [
    ...moves,
    `approved>pending ${pending.ana.accountId}`,
  ])
})

void test('C22: EDITED_PHOTOS=require-review: a text changed while the image is removed is marked as edited once restored', async () => {
  const imageId = await newImage(pending, ['approve', 'remove'])
  await edit(pending, imageId, { title: 'Changed while nobody could see it' })
  assert.equal((await show(pending, imageId)).status, 'removed')
  await decide(pending, imageId, 'restore')
  assert.equal((await show(pending, imageId)).edited, true)
})

void test('C22: images edited under EDITED_PHOTOS=keep-listed stay listed under require-review until they are edited again', async (t) => {
  const dataDir = await newFolder(t)
  const before = await startEditing('list', dataDir)
  const [one, two] = [await newImage(before), await newImage(before)]
  for (const imageId of [one, two]) await edit(before, imageId, { title: 'New' })
  await before.waymark.close()

  const waymark = await startWaymark({ dataDir, environment: { EDITED_PHOTOS: 'require-review' } })
  t.after(() => waymark.close())
  const place = { ...before, waymark }
  const seen = async () =>
    [await show(place, one), await show(place, two)].map(({ status, edited }) => `${status} ${edited}`)
  assert.deepEqual(await seen(), ['approved true', 'approved true'])
  await edit(place, two, { lat: '1', lon: '2' })
  assert.deepEqual(await seen(), ['approved true', 'approved true'], 'a position is no edit')
  await edit(place, one, { title: texts.title })
  await edit(place, two, { title: 'Newer' })
  assert.deepEqual(await seen(), ['approved false', 'pending true'], 'what was accepted needs no second look')
  assert.deepEqual(await acceptedOf(place, two), [texts.title, texts.caption])
})
