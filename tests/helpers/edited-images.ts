// Images with approved texts, and what a running server returns after they are edited.
import assert from 'node:assert/strict'
import { jpegPicture } from './pictures.ts'
import { startWaymark, type Person, type Waymark } from './waymark.ts'
import { send } from './wire.ts'

const trailId = 4711

/** Starts a server with a trail, a submitter, two staff accounts and an API key. */
export async function startEditing(edits: 'list' | 'pend', dataDir?: string) {
  const waymark = await startWaymark({
    environment: edits === 'list' ? {} : { EDITED_PHOTOS: 'require-review' }, // keep-listed is the default
    ...(dataDir === undefined ? {} : { dataDir }),
  })
  await waymark.addTrail(trailId, 'Rim Trail')
  const ana = await waymark.addPerson({ name: 'Ana' })
  const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
  const eve = await waymark.addPerson({ name: 'Eve', role: 'admin' })
  return { waymark, ana, rob, eve, key: await waymark.addKey(ana.accountId) }
}

export type Place = Awaited<ReturnType<typeof startEditing>>

let pictures = 0
/** Title and caption of every new image. */
export const texts = { title: 'At the bridge', caption: 'Looking north' }

/** Uploads an image and, unless it should stay pending, approves it. */
export async function newImage(
  { waymark, ana, rob }: Place,
  decisions: readonly string[] = ['approve'],
): Promise<number> {
  pictures += 1
  const imageId = await waymark.upload(
    ana,
    trailId,
    await jpegPicture({ width: 12, height: 9, seed: pictures }),
  )
  assert.equal((await putTo(waymark, ana, imageId, texts)).status, 200)
  for (const decision of decisions) assert.equal((await waymark.review(rob, imageId, decision)).status, 200)
  return imageId
}

export const putTo = ({ url }: Waymark, { token }: Person, imageId: number, fields: object) =>
  send(url, {
    method: 'PUT',
    path: `/Trails/${trailId}/Images/${imageId}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  })

export async function edit(
  { waymark, ana }: Place,
  imageId: number,
  fields: object,
  person = ana,
): Promise<void> {
  waymark.system.advance(1_000)
  const answer = await putTo(waymark, person, imageId, fields)
  assert.equal(answer.status, 200, await answer.text())
}

export async function decide(
  { waymark, rob }: Place,
  imageId: number,
  decision: string,
  person = rob,
): Promise<void> {
  const answer = await waymark.review(person, imageId, decision)
  assert.equal(answer.status, 200, `${decision}: ${await answer.text()}`)
}

export interface Seen {
  readonly status: string
  readonly edited: boolean
  readonly title: string
}

export async function show({ waymark, rob }: Place, imageId: number): Promise<Seen> {
  const answer = await waymark.fetch(`/v2/images/${imageId}`, { token: rob.token })
  const { status, edited, title } = (await answer.json()) as Seen
  return { status, edited, title }
}

/** The title of the image in the list of its trail, if it is listed. */
export async function listedAs({ waymark, key }: Place, imageId: number): Promise<string | undefined> {
  const answer = await waymark.fetch(`/Trails/${trailId}/Images?api_key=${key}`)
  const list = (await answer.json()) as { imageID: number; title: string }[]
  return list.find(({ imageID }) => imageID === imageId)?.title
}

export async function storyOf({ waymark }: Place, imageId: number) {
  const { db } = waymark.installation.database
  const history = await db
    .selectFrom('image_history')
    .select(['from_state', 'to_state', 'actor_id'])
    .where('image_id', '=', imageId)
    .orderBy('position')
    .execute()
  const outbox = await db
    .selectFrom('outbox')
    .select(['type', 'data'])
    .where('image_id', '=', imageId)
    .orderBy('position')
    .execute()
  return {
    moves: history.map(({ from_state: from, to_state: to, actor_id: actor }) => `${from}>${to} ${actor}`),
    events: outbox.map(({ type, data }) => `${type} ${(JSON.parse(data) as { status: string }).status}`),
  }
}

export async function acceptedOf({ waymark }: Place, imageId: number): Promise<readonly (string | null)[]> {
  const { db } = waymark.installation.database
  const row = await db
    .selectFrom('image')
    .select(['accepted_title', 'accepted_caption'])
    .where('id', '=', imageId)
    .executeTakeFirstOrThrow()
  return [row.accepted_title, row.accepted_caption]
}

export async function versionOf({ waymark }: Place): Promise<number> {
  const { db } = waymark.installation.database
  return (await db.selectFrom('trail').select('version').executeTakeFirstOrThrow()).version
}
