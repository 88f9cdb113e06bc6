// Requests whose file-system calls are failed one by one, and what must be stored after each response.
import { requestToken, trailId } from './installation.ts'
import { upload, type Acknowledged, type Answer } from './load.ts'
import { sha256Of, smallPng } from './pictures.ts'

export interface Target {
  readonly url: string
  readonly token: string
}

export interface RequestKind {
  readonly name: string
  /** Status on success. */
  readonly success: number
  send(target: Target): Promise<Answer>
  /**
   * Compares the stored data with the response.
   * @returns a sentence if the response was wrong; undefined if it was right.
   */
  findLie(target: Target, answer: Answer): Promise<string | undefined>
}

interface Shown {
  readonly title: string
  readonly status: string
}

async function call(target: Target, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${target.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${target.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  return { status: response.status, body: text, headers: Object.fromEntries(response.headers) }
}

async function show(target: Target, imageId: number): Promise<Shown> {
  const { status, body } = await call(target, 'GET', `/v2/images/${imageId}`)
  if (status !== 200) throw new Error(`image ${imageId} answers ${status}: ${body}`)
  return JSON.parse(body) as Shown
}

/** A change of one property of an image: after a failure it is old or new, after a 507 it is old. */
function changeOf(
  name: string,
  success: number,
  imageId: number,
  {
    read,
    change,
  }: { read: (shown: Shown) => string; change: (target: Target, to: number) => Promise<[Answer, string]> },
): RequestKind {
  let before: string | undefined
  let asked = ''
  let attempts = 0
  return {
    name,
    success,
    send: async (target) => {
      attempts += 1
      const [answer, to] = await change(target, attempts)
      asked = to
      return answer
    },
    findLie: async (target, answer) => {
      const now = read(await show(target, imageId))
      const allowed = answer.status === success ? [asked] : answer.status === 507 ? [before] : [before, asked]
      const isTrue = allowed.includes(now) || before === undefined
      const lie = `${name} answered ${answer.status} and left ${now}, which was ${before} and should have become ${asked}`
      before = now
      return isTrue ? undefined : lie
    },
  }
}

/** Uploads go into the ledger; `prefixes` of used hashes show whether their folder is new. */
export function uploadRequest(ledger: Acknowledged[]): RequestKind {
  let seed = 1_000_000
  const usedPrefixes = new Set<string>()
  /** A picture whose folder does not exist yet, if possible, so that creating it can fail too. */
  function nextPicture(): Buffer {
    for (;;) {
      seed += 1
      const bytes = smallPng(seed)
      const prefix = sha256Of(bytes).slice(0, 2)
      if (usedPrefixes.has(prefix) && usedPrefixes.size < 256) continue
      usedPrefixes.add(prefix)
      return bytes
    }
  }
  return {
    name: 'upload',
    success: 201,
    send: async (target) => {
      const bytes = nextPicture()
      const answer = await upload({ ...target, bytes })
      const answeredAt = performance.now()
      if (answer.status === 201)
        ledger.push({ imageId: Number(answer.body), sha256: sha256Of(bytes), seed, answeredAt })
      return answer
    },
    findLie: async () => undefined, // the whole ledger is verified after a restart
  }
}

export function detailsRequest(imageId: number): RequestKind {
  const path = `/Trails/${trailId}/Images/${imageId}`
  return changeOf('details', 200, imageId, {
    read: ({ title }) => title,
    change: async (target, attempt) => {
      const title = `Title ${attempt}`
      return [await call(target, 'PUT', path, { title }), title]
    },
  })
}

export function reviewRequest(imageId: number): RequestKind {
  let state = ''
  return changeOf('review', 200, imageId, {
    read: ({ status }) => {
      state = status
      return status
    },
    change: async (target) => {
      const [decision, to] = state === 'approved' ? ['reopen', 'pending'] : ['approve', 'approved']
      return [await call(target, 'POST', `/v2/images/${imageId}/review`, { decision }), to]
    },
  })
}

/** Reads can only be wrong in their bytes. */
export function viewRequest(imageId: number, size: string): RequestKind {
  let right: string | undefined
  return {
    name: `view ${size}`,
    success: 200,
    send: (target) => call(target, 'GET', `/ImageHandler?id=${imageId}&t=${size}`),
    findLie: async (_target, { status, body }) => {
      if (status !== 200) return undefined
      right ??= body
      return body === right ? undefined : `size ${size} answered 200 with other bytes`
    },
  }
}

/** Requests a token, which is stored before it is returned. */
export function tokenRequest(authorization: string): RequestKind {
  return {
    name: 'token',
    success: 200,
    send: async ({ url }) => {
      const response = await requestToken(url, authorization)
      const headers = Object.fromEntries(response.headers)
      return { status: response.status, body: await response.text(), headers }
    },
    findLie: async ({ url }, { status, body }) => {
      if (status !== 200) return undefined
      const { access_token: token = '' } = JSON.parse(body) as { access_token?: string }
      const used = await call({ url, token }, 'GET', '/v2/images?limit=1')
      return used.status === 200 ? undefined : `a token that was given is answered ${used.status}`
    },
  }
}

export function listRequest(): RequestKind {
  return {
    name: 'list',
    success: 200,
    send: (target) => call(target, 'GET', `/v2/images?limit=5`),
    findLie: async () => undefined,
  }
}
