// For tests of scheduled backups with real servers: make one due, wait for its end, find its process.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../../../../src/database/open-database.ts'
import { readConfig } from '../../../../src/settings/config.ts'
import { parseScrape } from '../../../helpers/metrics.ts'
import { jpegPicture } from '../../../helpers/pictures.ts'
import { startWaymark } from '../../../helpers/waymark.ts'

export type Settings = Readonly<Record<string, string>>

/** As if the schedule had existed for years, so that the next server makes a backup immediately. */
export async function makeDue(dataDir: string, settings: Settings): Promise<void> {
  const { databasePlace } = readConfig({ DATA_DIR: dataDir, ...settings })
  const { db, close } = await openDatabase(databasePlace)
  const value = JSON.stringify({ since: 0 })
  await db
    .insertInto('installation_fact')
    .values({ name: 'backup', value, noted_at: 0 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
  await close()
}

export async function fill(
  dataDir: string,
  environment: Settings,
  photos: number,
  paint: (seed: number) => Promise<Buffer> = (seed) => jpegPicture({ seed }),
): Promise<void> {
  const waymark = await startWaymark({ dataDir, environment })
  const ann = await waymark.addPerson()
  await waymark.addTrail(7, 'Rim Trail')
  for (let seed = 1; seed <= photos; seed += 1) await waymark.upload(ann, 7, await paint(seed))
  await waymark.close()
}

export async function sampleOf(url: string, name: string): Promise<number> {
  const response = await fetch(`${url}/metrics`)
  return parseScrape(await response.text()).samples.get(name) ?? Number.NaN
}

/** Polls with pauses: a backup rests while its server is busy, so that constant polling would slow it down. */
async function untilSet(url: string, name: string): Promise<void> {
  while (!((await sampleOf(url, name)) > 0)) await pause(100)
}

const success = 'waymark_backup_last_success_timestamp_seconds'

export const successOf = (url: string): Promise<number> => sampleOf(url, success)
export const untilMade = (url: string): Promise<void> => untilSet(url, success)
export const untilFailed = (url: string): Promise<void> =>
  untilSet(url, 'waymark_backup_last_failure_timestamp_seconds')

/** It may have ended since it was listed. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

/** The process in which the server makes its backup. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}

export async function backupProcessesOf(pid: number): Promise<number[]> {
  const all = await Promise.all(
    (await childrenOf(pid)).map(async (child) => {
      const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
      return command.includes('backup-process') ? [child] : childrenOf(child)
    }),
  )
  return all.flat()
}
