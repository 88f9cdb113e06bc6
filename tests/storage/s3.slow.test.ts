// The blob suite over S3: a real Swift, each store below a prefix of its own.
import { randomUUID } from 'node:crypto'
import { readdir, readlink } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, type TestContext } from 'node:test'
import { blobPlace } from '../../src/settings/blob-settings.ts'
import { createS3Blobs } from '../../src/storage/s3-blobs.ts'
import { testBlobStore } from './blob-suite.ts'
import { newFolder } from '../helpers/folders.ts'
import { blobUrlBelow, startSwift, whyNoSwift, type Swift } from '../helpers/swift.ts'
import { testS3Answers } from './s3-answers.ts'
import { testS3Faults } from './s3-faults.ts'

/** Files alone: connections are kept for the next call, as many as there were calls at once. */
async function openFiles(): Promise<number | undefined> {
  try {
    const names = await readdir('/proc/self/fd')
    const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
    return targets.filter((target) => target.startsWith('/')).length
  } catch {
    return undefined
  }
}

describe('blobs in S3', { skip: whyNoSwift() }, () => {
  let swift: Swift | undefined

  before(async () => {
    swift = await startSwift()
    Object.assign(process.env, swift.environment)
  })
  after(async () => swift?.end())

  async function openS3(t: TestContext) {
    const staging = path.join(await newFolder(t), 'staged')
    const place = blobPlace(blobUrlBelow(swift?.blobUrl ?? '', randomUUID()))
    if (place.store !== 's3') throw new Error('not S3')
    const blobs = await createS3Blobs(place, staging)
    t.after(() => blobs.close())
    return {
      blobs,
      countStaged: async () => (await readdir(staging)).length,
      reopen: () => createS3Blobs(place, staging),
      openFiles,
    }
  }

  testBlobStore('S3', openS3)
  const running = (): Swift => {
    if (swift === undefined) throw new Error('Swift does not run')
    return swift
  }
  testS3Answers(running)
  testS3Faults(running)
})
