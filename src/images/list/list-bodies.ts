// The bodies of lists, shared by callers who may see the same.
//
// short ─▶ assembled once, and compressed as a whole off the event loop when first requested
// long  ─▶ sent in chunks, uncompressed or deflated separately: a change rewrites and deflates one of them
//
// Only lists without email addresses, which are the same for all readers, are cached and compressed. Lists with
// addresses are for the calling account and are sent uncompressed: the length of compressed text reveals its content to
// anyone who can add text to it, such as a caption (the BREACH attack).
import type { Actor } from '../../auth/guard.ts'
import type { Db } from '../../database/database.ts'
import { refuse } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import {
  codedEtag,
  compress,
  createCodingsReader,
  type Coding,
  type Compression,
} from '../../http/content-codings.ts'
import { etagOf, type MadeBody, type MadePieces } from '../../http/representation.ts'
import { createCachedLists } from './cached-lists.ts'
import { joinGzip } from './joined-gzip.ts'
import type { CodedBodies } from './cached-list.ts'
import { digestOf } from './list-pieces.ts'
import { bodyFrom, createListWriter } from './list-writer.ts'
import { createLoans } from './loans.ts'
import type { ListedForm, Present } from '../present.ts'
import { bytesOf, deflatedBytesOf, maxWholeBytes, type Taken, type Want } from './wanted-texts.ts'

/** Shorter bodies gain nothing: they fit in one packet either way. */
const minCompressedBytes = 1_024

const MiB = 1024 ** 2
/** What readers may hold of lists beyond the cache: made for them alone, or evicted since. */
const maxLooseBytes = 64 * MiB

export interface ListRequest {
  readonly format: 'json' | 'xml'
  readonly acceptEncoding: string | undefined
}

export interface ListAnswer {
  readonly body: MadeBody | MadePieces
  /** Call it before sending, if that may take long. @returns a function to call at the end. */
  readonly hold: (() => () => void) | undefined
  /** False while a better encoding is being made for later callers. */
  readonly isFinal: boolean
  /** Of the same list in every encoding that the client accepts. */
  readonly etags: readonly string[]
}

export interface ListBodiesDependencies {
  readonly db: Db
  readonly present: Present
  /** Setting LIST_CACHE_MEGABYTES. */
  readonly megabytes: number
}

export function createListBodies({ db, present, megabytes }: ListBodiesDependencies) {
  const writer = createListWriter(present)
  const { writerFor, betweenBytes } = writer
  const lists = createCachedLists({ db, megabytes, writerFor, betweenBytes })
  const readCodings = createCodingsReader()
  let lastCompression: Promise<unknown> = Promise.resolve()
  const loans = createLoans(megabytes * MiB + maxLooseBytes)

  /** The form of such an image for everyone but its submitter. */
  function formFor(actor: Actor, trailId: number, format: 'json' | 'xml'): ListedForm {
    if (format === 'json') return 'json'
    const another = { state: 'approved', submitterId: 0, trailId } as const
    return present.mayShowEmail(actor, another) ? 'xml-with-email' : 'xml'
  }

  const codingsFor = (form: ListedForm, acceptEncoding: string | undefined): readonly Coding[] => {
    const codings = readCodings(acceptEncoding)
    return form === 'xml-with-email' ? codings.filter((coding) => coding === 'identity') : codings
  }

  async function code({ identity }: CodedBodies, coding: Compression): Promise<MadeBody> {
    const bytes = await compress(identity.bytes, coding)
    const { contentType } = identity
    return bodyFrom(bytes, { contentType, contentEncoding: coding, etag: codedEtag(identity.etag, coding) })
  }

  /** One after the other: the threads that compress are those that read and write files. */
  function codeLater({ list, contents }: Taken, bodies: CodedBodies, coding: Compression): void {
    if (bodies.begun.has(coding)) return
    bodies.begun.add(coding)
    const work = async (): Promise<void> => {
      if (list.contents !== contents) return // there is nobody left to send it to
      bodies.coded.set(coding, await code(bodies, coding))
      lists.weigh(list)
    }
    lastCompression = lastCompression.then(work).catch(() => bodies.begun.delete(coding))
  }

  /** The best encoding that already exists. The preferred one is started for later callers. */
  function pick(taken: Taken, bodies: CodedBodies, codings: readonly Coding[]): MadeBody | undefined {
    const isShort = bodies.identity.bytes.length < minCompressedBytes
    if (isShort && codings.includes('identity')) return bodies.identity
    for (const coding of codings) {
      if (coding === 'identity') return bodies.identity
      const coded = bodies.coded.get(coding)
      if (coded) return coded
      codeLater(taken, bodies, coding)
    }
    return undefined
  }

  function makeBodies({ list, contents, pieces }: Taken, form: ListedForm): CodedBodies {
    const known = contents.bodies.get(form)
    if (known) return known
    const identity = writer.whole(form, pieces.map(bytesOf))
    const made = { identity, coded: new Map(), begun: new Set<Coding>() }
    contents.bodies.set(form, made)
    lists.weigh(list)
    return made
  }

  /** If the client accepts only encodings that nobody has requested yet. */
  async function codeNow(
    { list }: Taken,
    bodies: CodedBodies,
    codings: readonly Coding[],
  ): Promise<MadeBody> {
    const [coding] = codings
    if (coding === undefined || coding === 'identity') return bodies.identity
    const coded = await code(bodies, coding)
    bodies.coded.set(coding, coded)
    lists.weigh(list)
    return coded
  }

  async function answerShort(
    taken: Taken,
    form: ListedForm,
    codings: readonly Coding[],
  ): Promise<ListAnswer> {
    const bodies = makeBodies(taken, form)
    const body = pick(taken, bodies, codings) ?? (await codeNow(taken, bodies, codings))
    const isFinal =
      body.bytes.length < minCompressedBytes || (body.contentEncoding ?? 'identity') === codings[0]
    const etags = codings.map((coding) => codedEtag(bodies.identity.etag, coding))
    return { body, hold: undefined, isFinal, etags }
  }

  function piecesFrom(
    form: ListedForm,
    pieces: readonly Buffer[],
    rest: Pick<MadePieces, 'etag' | 'contentEncoding'>,
  ): MadePieces {
    const length = pieces.reduce((sum, { length: bytes }) => sum + bytes, 0)
    return { ...rest, pieces, length, contentType: writer.contentTypeOf(form) }
  }

  /**
   * In chunks, of which the long ones are held until they are sent; those that compression made short are joined, and
   * may be made ahead.
   * @throws refusal `busy`.
   */
  function lend(body: MadePieces, held: readonly Buffer[], etags: readonly string[]): ListAnswer {
    if (body.contentEncoding !== undefined && body.length <= maxWholeBytes) {
      const { etag, contentType, contentEncoding } = body
      const whole = bodyFrom(Buffer.concat(body.pieces), { etag, contentType, contentEncoding })
      return { body: whole, hold: undefined, isFinal: true, etags }
    }
    if (!loans.isRoomFor(held)) throw busy()
    return { body, hold: () => loans.hold(held), isFinal: false, etags }
  }

  const busy = () =>
    refuse('busy', {
      detail: inEach(({ limits }) => limits.slowLists),
      headers: { 'Retry-After': '5' },
    })

  async function answerLong(
    taken: Taken,
    { form, coding }: Want,
    codings: readonly Coding[],
  ): Promise<ListAnswer> {
    const etag = etagOf(Buffer.concat(taken.pieces.map(({ body }) => digestOf(body))))
    const etags = codings.map((each) => codedEtag(etag, each))
    const bodyOf = (pieces: readonly Buffer[], sent: Coding): MadePieces =>
      piecesFrom(form, pieces, {
        etag: codedEtag(etag, sent),
        contentEncoding: sent === 'identity' ? undefined : sent,
      })
    if (coding === 'gzip') {
      const { before, after } = writer.frameOf(form).deflated
      const deflated = taken.pieces.map(deflatedBytesOf)
      const held = deflated.map(({ bytes }) => bytes)
      return lend(bodyOf(joinGzip([before, ...deflated, after]), 'gzip'), held, etags)
    }
    const held = taken.pieces.map(bytesOf)
    const texts = writer.framed(form, held)
    const only = codings.find((each) => each !== 'identity')
    if (only === undefined || codings.includes('identity'))
      return lend(bodyOf(texts, 'identity'), held, etags)
    // Neither brotli nor zstd can be joined from chunks for every client: clients that accept nothing else wait for it.
    const bytes = await compress(Buffer.concat(texts), only)
    return lend(bodyOf([bytes], only), [bytes], etags)
  }

  /** For a member who has images in the list: their own show their address. @throws refusal `busy`. */
  async function answerMixed({ pieces, isLong }: Taken, ownerId: number): Promise<ListAnswer> {
    if (!loans.isRoomFor([])) throw busy()
    const { texts, digests } = await writer.mixed(pieces, ownerId)
    if (!isLong) {
      const body = writer.whole('xml', texts)
      return { body, hold: () => loans.hold([body.bytes]), isFinal: false, etags: [body.etag] }
    }
    const etag = etagOf(Buffer.concat(digests))
    const body = piecesFrom('xml', writer.framed('xml', texts), { etag, contentEncoding: undefined })
    return lend(body, texts, [etag])
  }

  function requireAccepted(codings: readonly Coding[]): void {
    if (codings.length > 0) return
    throw refuse('not-acceptable', {
      detail: 'Accept-Encoding allows none of the encodings that this list is available in.',
    })
  }

  /** In which coding a long list goes to this client. */
  const longCoding = (codings: readonly Coding[]): 'identity' | 'gzip' => {
    const [first] = codings
    if (first === 'identity' || !codings.includes('gzip')) return 'identity'
    return 'gzip'
  }

  return {
    /** Estimated memory of all cached lists. */
    cachedBytes: (): number => lists.bytes(),

    /** @throws refusals `invalid-trail-id`, `not-acceptable`, `busy`. */
    answer: async (
      actor: Actor,
      trailId: number,
      { format, acceptEncoding }: ListRequest,
    ): Promise<ListAnswer> => {
      const form = formFor(actor, trailId, format)
      const codings = codingsFor(form, acceptEncoding)
      const ownerId = form === 'xml' && actor.kind === 'account' ? actor.accountId : undefined
      const want: Want = { form, coding: longCoding(codings), ownerId }
      const taken = await lists.find(trailId, want)
      if (!taken) throw refuse('invalid-trail-id')
      // Has the list images that show the actor an address, and others that do not?
      if (ownerId !== undefined && taken.list.submitters.has(ownerId)) {
        requireAccepted(codingsFor('xml-with-email', acceptEncoding))
        return answerMixed(taken, ownerId)
      }
      requireAccepted(codings)
      return taken.isLong ? answerLong(taken, want, codings) : answerShort(taken, form, codings)
    },
  }
}

export type ListBodies = ReturnType<typeof createListBodies>
