// Does what the pages' script does with passkeys: adds them and signs in with them.
import assert from 'node:assert/strict'
import {
  createAuthenticator,
  type Authenticator,
  type CreationOptions,
  type Falsified,
  type RequestOptions,
} from './authenticator.ts'
import { addSignedIn, createVisitor, type Answer, type Member, type Visitor } from './visitor.ts'
import type { Waymark } from './waymark.ts'

export const origin = 'https://trails.example'

/** Status and code of a response, for comparison. */
export function outcome({ status, text }: Answer): string {
  const { type = '' } = text.startsWith('{') ? (JSON.parse(text) as { type?: string }) : {}
  return type.includes('/problems/') ? `${status} ${type.split('/').at(-1)}` : String(status)
}

/** Sends a request as the page's script does. */
export async function send(visitor: Visitor, path: string, body: unknown): Promise<Answer> {
  const answer = await visitor.call('POST', path, body)
  assert.ok(answer.status < 500, answer.text)
  return answer
}

export async function beginAdding(member: Visitor, body: object = {}): Promise<CreationOptions> {
  const answer = await send(member, '/v2/me/passkey-options', body)
  assert.equal(answer.status, 200, answer.text)
  return JSON.parse(answer.text) as CreationOptions
}

export async function addPasskey(
  member: Visitor,
  falsified: Falsified = {},
  authenticator: Authenticator = createAuthenticator({ origin }),
): Promise<{ authenticator: Authenticator; answer: Answer }> {
  const response = authenticator.create(await beginAdding(member), falsified)
  return { authenticator, answer: await send(member, '/v2/me/passkeys', { name: 'Laptop', response }) }
}

export async function memberWithPasskey(
  waymark: Waymark,
  counts = true,
): Promise<{ member: Member; authenticator: Authenticator }> {
  const member = await addSignedIn(waymark)
  const { authenticator, answer } = await addPasskey(member, {}, createAuthenticator({ origin, counts }))
  assert.equal(answer.status, 201, answer.text)
  return { member, authenticator }
}

export const beginSignIn = async (visitor: Visitor): Promise<RequestOptions> =>
  JSON.parse((await send(visitor, '/sign-in/passkey/options', {})).text) as RequestOptions

/** Signs in, in a browser of its own. */
export async function signIn(waymark: Waymark, authenticator: Authenticator, falsified: Falsified = {}) {
  const visitor = createVisitor(waymark)
  const response = authenticator.get(await beginSignIn(visitor), falsified)
  return { visitor, answer: await send(visitor, '/sign-in/passkey', response) }
}

export async function auditOf(waymark: Waymark, accountId: number): Promise<string[]> {
  const rows = await waymark.installation.database.db
    .selectFrom('audit')
    .select(['action', 'detail'])
    .where('account_id', '=', accountId)
    .orderBy('position')
    .execute()
  return rows.map(({ action, detail }) => `${action} ${detail}`)
}
