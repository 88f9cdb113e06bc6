// waymark check: looks whether everything that the database says is stored is there and whole, and the history too.
import type { Command } from 'commander'
import type { Db } from '../../src/database/database.ts'
import {
  createIntegrity,
  type Checked,
  type CheckDepth,
  type Finding,
} from '../../src/images/storage/integrity.ts'
import { checkHistory, type CheckedHistory, type NotedDigest } from '../../src/review/history-check.ts'
import { exitCodes, failureOf, isBrokenDatabase, wrongUsage } from '../failures.ts'
import { withExistingInstallation } from '../installation.ts'
import { counted, type Output } from '../output.ts'

/** Of a store where everything is wrong, so many findings are kept; the rest are counted. */
const maxListed = 1_000

type Found = Omit<Finding, 'what'> & { readonly what: Finding['what'] | 'history' }

interface Report {
  readonly checked: Checked
  /** What `--audit` came to. */
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
}

function notedOption(text: string): NotedDigest {
  const [, position = '', digest = ''] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (digest === '')
    throw wrongUsage('--noted must be a position and its digest, as printed by --audit: 42:0f3c….')
  return { position: Number(position), digest }
}

async function check({ depth, audit, noted }: Asked): Promise<Report> {
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
  let checked: Checked = { images: 0, contents: 0 }
  let audited: CheckedHistory | undefined
  try {
    await withExistingInstallation(async ({ database, blobs }) => {
      await blobs.probe() // a wrong bucket has no photo at all: that is no loss, but a wrong setting
      checked = await createIntegrity({ database, blobs }).check(depth, note)
      if (audit) audited = await auditHistory(database.db)
    })
  } catch (error) {
    // A database too damaged to be opened or listed is what was looked for.
    if (!isBrokenDatabase(error)) throw error
    note({ severity: 'problem', what: 'database', detail: failureOf(error).message })
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
    ok: isGood,
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

function linesOf({ checked, audited, findings, isGood, unlisted }: Report, depth: CheckDepth): string[] {
  const what = depth === 'bytes' ? 'every stored byte' : 'the database and the size of every original'
  const counts = `${counted(checked.images, 'image')} in ${counted(checked.contents, 'file')}`
  return [
    ...findings.map(
      ({ severity, sha256, detail }) =>
        `${severity === 'problem' ? 'PROBLEM' : 'warning'}  ${detail}${sha256 === undefined ? '' : ` (${sha256})`}`,
    ),
    ...(unlisted > 0 ? [`… and ${unlisted} more.`] : []),
    ...(audited ? auditLines(audited) : []),
    `Checked ${what}: ${counts}. ${isGood ? 'Everything is complete and intact.' : 'Problems were found.'}`,
  ]
}

interface Options {
  readonly store?: boolean
  readonly audit?: boolean
  readonly noted?: NotedDigest
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
    .action(async ({ store, audit = false, noted }: Options) => {
      const depth = store === true ? 'bytes' : 'lengths'
      const report = await check({ depth, audit: audit || noted !== undefined, noted })
      output.answer({
        document: documentOf(report),
        lines: linesOf(report, depth),
        exitCode: report.isGood ? exitCodes.ok : exitCodes.refused,
      })
    })
}
