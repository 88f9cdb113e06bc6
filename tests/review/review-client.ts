// A running server with people who review, and the requests that reviewers make.
import assert from 'node:assert/strict'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark, type WaymarkOptions } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

export const trailId = 4711
export const otherTrailId = 4712

/** Two trails, a submitter, two reviewers and an admin. */
export async function startReview(
  environment: Readonly<Record<string, string>> = {},
  options: Pick<WaymarkOptions, 'storesSecrets' | 'wrapDb'> = {},
) {
  const waymark = await startWaymark({ environment, ...options })
  await waymark.addTrail(trailId, 'Rim Trail')
  await waymark.addTrail(otherTrailId, 'Creek Trail')
  const ana = await waymark.addPerson({ name: 'Ana' })
  const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
  const ria = await waymark.addPerson({ name: 'Ria', role: 'reviewer' })
  const eve = await waymark.addPerson({ name: 'Eve', role: 'admin' })
  return { waymark, db: waymark.installation.database.db, ana, rob, ria, eve }
}

export type Place = Awaited<ReturnType<typeof startReview>>

/** What a request is answered, read whole. */
export interface Answered<Body = Record<string, unknown>> {
  readonly status: number
  readonly body: Body
  readonly answer: Response
}

export async function call<Body = Record<string, unknown>>(
  { url }: Waymark,
  person: Person | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answered<Body>> {
  const answer = await send(url, {
    method,
    path,
    headers: {
      ...(person && { authorization: `Bearer ${person.token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.clone().text()
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Body, answer }
}

let pictures = 0
export async function upload({ waymark, ana }: Place, person = ana, trail = trailId): Promise<number> {
  pictures += 1
  return waymark.upload(person, trail, await jpegPicture({ width: 12, height: 9, seed: pictures }))
}

export const post = <Body = Record<string, unknown>>(
  place: Place,
  path: string,
  body?: unknown,
  person = place.rob,
): Promise<Answered<Body>> => call<Body>(place.waymark, person, 'POST', path, body)

export const get = <Body = Record<string, unknown>>(
  place: Place,
  path: string,
  person: Person | undefined = place.rob,
): Promise<Answered<Body>> => call<Body>(place.waymark, person, 'GET', path)

/** Decides, and expects it to be done. */
export async function decide(
  place: Place,
  imageId: number,
  decision: string,
  person = place.rob,
): Promise<void> {
  const { status, body } = await post(place, `/v2/images/${imageId}/review`, { decision }, person)
  assert.equal(status, 200, `${decision}: ${JSON.stringify(body)}`)
}

/** A new image that these decisions have been made on. */
export async function imageAfter(place: Place, ...decisions: readonly string[]): Promise<number> {
  const imageId = await upload(place)
  for (const decision of decisions) await decide(place, imageId, decision)
  return imageId
}

export const undo = (place: Place, imageId: number, body?: unknown, person = place.rob) =>
  post<{ status: string; edited: boolean; title: string; detail?: string }>(
    place,
    `/v2/images/${imageId}/undo`,
    body,
    person,
  )

/** Changes the details as the submitter does. */
export async function edit(place: Place, imageId: number, fields: object, person = place.ana): Promise<void> {
  const { status } = await call(place.waymark, person, 'PUT', `/Trails/${trailId}/Images/${imageId}`, fields)
  assert.equal(status, 200)
}

/** The moves of an image: `from>to type reason`. */
export async function movesOf({ db }: Place, imageId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('image_history')
    .innerJoin('outbox', 'outbox.position', 'image_history.position')
    .select(['image_history.from_state as from', 'image_history.to_state as to', 'type', 'reason'])
    .where('image_history.image_id', '=', imageId)
    .orderBy('image_history.position')
    .execute()
  return rows.map(
    ({ from, to, type, reason }) => `${from}>${to} ${type}${reason === null ? '' : ` ${reason}`}`,
  )
}
