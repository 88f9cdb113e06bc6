// Original files of photos, if the other server is a Waymark and the sign-in there has access to them (v2).
import { hash } from 'node:crypto'
import { fail } from '../failures.ts'
import { bodyFault, takeBytes, type Answered, type Asker, type Asking } from './asking.ts'
import type { LossCode } from './losses.ts'
import type { PullState, StoredBody } from './pull-state.ts'
import type { ListedImage } from './listed-image.ts'

export interface OriginalsPlace {
  /** The base URL of the other Waymark, without the prefix of the classic API. */
  readonly base: string
  /** Identifies the sign-in, such as the ID of a client. */
  readonly signIn: string
  /** @param refused the token that was just refused. @throws one sentence if there is no sign-in. */
  readonly bearer: (refused?: string) => Promise<string>
}

export interface OriginalsDependencies {
  readonly place: OriginalsPlace
  readonly state: PullState
  readonly asker: Asker
  readonly maxBytes: number
}

/** Why size lg is used instead. */
export interface WhyNot {
  readonly code: Extract<LossCode, `original-${string}`>
  readonly detail?: string
}

export type AskedOriginal =
  | { readonly how: 'came'; readonly body: StoredBody }
  | { readonly how: 'as lg'; readonly why: WhyNot }
  | { readonly how: 'left'; readonly code: LossCode; readonly detail?: string }

interface Me {
  readonly acctID: number
  readonly role: string
  readonly scopes: readonly string[]
}

function readMe(bytes: Buffer): Me | undefined {
  try {
    const { acctID, role, scopes } = JSON.parse(bytes.toString()) as Partial<Me>
    const isMe = typeof acctID === 'number' && typeof role === 'string' && Array.isArray(scopes)
    return isMe ? { acctID, role, scopes } : undefined
  } catch {
    return undefined
  }
}

/** The SHA-256 of the file as stated by Waymark, in base64. */
const statedDigest = (headers: Headers): string | undefined =>
  /sha-256=:([A-Za-z0-9+/=]+):/.exec(headers.get('repr-digest') ?? '')?.[1]

/** The sentence of a problem document. */
function detailOf(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    return typeof detail === 'string' ? detail : undefined
  } catch {
    return undefined
  }
}

const maxMeBytes = 1024 ** 2
/** For one request. */
const maxRenewals = 4

export function createOriginals({ place, state, asker, maxBytes }: OriginalsDependencies) {
  const { base, bearer } = place
  let known: Promise<Me> | undefined

  /**
   * Renews the token when it is refused: more than once, because the one that another command has just renewed may
   * have expired as well, after a long pause.
   * @throws if the sign-in is refused, since that would affect every photo.
   */
  async function ask<T>(
    asking: Omit<Asking, 'bearer'>,
    take: Parameters<typeof asker.ask<T>>[1],
  ): Promise<Exclude<Answered<T>, { how: 'status'; status: 401 | 403 }>> {
    let token = await bearer()
    let answered = await asker.ask({ ...asking, bearer: token }, take)
    for (let times = 0; times < maxRenewals; times += 1) {
      if (answered.how !== 'status' || answered.status !== 401) break
      const refused = token
      token = await bearer(refused)
      if (token === refused) break
      answered = await asker.ask({ ...asking, bearer: token }, take)
    }
    if (answered.how === 'status' && [401, 403].includes(answered.status)) {
      const detail = detailOf(answered.text) ?? `It responded with ${answered.status}.`
      throw fail('signed-out', `${base} refuses the sign-in for originals: ${detail}`)
    }
    return answered
  }

  async function askMe(): Promise<Me> {
    const key = `me ${hash('sha256', place.signIn).slice(0, 16)}`
    const stored = await state.findBody(key)
    const storedMe = stored && readMe(stored.bytes)
    if (storedMe) return storedMe
    const url = new URL(`${base}/v2/me`)
    const answered = await ask({ url, accept: 'application/json' }, (incoming) =>
      takeBytes(incoming, maxMeBytes),
    )
    const bytes = answered.how === 'taken' ? answered.value : undefined
    const me = bytes && readMe(bytes)
    if (bytes && me) {
      await state.keepBody(key, { bytes, isDelimited: true })
      return me
    }
    if (answered.how === 'unanswered')
      throw fail('unreachable', `${base} cannot be asked for originals: ${answered.why}.`)
    throw fail('refused', `${base} is not a Waymark that gives originals: pull without --originals.`)
  }

  async function me(): Promise<Me> {
    known ??= askMe()
    return known
  }

  /** Does the sign-in have access to the original of this photo? @returns why not. */
  async function whyNot({ submitterId }: Pick<ListedImage, 'submitterId'>): Promise<WhyNot | undefined> {
    const { acctID, role, scopes } = await me()
    const isOpen = submitterId === acctID || (role === 'admin' && scopes.includes('images:review'))
    return isOpen && scopes.includes('images:read') ? undefined : { code: 'original-not-open' }
  }

  const urlOf = (id: number): URL => new URL(`${base}/v2/images/${id}/original`)
  let isProbed = false

  return {
    whyNot,

    /** For a dry run: does the server provide the first original? @throws if it refuses the sign-in. */
    probe: async (image: ListedImage): Promise<WhyNot | undefined> => {
      const why = await whyNot(image)
      if (why || isProbed) return why
      isProbed = true
      await ask({ url: urlOf(image.id), accept: '*/*', method: 'HEAD' }, () => Promise.resolve(undefined))
      return undefined
    },

    ask: async (image: ListedImage): Promise<AskedOriginal> => {
      const why = await whyNot(image)
      if (why) return { how: 'as lg', why }
      const key = `original ${image.id}`
      if (!(await state.beginAsk(key))) return { how: 'left', code: 'asked-twice' }
      const answered = await ask({ url: urlOf(image.id), accept: '*/*' }, async (incoming) => {
        const bytes = await takeBytes(incoming, maxBytes)
        const stated = statedDigest(incoming.headers)
        if (bytes && stated !== undefined && hash('sha256', bytes, 'base64') !== stated)
          throw bodyFault('its bytes differ from the checksum that it states')
        return { bytes }
      })
      if (answered.how === 'unanswered')
        return { how: 'left', code: 'unanswered', detail: `Last error: ${answered.why}.` }
      if (answered.how === 'status')
        return {
          how: 'as lg',
          why: { code: 'original-missing', detail: `It responded with ${answered.status}.` },
        }
      const { bytes } = answered.value
      if (bytes === undefined)
        return {
          how: 'as lg',
          why: { code: 'original-refused', detail: 'It is larger than the limit here.' },
        }
      const body = { bytes, isDelimited: true, form: 'original' } as const
      await state.keepBody(key, body)
      return { how: 'came', body }
    },
  }
}

export type Originals = ReturnType<typeof createOriginals>
