// Performs the steps of the story that are not done yet: an interrupted fill continues.
import type { App } from '../app.ts'
import type { Image } from '../images/images.ts'
import type { Hour, PersonName } from './demo-trail.ts'
import { actorOf, type AccountIds } from './people.ts'
import { readPhoto } from './photo-files.ts'
import { stepsInOrder, type SentPhoto, type Step } from './story.ts'

export interface FillDependencies {
  readonly services: App['services']
  readonly ids: AccountIds
  /** Sets the clock of the services. */
  readonly setClock: (at: number) => void
  readonly say: (sentence: string) => void
  readonly stopping: AbortSignal
}

/** Image ids by index of the sent photos. */
export type ImageIds = readonly number[]

interface KnownImage {
  readonly id: number
  /** The time of the last step that was done. */
  readonly changedAt: number
}

const maxPhotos = 500
const minuteMs = 60_000
const dayMs = 1_440 * minuteMs

/** Minutes of the day at which there is such light. */
const minuteOf: Readonly<Record<Hour, number>> = {
  dawn: 5 * 60 + 48,
  morning: 8 * 60 + 31,
  overcast: 10 * 60 + 17,
  noon: 12 * 60 + 42,
  golden: 18 * 60 + 9,
  dusk: 19 * 60 + 34,
  night: 23 * 60 + 12,
}

/** The camera's clock shows local time and knows no zone; a photo is sent within a day of being taken. */
function takenAtOf({ photo, sentAt }: SentPhoto): string {
  const minute = minuteOf[photo.hour] * minuteMs
  const takenAt = new Date(minute + dayMs * Math.floor((sentAt - minute) / dayMs)).toISOString()
  return `${takenAt.slice(0, 10).replaceAll('-', ':')} ${takenAt.slice(11, 19)}`
}

async function* wholeBody(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

export function createFill({ services, ids, setClock, say, stopping }: FillDependencies) {
  const { upload, images, review } = services
  const actor = (name: PersonName) => actorOf(name, ids)

  /** What an earlier fill has created; a photo is identified by its upload time. */
  async function findKnown(sent: readonly SentPhoto[]): Promise<(KnownImage | undefined)[]> {
    const found = await images.list(actor('reviewer'), {}, maxPhotos)
    const bySentAt = new Map(found.map((image: Image) => [image.postedAt, image]))
    return sent.map(({ sentAt }) => {
      const image = bySentAt.get(sentAt)
      return image && { id: image.id, changedAt: image.updatedAt }
    })
  }

  async function take(step: Step, sent: SentPhoto, imageId: number | undefined) {
    const { by, act } = step
    if (imageId === undefined) {
      const bytes = await readPhoto(sent.photo.file, takenAtOf(sent))
      setClock(step.at)
      const into = { trailId: sent.trail.id, key: undefined }
      return (await upload.take(actor(by), into, wholeBody(bytes))).imageId
    }
    setClock(step.at)
    if (act.kind === 'describe') {
      const { title, caption } = act
      const change = { title, caption, position: undefined, imageID: undefined, trailID: undefined }
      await images.change(actor(by), { imageId }, change)
    }
    if (act.kind === 'decide') await review.decide(actor(by), imageId, act)
    return imageId
  }

  /** @returns the images, or undefined if it was stopped. */
  async function takeAll(sent: readonly SentPhoto[], known: (KnownImage | undefined)[]) {
    for (const step of stepsInOrder(sent)) {
      if (stopping.aborted) return undefined
      const { index, at } = step
      const photo = sent[index]
      const image = known[index]
      if (!photo || (image && image.changedAt >= at)) continue
      known[index] = { id: await take(step, photo, image?.id), changedAt: at }
    }
    return known.map((image) => image?.id ?? 0)
  }

  return async (sent: readonly SentPhoto[]): Promise<ImageIds | undefined> => {
    const known = await findKnown(sent)
    const missing = known.filter((image) => image === undefined).length
    if (missing > 0) say(`Adding ${missing} sample photos.`)
    return takeAll(sent, known)
  }
}
