// The images of one trail: new ones are requested one after another, and stored while the next one is loading.
import { findPulled, type Pulled } from '../../src/database/pulled-table.ts'
import { Refusal, refusals } from '../../src/errors.ts'
import { imageDigest } from '../../src/images/pulled/pulled-image.ts'
import { findImagesHere, type ImageHere } from '../../src/images/pulled/pulled-images-table.ts'
import { takeBytes } from './asking.ts'
import { noteLoss, syncStateOf, type PullContext } from './pull-context.ts'
import type { StoredBody } from './pull-state.ts'
import type { Originals, WhyNot } from './originals.ts'
import { barredIn, type Submitters } from './pull-submitter.ts'
import type { ListedImage } from './listed-image.ts'

/** How many are compared with the database at once. */
const imagesAtOnce = 100
/** Codes that record that a photo comes as size lg. */
const asLarge = ['original-not-open', 'original-missing', 'original-refused'] as const
/** How often a body may break off if its length was not announced. */
const maxCuts = 3

/** Reasons to refuse an upload. Any other error is a bug or a storage failure, and ends the pull. */
const ofBytes: ReadonlySet<string> = new Set([
  'image-too-large',
  'empty-image',
  'unsupported-image-type',
  'broken-image',
  'image-dimensions-too-large',
])

const sentenceOf = (error: Refusal): string => {
  const { title, help } = refusals[error.code]
  return typeof error.detail === 'string' ? error.detail : `${title}: ${help}`
}

export function createImagePull(
  context: PullContext,
  submitters: Submitters,
  originals: Originals | undefined,
) {
  const { isFrom, state, asker, db, images, counts, isDryRun, imageHandler, maxImageBytes, signal } = context
  let storing: Promise<void> = Promise.resolve()
  /** Images that seem to be cut off and are requested again, with the number of attempts. */
  let again: { readonly image: ListedImage; readonly times: number }[] = []

  const ofImage = ({ id, trailId }: Pick<ListedImage, 'id' | 'trailId'>) =>
    ({ what: 'image', id: String(id), trailID: trailId }) as const

  const keysOf = ({ id }: ListedImage) => ({ original: `original ${id}`, lg: `image ${id}` })

  /** Recorded before size lg is requested, so that a pull that is killed then does not request the original again. */
  async function takeAsLarge(image: ListedImage, { code, detail }: WhyNot): Promise<void> {
    await noteLoss(context, code, ofImage(image), detail)
    state.endAsk(keysOf(image).original)
  }

  /** @returns undefined if size lg has to be requested instead, which is recorded. */
  async function sendOriginal(image: ListedImage): Promise<StoredBody | 'left' | undefined> {
    if (originals === undefined || asLarge.some((code) => state.isNoted(code, ofImage(image))))
      return undefined
    const asked = await originals.ask(image)
    if (asked.how === 'came') return asked.body
    if (asked.how === 'as lg') {
      await takeAsLarge(image, asked.why)
      return undefined
    }
    await noteLoss(context, asked.code, ofImage(image), asked.detail)
    if (asked.code !== 'asked-twice') state.endAsk(keysOf(image).original)
    return 'left'
  }

  /** @returns undefined if it was not available, which is recorded. */
  async function send(image: ListedImage): Promise<StoredBody | undefined> {
    const of = ofImage(image)
    const { original, lg: key } = keysOf(image)
    const stored = (await state.findBody(original, 'original')) ?? (await state.findBody(key))
    if (stored) return stored
    const sent = await sendOriginal(image)
    if (sent !== undefined) return sent === 'left' ? undefined : sent
    if (!(await state.beginAsk(key))) {
      await noteLoss(context, 'asked-twice', of)
      return undefined
    }
    const url = new URL(imageHandler)
    url.searchParams.set('id', String(image.id))
    url.searchParams.set('t', 'lg')
    const answered = await asker.ask({ url, accept: 'image/*, */*;q=0.1' }, async (incoming) => {
      const { headers } = incoming
      const isDelimited = headers.has('content-length') || headers.has('transfer-encoding')
      const bytes = await takeBytes(incoming, maxImageBytes)
      return bytes && ({ bytes, isDelimited, form: 'lg' } as const)
    })
    if (answered.how === 'taken' && answered.value) {
      // From here on, a killed pull does not request it a second time.
      await state.keepBody(key, answered.value)
      return answered.value
    }
    if (answered.how === 'taken') await noteLoss(context, 'too-large', of)
    else if (answered.how === 'unanswered')
      await noteLoss(context, 'unanswered', of, `Last error: ${answered.why}.`)
    else if (answered.status === 404) await noteLoss(context, 'not-found', of)
    else await noteLoss(context, 'unanswered', of, `It responded with ${answered.status}.`)
    state.endAsk(key)
    return undefined
  }

  async function store(image: ListedImage, sent: StoredBody, times: number): Promise<void> {
    const of = ofImage(image)
    const { bytes, isDelimited, form } = sent
    const { submitterId: id, displayName, email } = image
    try {
      const mimeType = await images.bring(image, { bytes, form }, (tx) =>
        submitters.keepIn(tx, { id, displayName, email }),
      )
      counts.images.new += 1
      if (form === 'original') counts.images.originals += 1
      counts.bytes += bytes.length
      for (const code of image.notes) await noteLoss(context, code, of)
      if (image.mimeType !== '' && mimeType !== image.mimeType)
        await noteLoss(context, 'other-type', of, `The list says ${image.mimeType}, and it is ${mimeType}.`)
    } catch (error) {
      const barred = barredIn(error)
      if (barred) await noteLoss(context, barred, of)
      else if (error instanceof Refusal && ofBytes.has(error.code)) {
        if (form === 'original') {
          await takeAsLarge(image, { code: 'original-refused', detail: sentenceOf(error) })
          await forget(image, sent)
          again.push({ image, times })
          return
        }
        if (error.code === 'broken-image' && !isDelimited && times < maxCuts) {
          await forget(image, sent)
          again.push({ image, times: times + 1 })
          return
        }
        await noteLoss(context, 'image-refused', of, sentenceOf(error))
      } else throw error
    }
    await forget(image, sent)
  }

  /** Called once the result is durable. */
  async function forget(image: ListedImage, sent: StoredBody): Promise<void> {
    const { [sent.form]: key } = keysOf(image)
    await state.dropBody(key, sent)
    state.endAsk(key)
  }

  async function fetchOne(image: ListedImage, times = 0): Promise<void> {
    const sent = await send(image)
    await storing
    if (sent === undefined) return
    const stored = store(image, sent, times)
    stored.catch(() => undefined) // reported where it is awaited
    storing = stored
  }

  async function takeNew(image: ListedImage): Promise<void> {
    const of = ofImage(image)
    if (state.isLeft('image', String(image.id))) return
    const { submitterId: id, displayName, email } = image
    const barred = await submitters.whyBarred(id)
    if (barred) {
      await noteLoss(context, barred, of)
      return
    }
    if (!isDryRun) return fetchOne(image)
    counts.images.new += 1
    const whyNot = await originals?.probe(image)
    if (whyNot) await noteLoss(context, whyNot.code, of, whyNot.detail)
    else if (originals) counts.images.originals += 1
    await submitters.follow({ id, displayName, email })
    for (const code of image.notes) await noteLoss(context, code, of)
  }

  /** @returns whether it counts as a pulled image of the list. */
  async function takeOne(
    image: ListedImage,
    here: ImageHere | undefined,
    pulled: Pulled | undefined,
  ): Promise<boolean> {
    const of = ofImage(image)
    if (pulled && !isFrom(pulled.source)) {
      await noteLoss(context, 'pulled-elsewhere', of, `That URL is ${pulled.source}.`)
      return false
    }
    const syncState = syncStateOf(here && imageDigest(here), imageDigest(image), pulled?.digest)
    if (syncState === 'new') {
      await takeNew(image)
      return true
    }
    if (syncState === 'deleted-here' || syncState === 'id-in-use') {
      await noteLoss(context, syncState, of)
      return false
    }
    if (here && (here.trailId !== image.trailId || here.submitterId !== image.submitterId)) {
      await noteLoss(context, 'moved-there', of)
      return false
    }
    if (here?.state === 'deleted') await noteLoss(context, 'deleted-here', of)
    else if (here?.state !== 'approved') await noteLoss(context, 'hidden-here', of)
    if (originals && pulled?.form !== 'original') await noteLoss(context, 'stays-lg', of)
    const { submitterId: id, displayName, email } = image
    await submitters.follow({ id, displayName, email })
    if (syncState === 'edited-here') await noteLoss(context, 'edited-here', of)
    else if (syncState === 'changed') {
      if (here && !isDryRun && !(await images.follow(image, here))) return takeAgain(image)
      counts.images.changed += 1
      return true
    } else if (syncState === 'agreed' && !isDryRun) await images.agree(image)
    counts.images.unchanged += 1
    return true
  }

  /** It was changed here after it was compared. */
  async function takeAgain(image: ListedImage): Promise<boolean> {
    const here = await findImagesHere(db, [image.id])
    const pulled = await findPulled(db, 'image', [image.id])
    return takeOne(image, here.get(image.id), pulled.get(image.id))
  }

  return {
    imagesAtOnce,

    /** @returns those that take part in the order of the list. */
    take: async (batch: readonly ListedImage[]): Promise<ListedImage[]> => {
      const ids = batch.map(({ id }) => id)
      const here = await findImagesHere(db, ids)
      const pulled = await findPulled(db, 'image', ids)
      const placed: ListedImage[] = []
      for (const image of batch) {
        signal.throwIfAborted()
        if (await takeOne(image, here.get(image.id), pulled.get(image.id))) placed.push(image)
      }
      return placed
    },

    /** Requests cut-off images once more, and resolves when everything is stored. */
    finish: async (): Promise<void> => {
      await storing
      while (again.length > 0) {
        const cut = again
        again = []
        for (const { image, times } of cut) await fetchOne(image, times)
        await storing
      }
    },

    /** Resolves when no work is pending, whether or not it succeeded. */
    settle: (): Promise<void> => storing.catch(() => undefined),
  }
}

export type ImagePull = ReturnType<typeof createImagePull>
