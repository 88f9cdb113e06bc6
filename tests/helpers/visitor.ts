// An HTTP-level browser session: stores cookies, submits forms, and follows redirects explicitly.
import assert from 'node:assert/strict'
import { parseSetCookie } from 'cookie'
import { createAccounts } from '../../src/accounts/accounts.ts'
import type { Role } from '../../src/database/schema.ts'
import { hashCheaply } from './cheap-passwords.ts'
import type { Waymark } from './waymark.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The Location header as sent. */
  readonly location: string | null
}

export interface Visitor {
  /** Cookies, by name. */
  readonly jar: Map<string, string>
  /** A path, or a URL below PUBLIC_URL. */
  get(address: string, headers?: Record<string, string>): Promise<Answer>
  /** Submits a form like a page of this site. */
  post(address: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  /** A request by the web app's own script. */
  call(method: string, address: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /**
   * Follows redirects within this site.
   * @returns the first response that is not one.
   */
  follow(answer: Answer): Promise<Answer>
}

/** A cookie applies to the path that it was set for. */
interface Kept {
  readonly value: string
  readonly path: string
}

export function createVisitor({
  secrets,
  ...waymark
}: Pick<Waymark, 'url' | 'installation' | 'secrets'>): Visitor {
  const { publicUrl } = waymark.installation.config
  const origin = new URL(publicUrl).origin
  const cookies = new Map<string, Kept>()

  const pathOf = (address: string): string =>
    address.startsWith(publicUrl) ? address.slice(publicUrl.length) || '/' : address

  async function send(address: string, init: RequestInit): Promise<Answer> {
    const path = pathOf(address)
    const sent = [...cookies].filter(
      ([, kept]) => `${path}/`.startsWith(kept.path) || path.startsWith(kept.path),
    )
    const cookie = sent.map(([name, { value }]) => `${name.split('@')[0]}=${value}`).join('; ')
    secrets.noteRequest(init)
    const answer = await fetch(waymark.url + path, {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string>) },
    })
    for (const header of answer.headers.getSetCookie()) {
      const { name, value = '', path: of = '/', maxAge, expires } = parseSetCookie(header)
      const key = `${name}@${of}`
      const isGone = maxAge === 0 || value === '' || (expires !== undefined && expires.getTime() === 0)
      if (isGone) cookies.delete(key)
      else cookies.set(key, { value, path: of })
    }
    const text = await answer.text()
    secrets.noteAnswer(answer.headers, text)
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      location: answer.headers.get('location'),
    }
  }

  const visitor: Visitor = {
    get jar() {
      return new Map([...cookies].map(([key, { value }]) => [key.split('@')[0] ?? key, value]))
    },
    get: (address, headers = {}) => send(address, { headers: { accept: 'text/html', ...headers } }),
    post: (address, fields, headers = {}) =>
      send(address, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', origin, ...headers },
      }),
    call: (method, address, body, headers = {}) =>
      send(address, {
        method,
        headers: {
          accept: 'application/json',
          'sec-fetch-site': 'same-origin',
          origin,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    follow: async (first) => {
      let answer = first
      for (let hop = 0; hop < 10 && answer.location !== null; hop += 1) {
        const isHere = answer.location.startsWith('/') || answer.location.startsWith(`${publicUrl}/`)
        if (!isHere) return answer
        answer = await visitor.get(answer.location)
      }
      return answer
    },
  }
  return visitor
}

export interface Member extends Visitor {
  readonly accountId: number
  readonly email: string
  readonly password: string
}

let members = 0

/**
 * An account with a password, not signed in.
 * @param hashPassword the production hash, for tests that measure sign-in.
 */
export async function addMember(
  waymark: Waymark,
  role: Role = 'member',
  hashPassword = hashCheaply,
): Promise<Member> {
  members += 1
  const email = `member-${members}@trails.example`
  const password = `pass phrase ${members}`
  const { database } = waymark.installation
  const accounts = createAccounts({ db: database.db, system: waymark.system, hashPassword })
  const displayName = `Member ${members}`
  waymark.secrets.note('password', password)
  const accountId = await accounts.create({ email, displayName, role, id: undefined, password })
  return Object.assign(createVisitor(waymark), { accountId, email, password })
}

/** A signed-in account with a password. */
export async function addSignedIn(waymark: Waymark, role: Role = 'member'): Promise<Member> {
  const member = await addMember(waymark, role)
  const { email, password } = member
  const answer = await member.post('/sign-in', { email, password })
  assert.equal(answer.status, 303, answer.text)
  return member
}
