// The bodies of the list of a trail, GET /Trails/<trailID>/Images: in either format, as they are and compressed.
//
// Only what holds no email address and is the same for everybody who may read the list is kept for all and compressed.
// What holds addresses is for the account that asks, and goes as it is: the length of compressed text tells what else
// stands in it to whoever can put words of their own beside it, as a caption does (the BREACH attack).
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
import type { MadeBody } from '../../http/representation.ts'
import { createCachedLists } from './cached-lists.ts'
import type { CodedBodies, CachedList, ListContents } from './kept-list.ts'
import type { ListedRow } from './list-table.ts'
import { bodyFrom, createListWriter, formatOf } from './list-writer.ts'
import type { ListedForm, Present } from '../present.ts'

/** What is shorter gains nothing: it is one packet either way. */
const minCompressedBytes = 1_024

/** What readers may hold of lists that were made for them alone. */
const maxOwnBytes = 64 * 1024 * 1024

export interface ListRequest {
  readonly format: 'json' | 'xml'
  readonly acceptEncoding: string | undefined
}

export interface ListAnswer {
  readonly body: MadeBody
  /** Made for this request alone: whoever sends it tells `holdOwn`. */
  readonly isOwn: boolean
  /** False where a better coding is being made for whoever asks next. */
  readonly isFinal: boolean
  /** Of the same list in every coding that the client accepts. */
  readonly etags: readonly string[]
}

export interface ListBodiesDependencies {
  readonly db: Db
  readonly present: Present
  /** Setting LIST_CACHE_MEGABYTES. */
  readonly megabytes: number
}

export function createListBodies({ db, present, megabytes }: ListBodiesDependencies) {
  const lists = createCachedLists({ db, megabytes })
  const writer = createListWriter(present)
  const readCodings = createCodingsReader()
  let lastCompression: Promise<unknown> = Promise.resolve()
  /** Of bodies made for one request each, until they are sent: a slow reader holds a whole list of its own. */
  let ownBytes = 0

  /** What everybody gets of such an image, but for its submitter. */
  function formFor(actor: Actor, { trailId }: CachedList, format: 'json' | 'xml'): ListedForm {
    if (format === 'json') return 'json'
    const another = { state: 'approved', submitterId: 0, trailId } as const
    return present.mayShowEmail(actor, another) ? 'xml-with-email' : 'xml'
  }

  /** Has the list images that show the actor an address, and others that do not? */
  const isMixed = (actor: Actor, { submitters }: CachedList, form: ListedForm): boolean =>
    form === 'xml' && actor.kind === 'account' && submitters.has(actor.accountId)

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
  function codeLater(
    list: CachedList,
    contents: ListContents,
    bodies: CodedBodies,
    coding: Compression,
  ): void {
    if (bodies.begun.has(coding)) return
    bodies.begun.add(coding)
    const work = async (): Promise<void> => {
      if (list.contents !== contents) return // nobody would be sent it any more
      bodies.coded.set(coding, await code(bodies, coding))
      lists.weigh(list)
    }
    lastCompression = lastCompression.then(work).catch(() => bodies.begun.delete(coding))
  }

  /** The best that there is already. What the client would rather have is begun, for those who come after. */
  function pick(
    list: CachedList,
    contents: ListContents,
    form: ListedForm,
    codings: readonly Coding[],
  ): MadeBody | undefined {
    const bodies = contents.bodies.get(form)
    if (!bodies) return undefined
    const isShort = bodies.identity.bytes.length < minCompressedBytes
    if (isShort && codings.includes('identity')) return bodies.identity
    for (const coding of codings) {
      if (coding === 'identity') return bodies.identity
      const coded = bodies.coded.get(coding)
      if (coded) return coded
      codeLater(list, contents, bodies, coding)
    }
    return undefined
  }

  async function makeBodies(
    list: CachedList,
    contents: ListContents,
    form: ListedForm,
  ): Promise<CodedBodies> {
    const { entries, bodies, making } = contents
    const known = bodies.get(form)
    if (known) return known
    return making.run(form, async () => {
      const identity = await writer.write(list, entries, formatOf(form), () => form)
      const made = { identity, coded: new Map(), begun: new Set<Coding>() }
      bodies.set(form, made)
      lists.weigh(list)
      return made
    })
  }

  /** Where the client takes nothing but what nobody has asked for yet. */
  async function codeNow(
    list: CachedList,
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

  /** Of a member who has images in the list: their own show them the address they gave. @throws refusal `busy`. */
  function writeMixed(actor: Actor, list: CachedList): Promise<MadeBody> {
    if (ownBytes > maxOwnBytes) {
      throw refuse('busy', {
        detail: inEach(({ limits }) => limits.slowLists),
        headers: { 'Retry-After': '5' },
      })
    }
    const guarded = ({ submitterId }: ListedRow) =>
      ({ state: 'approved', submitterId, trailId: list.trailId }) as const
    return writer.write(list, list.contents.entries, 'xml', (row) =>
      present.mayShowEmail(actor, guarded(row)) ? 'xml-with-email' : 'xml',
    )
  }

  function requireAccepted(codings: readonly Coding[]): void {
    if (codings.length > 0) return
    throw refuse('not-acceptable', {
      detail: 'Accept-Encoding allows none of the encodings that this list is available in.',
    })
  }

  return {
    /** What all lists that are kept take of memory, about. */
    cachedBytes: (): number => lists.bytes(),

    /** To be called before such a body is sent. @returns what tells that it is. */
    holdOwn: ({ bytes }: MadeBody): (() => void) => {
      ownBytes += bytes.length
      return () => {
        ownBytes -= bytes.length
      }
    },

    /** @throws refusals `invalid-trail-id`, `not-acceptable`, `busy`. */
    answer: async (
      actor: Actor,
      trailId: number,
      { format, acceptEncoding }: ListRequest,
    ): Promise<ListAnswer> => {
      const list = await lists.find(trailId)
      if (!list) throw refuse('invalid-trail-id')
      const form = formFor(actor, list, format)
      if (isMixed(actor, list, form)) {
        requireAccepted(codingsFor('xml-with-email', acceptEncoding))
        const body = await writeMixed(actor, list)
        return { body, isOwn: true, isFinal: false, etags: [body.etag] }
      }
      const codings = codingsFor(form, acceptEncoding)
      requireAccepted(codings)
      const { contents } = list
      const bodies = await makeBodies(list, contents, form)
      const body = pick(list, contents, form, codings) ?? (await codeNow(list, bodies, codings))
      const isFinal =
        body.bytes.length < minCompressedBytes || (body.contentEncoding ?? 'identity') === codings[0]
      return {
        body,
        isOwn: false,
        isFinal,
        etags: codings.map((coding) => codedEtag(bodies.identity.etag, coding)),
      }
    },
  }
}

export type ListBodies = ReturnType<typeof createListBodies>
