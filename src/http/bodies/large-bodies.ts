// Large bodies: limits the memory that they may take, queues those that must wait, and has them processed one at a
// time.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse, type Refusal } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { createSemaphore, type Semaphore } from '../../shared/semaphore.ts'
import { bodyEndedEarly } from './incoming.ts'
import { addressBucket } from '../rates/rate-limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    largeBodies: LargeBodies
  }
}

const MiB = 1024 ** 2

/** A body counts once this much has arrived: ten times less than the other objects of its request take. */
const freeBytes = 64 * 1024
/** Of all counted bodies, by their maximum size: a dozen of the longest GPX files. */
const maxBytes = 128 * MiB
/** An account may use a quarter of it, and all accounts behind one address half. */
const accountShare = { maxBytes: maxBytes / 4, maxWaiting: 32, of: 'account' } as const
const addressShare = { maxBytes: maxBytes / 2, maxWaiting: 64, of: 'address' } as const
/** Bodies of this length and more are processed one at a time: parsing one takes six times its length in memory. */
const longBytes = MiB
const maxShortAtOnce = 4
const retryAfterSeconds = 10

type ShareLimits = typeof accountShare | typeof addressShare

interface Share {
  readonly key: string
  readonly limits: ShareLimits
  heldBytes: number
  waiting: number
}

interface Claim {
  /** The maximum size of the body; once it is complete, its size. */
  bytes: number
  readonly shares: readonly Share[]
  endTurn: (() => void) | undefined
}

/**
 * One body is always allowed, however large the settings let it be: it counts as a whole share, and leaves the others
 * theirs.
 */
const countedOf = (bytes: number): number => Math.min(bytes, accountShare.maxBytes)

/** Only a body that is alone may exceed the limit. */
const isWithin = (heldBytes: number, bytes: number, max: number): boolean =>
  heldBytes === 0 || heldBytes + bytes <= max

function refusalFor(own: Share | undefined): Refusal {
  const headers = { 'Retry-After': String(retryAfterSeconds) }
  return own === undefined
    ? refuse('busy', { detail: inEach(({ limits }) => limits.largeBodies.all), headers })
    : refuse('too-many-requests', {
        detail: inEach(({ limits }) => limits.largeBodies[own.limits.of]),
        headers,
      })
}

const accountOf = ({ actor }: FastifyRequest): string =>
  actor.kind === 'account' ? String(actor.accountId) : ''

/**
 * Memory for a body is reserved once more than a little of it has arrived, and for all that may still come: a body that
 * has begun can be read to its end, and one that is only announced takes nothing. A body that must wait is not read.
 */
export function createLargeBodies(maxWaitMs: number) {
  let heldBytes = 0
  const claims = new WeakMap<FastifyRequest, Claim>()
  const shares = new Map<string, Share>()
  const waiting = new Map<Claim, () => void>()
  const turns = { long: createSemaphore(1), short: createSemaphore(maxShortAtOnce) }

  function shareOf(key: string, limits: ShareLimits): Share {
    const share = shares.get(key) ?? { key, limits, heldBytes: 0, waiting: 0 }
    shares.set(key, share)
    return share
  }

  function sharesOf(request: FastifyRequest): readonly Share[] {
    const account = accountOf(request)
    const byAddress = shareOf(`address ${addressBucket(request.ip)}`, addressShare)
    return account === '' ? [byAddress] : [shareOf(`account ${account}`, accountShare), byAddress]
  }

  function dropUnused(claim: Claim): void {
    for (const { key, heldBytes: held, waiting: count } of claim.shares)
      if (held === 0 && count === 0) shares.delete(key)
  }

  const fullShare = ({ bytes, shares: own }: Claim): Share | undefined =>
    own.find((share) => !isWithin(share.heldBytes, countedOf(bytes), share.limits.maxBytes))

  /** Changes a reservation from one size to another. */
  function hold({ shares: own }: Claim, bytesBefore: number, bytes: number): void {
    heldBytes += bytes - bytesBefore
    for (const share of own) share.heldBytes += countedOf(bytes) - countedOf(bytesBefore)
  }

  /** In order of arrival, except for those whose own share is full: the others do not wait for them. */
  function admitWaiting(): void {
    for (const [claim, admit] of waiting) {
      if (fullShare(claim)) continue
      if (!isWithin(heldBytes, claim.bytes, maxBytes)) break
      waiting.delete(claim)
      hold(claim, 0, claim.bytes)
      admit()
    }
  }

  /** Nothing more of the body is read meanwhile. @throws refusals `too-many-requests`, `busy` and `bad-request`. */
  async function waitForRoom({ raw }: FastifyRequest, claim: Claim): Promise<void> {
    const crowded = claim.shares.find((share) => share.waiting > share.limits.maxWaiting)
    if (crowded) throw refusalFor(crowded)
    raw.pause()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => reject(bodyEndedEarly(raw.errored))
    const timer = setTimeout(() => reject(refusalFor(fullShare(claim))), maxWaitMs).unref()
    raw.once('close', leave)
    waiting.set(claim, resolve)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      raw.off('close', leave)
    }
  }

  async function claimFor(request: FastifyRequest, bytes: number): Promise<void> {
    if (request.routeOptions.config.hasLargeBody !== true)
      throw new Error('an endpoint that reads large bodies must declare it (hasLargeBody)')
    const claim: Claim = { bytes, shares: sharesOf(request), endTurn: undefined }
    for (const share of claim.shares) share.waiting += 1
    try {
      let isIn = false
      waiting.set(claim, () => (isIn = true))
      admitWaiting()
      if (!isIn) await waitForRoom(request, claim)
      claims.set(request, claim)
    } finally {
      waiting.delete(claim)
      for (const share of claim.shares) share.waiting -= 1
      admitWaiting() // those queued behind one that gave up
      dropUnused(claim)
    }
  }

  const turnsFor = (bytes: number): Semaphore => turns[bytes >= longBytes ? 'long' : 'short']

  return {
    /**
     * Reports how much of a body has arrived, and how much may come in total. Waits if there is no room for it.
     * @throws refusals `too-many-requests` and `busy`.
     */
    admit: async (request: FastifyRequest, comeBytes: number, mayComeBytes: number): Promise<void> => {
      if (comeBytes > freeBytes && !claims.has(request)) await claimFor(request, mayComeBytes)
    },

    /** The body is complete: waits for its turn, which lasts until `leave`. Slow clients hold up no one. */
    enter: async (request: FastifyRequest, bytes: number): Promise<void> => {
      const claim = claims.get(request)
      if (!claim) return
      hold(claim, claim.bytes, bytes)
      claim.bytes = bytes
      admitWaiting()
      claim.endTurn = await turnsFor(bytes).acquire({ group: accountOf(request) })
    },

    /** The body is processed: releases its memory. */
    leave: (request: FastifyRequest): void => {
      const claim = claims.get(request)
      if (!claim) return
      claims.delete(request)
      claim.endTurn?.()
      hold(claim, claim.bytes, 0)
      admitWaiting()
      dropUnused(claim)
    },

    /** Processes one of several files of a body, in its turn. */
    inTurn: <T>(request: FastifyRequest, bytes: number, work: () => Promise<T>): Promise<T> =>
      bytes <= freeBytes ? work() : turnsFor(bytes).run(work, { group: accountOf(request) }),
  }
}

export type LargeBodies = ReturnType<typeof createLargeBodies>

/** However the request ends, its reservation and its turn end with it. */
export function registerLargeBodies(app: FastifyInstance): void {
  const largeBodies = createLargeBodies(app.limits.requestTimeoutSeconds * 1_000)
  app.decorate('largeBodies', largeBodies)
  app.addHook('onRoute', (route) => {
    if (route.config?.hasLargeBody !== true) return
    const { handler } = route
    route.handler = async function answer(request, reply) {
      try {
        return await handler.call(this, request, reply)
      } finally {
        largeBodies.leave(request)
      }
    }
    // A client that is slow to read its answer would hold it otherwise.
    const onSend = async (request: FastifyRequest): Promise<void> => largeBodies.leave(request)
    route.onSend = [route.onSend ?? [], onSend].flat()
  })
}
