// Generated photo files for tests of uploads, and ways to add them to the page.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { jpegFile, type CameraNotes } from '../../scripts/demo-photos/photo-file.ts'
import { createRandom } from '../helpers/containers-fixtures.ts'
import { addMember, type Member } from '../helpers/visitor.ts'
import { startOfTime } from '../helpers/waymark.ts'
import type { ServedSite } from './site.ts'

export const place = { lat: 46.5212345, lon: 7.2598765 } as const

const notes = (position: CameraNotes['position']): CameraNotes => ({
  model: 'Trail 2',
  serialNumber: '4711-0815',
  owner: 'Ana',
  takenAt: '2026:05:14 09:08:07',
  position,
})

export interface PhotoOptions {
  readonly seed: number
  readonly position?: CameraNotes['position']
  /** Side of the square; noise does not compress, so a pixel takes about a byte. */
  readonly sidePx?: number
}

function noise({ seed, sidePx = 300 }: PhotoOptions): { bytes: Uint8Array; width: number; height: number } {
  const random = createRandom(seed)
  const bytes = Uint8Array.from({ length: sidePx * sidePx * 3 }, () => random() * 255)
  return { bytes, width: sidePx, height: sidePx }
}

export function photo(options: PhotoOptions): Promise<Buffer> {
  const { position, sidePx = 300 } = options
  return jpegFile(noise(options), {
    width: sidePx,
    height: sidePx,
    notes: notes(position),
    isSideways: false,
    isBlurred: false,
  })
}

/** Like a phone's or messenger's. */
export async function webpPhoto(options: PhotoOptions): Promise<Buffer> {
  return sharp(await photo(options))
    .keepExif()
    .webp()
    .toBuffer()
}

export async function filesIn(
  t: TestContext,
  files: Readonly<Record<string, Uint8Array>>,
): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-photos-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return Promise.all(
    Object.entries(files).map(async ([name, bytes]) => {
      const file = path.join(folder, name)
      await writeFile(file, bytes)
      return file
    }),
  )
}

const dragSteps = {
  enter: { type: 'dragEnter', x: 500 },
  over: { type: 'dragOver', x: 500 },
  leave: { type: 'dragOver', x: -50 },
  drop: { type: 'drop', x: 500 },
} as const

/** Drags files in from the desktop. @param beforeLast runs before the last step. */
export async function dragFiles(
  page: Page,
  files: readonly string[],
  steps: readonly (keyof typeof dragSteps)[],
  beforeLast?: () => Promise<unknown>,
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [...files], dragOperationsMask: 1 }
  for (const [at, step] of steps.entries()) {
    if (at === steps.length - 1) await beforeLast?.()
    await session.send('Input.dispatchDragEvent', { ...dragSteps[step], y: 400, data })
  }
  await session.detach()
}

export const dropFiles = (page: Page, files: readonly string[]): Promise<void> =>
  dragFiles(page, files, ['enter', 'over', 'drop'])

/** Browsers drop cookies that have expired by their own clock. */
export const turnToToday = ({ waymark }: ServedSite): void => waymark.system.advance(Date.now() - startOfTime)

/** Signed in, on the page. */
export async function enter(page: Page, site: ServedSite, to: string, member?: Member): Promise<Member> {
  const person = member ?? (await addMember(site.waymark))
  await page.goto(`${site.url}/sign-in?next=${encodeURIComponent(to)}`)
  await page.getByLabel('Email address').fill(person.email)
  await page.getByLabel('Password').fill(person.password)
  // Both at once: the app may go on from this address, as the review page does to the first photo.
  await Promise.all([page.waitForURL(site.url + to), page.getByRole('button', { name: 'Sign in' }).click()])
  return person
}

/** @returns a function that removes the limit. */
export async function throttleUploads(page: Page, bytesPerSecond: number): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const limit = (uploadThroughput: number) =>
    session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await limit(bytesPerSecond)
  return async () => {
    await limit(-1)
    await session.detach()
  }
}
