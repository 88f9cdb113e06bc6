// waymark check: looks whether everything that the database says is stored is there and whole.
import type { Command } from 'commander'
import { createIntegrity, type Checked, type CheckDepth, type Finding } from '../../src/images/integrity.ts'
import { exitCodes, failureOf, isBrokenDatabase } from '../failures.ts'
import { withExistingInstallation } from '../installation.ts'
import { counted, type Output } from '../output.ts'

/** Of a store where everything is wrong, so many findings are kept; the rest are counted. */
const mostListed = 1_000

interface Report {
  readonly checked: Checked
  readonly findings: readonly Finding[]
  readonly isGood: boolean
  /** Findings beyond those listed. */
  readonly unlisted: number
}

async function check(depth: CheckDepth): Promise<Report> {
  const findings: Finding[] = []
  let isGood = true
  let unlisted = 0
  const note = (finding: Finding): void => {
    if (finding.severity === 'problem') isGood = false
    if (findings.length < mostListed) findings.push(finding)
    else unlisted += 1
  }
  let checked: Checked = { images: 0, contents: 0 }
  try {
    checked = await withExistingInstallation(({ database, blobs }) =>
      createIntegrity({ database, blobs }).check(depth, note),
    )
  } catch (error) {
    // A database too damaged to be opened or listed is what was looked for.
    if (!isBrokenDatabase(error)) throw error
    note({ severity: 'problem', what: 'database', detail: failureOf(error).message })
  }
  return { checked, findings, isGood, unlisted }
}

function documentOf({ checked, findings, isGood, unlisted }: Report) {
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
    ...(unlisted > 0 && { unlisted }),
  }
}

function linesOf({ checked, findings, isGood, unlisted }: Report, depth: CheckDepth): string[] {
  const what = depth === 'bytes' ? 'every stored byte' : 'the database and the length of every original'
  const counts = `${counted(checked.images, 'image')} in ${counted(checked.contents, 'file')}`
  return [
    ...findings.map(
      ({ severity, sha256, detail }) =>
        `${severity === 'problem' ? 'PROBLEM' : 'warning'}  ${detail}${sha256 === undefined ? '' : ` (${sha256})`}`,
    ),
    ...(unlisted > 0 ? [`… and ${unlisted} more of these.`] : []),
    `Checked ${what}: ${counts}. ${isGood ? 'All of it is there and whole.' : 'There are problems.'}`,
  ]
}

export function addCheck(parent: Command, output: Output): void {
  parent
    .command('check')
    .description('check that database and photos are there and whole')
    .option('--store', 'read every stored byte, which takes as long as the disk needs')
    .action(async ({ store }: { readonly store?: boolean }) => {
      const depth = store === true ? 'bytes' : 'lengths'
      const report = await check(depth)
      output.answer({
        document: documentOf(report),
        lines: linesOf(report, depth),
        exitCode: report.isGood ? exitCodes.ok : exitCodes.refused,
      })
    })
}
