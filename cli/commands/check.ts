// waymark check: verifies that every stored file in the database exists and is intact, and optionally the audit log.
import type { Command } from 'commander'
import type { Db } from '../../src/database/database.ts'
import {
  createIntegrity,
  type Checked,
  type CheckDepth,
  type Finding,
} from '../../src/images/storage/integrity.ts'
import { checkHistory, type CheckedHistory, type NotedDigest } from '../../src/review/history-check.ts'
import { findSecretFault } from '../../src/operations/backup/secret-file.ts'
import { exitCodes, failureOf, isBrokenDatabase, wrongUsage } from '../failures.ts'
import { withExistingInstallation } from '../installation.ts'
import { createLine, stoppable } from '../long-work.ts'
import { counted, type Output } from '../output.ts'

/** If everything is wrong, only this many findings are listed; the rest are counted. */
const maxListed = 1_000

type Found = Omit<Finding, 'what'> & { readonly what: Finding['what'] | 'history' | 'secret' }

interface Report {
  readonly checked: Checked
  /** The result of `--audit`. */
  readonly audited: CheckedHistory | undefined
  readonly findings: readonly Found[]
  readonly isGood: boolean
  /** Findings beyond those listed. */
  readonly unlisted: number
}

interface Asked {
  readonly depth: CheckDepth
  readonly audit: boolean
  readonly noted: NotedDigest | undefined
  readonly from: string | undefined
}

/** Hashes are evenly distributed, so the first digits of one give the progress. */
const doneLine = (sha256: string): string =>
  `${((Number.parseInt(sha256.slice(0, 8), 16) / 2 ** 32) * 100).toFixed(1)} % (at ${sha256.slice(0, 12)})`

function fromOption(text: string): string {
  if (/^[0-9a-f]{1,64}$/.test(text)) return text
  throw wrongUsage('--from must be the SHA-256 of a file, or its first digits, in lower-case hexadecimal.')
}

function notedOption(text: string): NotedDigest {
  const [, position = '', digest = ''] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (digest === '')
    throw wrongUsage('--noted must be a position and its digest, as printed by --audit: 42:0f3c….')
  return { position: Number(position), digest }
}

async function check({ depth, audit, noted, from }: Asked, signal: AbortSignal): Promise<Report> {
  const findings: Found[] = []
  let isGood = true
  let unlisted = 0
  const note = (finding: Found): void => {
    if (finding.severity === 'problem') isGood = false
    if (findings.length < maxListed) findings.push(finding)
    else unlisted += 1
  }
  const auditHistory = async (db: Db): Promise<CheckedHistory> => {
    const done = await checkHistory(db, noted)
    if (done.fault) note({ severity: 'problem', what: 'history', detail: done.fault.detail })
    return done
  }
  const progress = createLine(process.stderr, doneLine)
  let checked: Checked = { images: 0, contents: 0 }
  let audited: CheckedHistory | undefined
  try {
    await withExistingInstallation(async ({ config, database, blobs }) => {
      const secretFault = await findSecretFault(database.db, config.secretFile)
      if (secretFault !== undefined) note({ severity: 'problem', what: 'secret', detail: secretFault })
      await blobs.probe() // a wrong bucket is empty: the setting is wrong, no photo is lost
      const options = { from, signal, onChecked: progress.draw }
      checked = await createIntegrity({ database, blobs }).check(depth, note, options)
      if (audit && checked.goesOnAt === undefined) audited = await auditHistory(database.db)
    })
  } catch (error) {
    // A database too damaged to open or list is a finding, not a failure.
    if (!isBrokenDatabase(error)) throw error
    note({ severity: 'problem', what: 'database', detail: failureOf(error).message })
  } finally {
    progress.clear()
  }
  return { checked, audited, findings, isGood, unlisted }
}

function auditDocument({ rows, newest, fault }: CheckedHistory) {
  return {
    rows,
    newest: newest ?? null,
    ...(fault && { fault: { position: fault.position, what: fault.what } }),
  }
}

function documentOf({ checked, audited, findings, isGood, unlisted }: Report) {
  const listed = (severity: Finding['severity']) =>
    findings
      .filter((finding) => finding.severity === severity)
      .map(({ what, sha256, detail }) => ({ what, sha256, detail }))
  return {
    ok: isGood && checked.goesOnAt === undefined,
    ...(checked.goesOnAt !== undefined && { stopped: true, goesOnAt: checked.goesOnAt }),
    images: checked.images,
    contents: checked.contents,
    problems: listed('problem'),
    warnings: listed('warning'),
    ...(audited && { history: auditDocument(audited) }),
    ...(unlisted > 0 && { unlisted }),
  }
}

function auditLines({ rows, newest, fault }: CheckedHistory): string[] {
  const digest = newest === undefined ? '' : `; the newest is ${newest.position}:${newest.digest}`
  return [`The history: ${counted(rows, 'row')} ${fault ? 'before that are' : 'are'} intact${digest}.`]
}

/** The words of the command that checks the remaining files, with the options that were given. */
function goingOn({ depth, audit, noted }: Asked, at: string): string {
  const store = depth === 'bytes' ? ' --store' : ''
  const history = noted ? ` --noted ${noted.position}:${noted.digest}` : audit ? ' --audit' : ''
  return `check${store}${history} --from ${at}`
}

function endOf({ checked, isGood }: Report, asked: Asked, command: Output['command']): string {
  const { goesOnAt } = checked
  if (goesOnAt !== undefined) {
    const far = isGood ? 'No problems so far.' : 'Problems were found.'
    return `${far} The check was stopped; to check the rest: ${command(goingOn(asked, goesOnAt))}`
  }
  if (!isGood) return 'Problems were found.'
  return asked.from === undefined ? 'Everything is complete and intact.' : 'These are complete and intact.'
}

function linesOf(report: Report, asked: Asked, command: Output['command']): string[] {
  const { checked, audited, findings, unlisted } = report
  const { depth, from } = asked
  const what = depth === 'bytes' ? 'every stored byte' : 'the database and the size of every original'
  const counts = `${counted(checked.images, 'image')} in ${counted(checked.contents, 'file')}${from === undefined ? '' : ` from ${from} on`}`
  return [
    ...findings.map(
      ({ severity, sha256, detail }) =>
        `${severity === 'problem' ? 'PROBLEM' : 'warning'}  ${detail}${sha256 === undefined ? '' : ` (${sha256})`}`,
    ),
    ...(unlisted > 0 ? [`… and ${unlisted} more.`] : []),
    ...(audited ? auditLines(audited) : []),
    `Checked ${what}: ${counts}. ${endOf(report, asked, command)}`,
  ]
}

interface Options {
  readonly store?: boolean
  readonly audit?: boolean
  readonly noted?: NotedDigest
  readonly from?: string
}

export function addCheck(parent: Command, output: Output): void {
  parent
    .command('check')
    .description('check that the database and photos are complete and intact')
    .option('--store', 'read every stored byte, which can take long')
    .option('--audit', 'also check that the history of decisions was not changed or cut')
    .option(
      '--noted <position:digest>',
      'like --audit, and compare the history with a digest printed earlier',
      notedOption,
    )
    .option('--from <hash>', 'resume at the hash that an interrupted check printed', fromOption)
    .action(async ({ store, audit = false, noted, from }: Options) => {
      const depth = store === true ? 'bytes' : 'lengths'
      const asked = { depth, audit: audit || noted !== undefined, noted, from } as const
      // Prints the findings so far and the command that resumes the check.
      const report = await stoppable('The check was stopped.', (signal) => check(asked, signal))
      const isWhole = report.checked.goesOnAt === undefined
      output.answer({
        document: documentOf(report),
        lines: linesOf(report, asked, output.command),
        exitCode: report.isGood && isWhole ? exitCodes.ok : exitCodes.refused,
      })
    })
}
