// The walk of one upload: receive, examine, keep, record, and only then answer (contract C14–C17).
import { accountOf, type Actor } from '../auth/guard.ts'
import type { Blobs, StagedBlob } from '../blobs/port.ts'
import type { Database, Tx } from '../database/database.ts'
import { refuse, type Refusal } from '../errors.ts'
import { bumpTrailVersion, recordMove } from '../events/outbox.ts'
import type { Examined, Renditions } from '../imaging/renditions.ts'
import type { System } from '../system.ts'
import { originalKey, renditionKey } from './blob-keys.ts'
import { holdContent, saveRenditions } from './content-table.ts'
import { insertImage, positionColumns, usageOf } from './image-table.ts'
import { removeUnreferenced } from './remove-unreferenced.ts'
import { rowsOf, type RenditionStore } from './rendition-store.ts'

/** 8 MB, inclusive (contract C14). */
export const mostUploadBytes = 8_388_608
const idAttempts = 5

export function tooLarge(): Refusal {
  return refuse('image-too-large', { detail: `The upload is larger than ${mostUploadBytes} bytes.` })
}

/** 0 means no limit. */
export interface Quotas {
  readonly pendingImages: number
  readonly bytes: number
}

export interface UploadDependencies {
  readonly database: Database
  readonly blobs: Blobs
  readonly renditions: Renditions
  readonly store: RenditionStore
  readonly system: System
  readonly quotas: Quotas
}

export function createUpload(dependencies: UploadDependencies) {
  const { database, blobs, renditions, store: renditionStore, system, quotas } = dependencies
  const { db } = database

  async function checkQuotas(tx: typeof db, accountId: number, moreBytes: number): Promise<void> {
    const { pendingImages, bytes } = await usageOf(tx, accountId)
    if (quotas.pendingImages > 0 && pendingImages >= quotas.pendingImages) {
      throw refuse('quota-reached', {
        detail: `The account has ${pendingImages} pending images; the limit is ${quotas.pendingImages}.`,
      })
    }
    if (quotas.bytes > 0 && bytes + moreBytes > quotas.bytes) {
      throw refuse('quota-reached', {
        detail: `The account stores ${bytes} bytes of images and this would go over the limit of ${quotas.bytes}.`,
      })
    }
  }

  async function receive(body: AsyncIterable<Uint8Array>): Promise<StagedBlob> {
    const staged = await blobs.receive(body, mostUploadBytes)
    if (!staged) throw tooLarge()
    if (staged.bytes > 0) return staged
    await staged.discard()
    throw refuse('empty-image', { detail: 'The body of the upload has no bytes.' })
  }

  /** Inserts under a fresh id; a clash of 53-bit random ids is as good as impossible, and costs one more try. */
  async function insertWithNewId(
    tx: Tx,
    row: Omit<Parameters<typeof insertImage>[1], 'id'>,
  ): Promise<number> {
    for (let attempt = 0; attempt < idAttempts; attempt += 1) {
      const id = system.newId()
      if (await insertImage(tx, { id, ...row })) return id
    }
    throw new Error(`no free image id in ${idAttempts} attempts`)
  }

  async function record(tx: Tx, trailId: number, accountId: number, staged: StagedBlob, examined: Examined) {
    const at = system.now()
    // The sweep may have deleted an old copy after this one was kept under the same key: while the row is held no sweep
    // can be under way, so what is there now stays.
    const isHeld = await holdContent(tx, staged.sha256, staged.bytes)
    if (!isHeld || !(await blobs.has(originalKey(staged.sha256)))) {
      throw refuse('busy', {
        detail: 'An old copy of this file is being deleted.',
        headers: { 'Retry-After': '1' },
      })
    }
    await checkQuotas(tx, accountId, staged.bytes)
    await saveRenditions(tx, staged.sha256, rowsOf(examined.renditions))
    const seq = await bumpTrailVersion(tx, trailId)
    const imageId = await insertWithNewId(tx, {
      seq,
      trail_id: trailId,
      submitter_id: accountId,
      state: 'pending',
      title: '',
      caption: '',
      ...positionColumns(examined.position),
      mime_type: examined.mimeType,
      sha256: staged.sha256,
      bytes: staged.bytes,
      width: examined.width,
      height: examined.height,
      posted_at: at,
      updated_at: at,
    })
    await recordMove(tx, {
      type: 'image.uploaded',
      at,
      imageId,
      trailId,
      actorId: accountId,
      from: null,
      to: 'pending',
    })
    return imageId
  }

  async function store(trailId: number, accountId: number, staged: StagedBlob, examined: Examined) {
    const { sha256 } = staged
    try {
      // Blobs before rows: a row never points at bytes that a power cut could take. What a crash leaves between
      // the two is unreferenced, and the sweep finds it.
      await renditionStore.put(sha256, examined.renditions)
      await staged.keep(originalKey(sha256))
      return await db.transaction().execute((tx) => record(tx, trailId, accountId, staged, examined))
    } catch (error) {
      const keys = examined.renditions.map(({ name }) => renditionKey(sha256, name))
      const removal = { db, blobs, now: () => system.now() }
      await removeUnreferenced(removal, sha256, [originalKey(sha256), ...keys]).catch(() => 0) // the sweep will
      throw error
    }
  }

  return {
    /** Before a byte of the body is read. @throws refusal `quota-reached`. */
    requireRoom: (actor: Actor): Promise<void> => checkQuotas(db, accountOf(actor).accountId, 0),

    /**
     * Stores one image as pending. When it resolves, bytes and row survive a power cut; when it rejects, nothing is kept.
     * @returns the id of the image.
     * @throws refusals `image-too-large`, `empty-image`, `unsupported-image-type`, `broken-image`,
     *   `image-dimensions-too-large`, `quota-reached`, `busy`.
     */
    take: async (actor: Actor, trailId: number, body: AsyncIterable<Uint8Array>): Promise<number> => {
      const { accountId } = accountOf(actor)
      const staged = await receive(body)
      try {
        const examined = await renditions.examine(await staged.read())
        return await store(trailId, accountId, staged, examined)
      } finally {
        await staged.discard()
      }
    },
  }
}

export type Upload = ReturnType<typeof createUpload>
