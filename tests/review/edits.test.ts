// An approved image with edited texts stays published, and is marked for review (contract C22, C23).
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
  versionOf,
  type Seen,
} from '../helpers/edited-images.ts'
import { assertProblem } from '../helpers/problems.ts'

const listing = await startEditing('list')
after(() => listing.waymark.close())

void test('C22: a changed title or caption of an approved image stays listed, and is marked as edited', async () => {
  for (const change of [
    { title: 'New' },
    { caption: 'New' },
    { title: 'New', caption: 'New', lat: '1', lon: '2' },
  ]) {
    const imageId = await newImage(listing)
    assert.deepEqual(await show(listing, imageId), { status: 'approved', edited: false, title: texts.title })
    const before = { story: await storyOf(listing, imageId), version: await versionOf(listing) }
    await edit(listing, imageId, change)
    const { title } = { ...texts, ...change }
    assert.deepEqual(await show(listing, imageId), { status: 'approved', edited: true, title })
    assert.equal(await listedAs(listing, imageId), title)
    assert.deepEqual(await acceptedOf(listing, imageId), [texts.title, texts.caption])
    const after = await storyOf(listing, imageId)
    assert.deepEqual(after.moves, before.story.moves, 'no move')
    assert.deepEqual(after.events, [...before.story.events, 'image.updated approved'])
    assert.ok((await versionOf(listing)) > before.version)
    await decide(listing, imageId, 'approve')
    assert.deepEqual(await show(listing, imageId), { status: 'approved', edited: false, title })
    assert.deepEqual(await acceptedOf(listing, imageId), [null, null])
  }
})

void test('C22: changing only the position, or sending the same texts again, is not an edit', async () => {
  const imageId = await newImage(listing)
  const { moves } = await storyOf(listing, imageId)
  for (const change of [
    { lat: '45.5', lon: '-122.6' },
    texts,
    { title: texts.title },
    { caption: null, displayName: 'New' },
    {},
  ]) {
    await edit(listing, imageId, change)
    assert.deepEqual(await show(listing, imageId), { status: 'approved', edited: false, title: texts.title })
  }
  assert.deepEqual((await storyOf(listing, imageId)).moves, moves)
})

void test('C22: the mark keeps the last accepted texts through every edit, and is cleared when they are restored', async () => {
  const imageId = await newImage(listing)
  const steps: readonly (readonly [object, boolean])[] = [
    [{ title: 'One' }, true],
    [{ caption: 'Two' }, true],
    [{ title: texts.title }, true],
    [{ lat: '1', lon: '2' }, true],
    [{ title: 'Three', caption: texts.caption }, true],
    [{ title: texts.title }, false],
    [{ caption: ' ' }, true],
  ]
  for (const [change, isEdited] of steps) {
    await edit(listing, imageId, change)
    assert.equal((await show(listing, imageId)).edited, isEdited, JSON.stringify(change))
    assert.deepEqual(
      await acceptedOf(listing, imageId),
      isEdited ? [texts.title, texts.caption] : [null, null],
    )
  }
  await decide(listing, imageId, 'approve')
  await edit(listing, imageId, texts)
  assert.equal((await show(listing, imageId)).edited, true, 'what was accepted last is the blank caption')
})

void test('C22 C23: approving accepts an edit as a separate decision; it cannot be approved twice', async () => {
  const imageId = await newImage(listing)
  const problem = await assertProblem(
    await listing.waymark.review(listing.rob, imageId, 'approve'),
    'already-decided',
  )
  assert.match(problem.detail ?? '', /only remove or reopen\.$/)
  await edit(listing, imageId, { title: 'New' })
  const wrong = await assertProblem(
    await listing.waymark.review(listing.rob, imageId, 'reject'),
    'already-decided',
  )
  assert.match(wrong.detail ?? '', /only approve or remove or reopen\.$/)
  const tagOf = async () =>
    (await listing.waymark.fetch(`/v2/images/${imageId}`, { token: listing.rob.token })).headers.get('etag')
  const [before, version, tag] = [await storyOf(listing, imageId), await versionOf(listing), await tagOf()]
  const answer = await listing.waymark.review(listing.eve, imageId, 'approve')
  assert.deepEqual([answer.status, ((await answer.json()) as Seen).edited], [200, false])
  const after = await storyOf(listing, imageId)
  assert.deepEqual(after.moves, [...before.moves, `approved>approved ${listing.eve.accountId}`])
  assert.deepEqual(after.events, [...before.events, 'image.approved approved'])
  assert.equal(await listedAs(listing, imageId), 'New')
  assert.notEqual(await tagOf(), tag)
  assert.ok((await versionOf(listing)) > version)
  const late = await assertProblem(
    await listing.waymark.review(listing.rob, imageId, 'approve'),
    'already-decided',
  )
  assert.match(late.detail ?? '', /It has been approved since .+, by Eve/)
})

void test('C22 C23: of 20 reviewers who accept an edit at once one wins, and the others learn by whom it was decided', async () => {
  const imageId = await newImage(listing)
  await edit(listing, imageId, { title: 'New' })
  const { moves } = await storyOf(listing, imageId)
  const reviewers = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? listing.rob : listing.eve))
  const answers = await Promise.all(
    reviewers.map((person) => listing.waymark.review(person, imageId, 'approve')),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    const { detail } = await assertProblem(answer, 'already-decided')
    assert.match(detail ?? '', /by (Rob|Eve)/)
  }
  assert.equal((await storyOf(listing, imageId)).moves.length, moves.length + 1)
})

void test('C22 C23: every decision is possible on an edited image, and only approving clears the mark', async () => {
  const walks: readonly (readonly [readonly string[], string, boolean])[] = [
    [['remove'], 'removed', true],
    [['remove', 'restore'], 'approved', true],
    [['remove', 'restore', 'approve'], 'approved', false],
    [['reopen'], 'pending', true],
    [['reopen', 'approve'], 'approved', false],
    [['reopen', 'reject'], 'rejected', true],
    [['reopen', 'reject', 'restore'], 'approved', true],
    [['reopen', 'reject', 'reopen', 'approve'], 'approved', false],
  ]
  for (const [walk, status, isEdited] of walks) {
    const imageId = await newImage(listing)
    await edit(listing, imageId, { title: 'New' })
    for (const decision of walk) await decide(listing, imageId, decision)
    assert.deepEqual(await show(listing, imageId), { status, edited: isEdited, title: 'New' }, walk.join())
    const expected = isEdited ? [texts.title, texts.caption] : [null, null]
    assert.deepEqual(await acceptedOf(listing, imageId), expected, walk.join())
  }
})

void test('C22: edits before acceptance are not marked; edits of a removed image are still compared', async () => {
  for (const decisions of [[], ['reject'], ['approve', 'reopen']]) {
    const imageId = await newImage(listing, decisions)
    await edit(listing, imageId, { title: 'New' })
    assert.equal((await show(listing, imageId)).edited, false, decisions.join())
  }
  const imageId = await newImage(listing, ['approve', 'remove'])
  await edit(listing, imageId, { title: 'Changed while nobody could see it' })
  assert.equal((await show(listing, imageId)).status, 'removed')
  await decide(listing, imageId, 'restore')
  assert.equal((await show(listing, imageId)).edited, true)
  assert.deepEqual(await acceptedOf(listing, imageId), [texts.title, texts.caption])
})

void test('C22 C23: concurrent edits and decisions leave a history without gaps and a correct mark', async () => {
  const { waymark, ana, rob, eve } = listing
  const imageId = await newImage(listing)
  const decisions = ['approve', 'remove', 'restore', 'reopen', 'approve']
  const crowd = Array.from({ length: 60 }, async (_, index) => {
    if (index % 3 === 0) return putTo(waymark, ana, imageId, { title: `Title ${index % 4}` })
    return waymark.review(index % 2 === 0 ? rob : eve, imageId, decisions[index % decisions.length] ?? '')
  })
  for (const answer of await Promise.all(crowd)) {
    assert.ok([200, 409].includes(answer.status), String(answer.status))
    await answer.arrayBuffer()
  }
  const { moves } = await storyOf(listing, imageId)
  const steps = moves.map((move) => move.split(' ')[0]?.split('>'))
  for (const [index, [from] = []] of steps.entries()) {
    if (index > 0) assert.equal(from, steps[index - 1]?.[1], moves.join())
  }
  const { status, edited, title } = await show(listing, imageId)
  assert.equal(steps.at(-1)?.[1], status)
  const [acceptedTitle] = await acceptedOf(listing, imageId)
  assert.equal(edited, acceptedTitle !== null)
  assert.notEqual(acceptedTitle, title)
})
