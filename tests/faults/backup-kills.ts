// SIGKILL during backups and restores (trust 20), at random times.
import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { partialOf } from '../../src/operations/backup/backup-file.ts'
import { restoringFileOf } from '../../src/database/open-database.ts'
import { prepare } from './harness/installation.ts'
import { command, runWaymark, startProgram, until } from './harness/server.ts'
import { fillStore } from './harness/stock.ts'
import { findProblemsInStore } from './harness/verify.ts'

export interface KillReport {
  readonly kills: number
  /** Number of killed backups whose file was complete, or of killed restores whose database was. */
  readonly whole: number
  /** Restores reported as incomplete. */
  readonly half: number
  readonly faults: readonly string[]
}

/** A command, and the new file that shows that its work has begun. */
interface Work {
  readonly args: readonly string[]
  readonly dataDir: string
  readonly sign: string
}

/** File times may be one tick behind. */
const tickMs = 10

/** Whether the file is newer than this time. One from an earlier killed run may still exist. */
function isNew(file: string, since: number): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= since - tickMs
}

async function begin({ args, dataDir, sign }: Work) {
  const begun = Date.now()
  const started = startProgram([...command, ...args], { dataDir })
  await until(() => isNew(sign, begun) || started.child.exitCode !== null, sign)
  return started
}

/**
 * Kills it at a random time within one part of its work; the first time, as soon as it has begun. Otherwise, if the
 * machine was busier when the duration was measured, all kills could come too late.
 */
async function kill(work: Work, withinMs: number, part: number, parts: number): Promise<void> {
  const { child, ended } = await begin(work)
  if (part > 0) await Promise.race([pause(((part + Math.random()) / parts) * withinMs), ended])
  child.kill('SIGKILL')
  await ended
}

/** Duration of its work, once it has begun. */
async function durationOf(work: Work): Promise<number> {
  const { ended, said } = await begin(work)
  const begun = performance.now()
  assert.equal((await ended).code, 0, said.stderr)
  return performance.now() - begun
}

export async function prepareStock(
  folder: string,
  photos: number,
): Promise<{ dataDir: string; file: string }> {
  const dataDir = path.join(folder, 'data')
  await prepare(dataDir)
  await fillStore(dataDir, { photos, photoBytes: 20_000, smallBytes: 500 })
  return { dataDir, file: path.join(folder, 'good.zip') }
}

/** A killed backup leaves no file, and does not block the next one. */
export async function killBackups(folder: string, kills: number, photos: number): Promise<KillReport> {
  const { dataDir, file } = await prepareStock(folder, photos)
  const withinMs = await durationOf({ args: ['backup', file], dataDir, sign: partialOf(file) })
  const faults: string[] = []
  const other = path.join(folder, 'killed.zip')
  let [done, whole] = [0, 0]
  while (done < kills) {
    await kill({ args: ['backup', other], dataDir, sign: partialOf(other) }, withinMs, done, kills)
    done += 1
    if (!existsSync(other)) continue
    whole += 1
    const restoredDir = path.join(folder, 'whole')
    const { code, stderr } = await runWaymark(['restore', other], { dataDir: restoredDir })
    if (code !== 0) faults.push(`a backup that had its name was not whole: ${stderr}`)
    await rm(restoredDir, { recursive: true, force: true })
    await rm(other)
  }
  const last = await runWaymark(['backup', other], { dataDir })
  if (last.code !== 0) faults.push(`the last backup ended with ${last.code}: ${last.stderr}`)
  const left = [...(await readdir(folder)), ...(await readdir(dataDir))]
  const strange = left.filter((name) => /partial|backup-work/.test(name))
  if (strange.length > 0) faults.push(`left over: ${strange.join(', ')}`)
  return { kills: done, whole, half: 0, faults: [...faults, ...(await findProblemsInStore(dataDir))] }
}

/** A killed restore leaves nothing, or a state that every command refuses and the next restore completes. */
export async function killRestores(folder: string, kills: number, photos: number): Promise<KillReport> {
  const { dataDir, file } = await prepareStock(folder, photos)
  assert.equal((await runWaymark(['backup', file], { dataDir })).code, 0)
  const target = path.join(folder, 'target')
  const staged = restoringFileOf(path.join(target, 'waymark.sqlite'))
  const restore = { args: ['restore', file], dataDir: target, sign: staged }
  const withinMs = await durationOf(restore)
  await rm(target, { recursive: true })
  const faults: string[] = []
  let [done, whole, half] = [0, 0, 0]

  async function look(): Promise<void> {
    const database = path.join(target, 'waymark.sqlite')
    if (existsSync(database)) {
      whole += 1
      faults.push(...(await findProblemsInStore(target)))
      await rm(target, { recursive: true })
    } else if (existsSync(staged)) {
      half += 1
      const { code, stderr } = await runWaymark(['check'], { dataDir: target })
      if (code !== 2 || !stderr.includes('was interrupted'))
        faults.push(`half a restore was taken: ${stderr}`)
    }
  }

  while (done < kills) {
    await kill(restore, withinMs, done, kills)
    done += 1
    await look()
  }
  if (existsSync(target)) {
    const { code, stderr } = await runWaymark(['restore', file], { dataDir: target })
    if (code !== 0) faults.push(`the last restore ended with ${code}: ${stderr}`)
    else faults.push(...(await findProblemsInStore(target)))
  }
  return { kills: done, whole, half, faults }
}
