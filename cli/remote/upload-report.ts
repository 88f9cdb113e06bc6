// What became of each file, kept from file to file so that an upload that was cut off is gone on with (--resume).
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { fail } from '../failures.ts'
import type { TrackPlace } from './track-places.ts'

export interface Outcome {
  readonly file: string
  /**
   * `known`: it was uploaded by an earlier run, or is the same photo as another file. `not-sent`: the upload ended before
   * its turn came.
   */
  readonly status: 'sent' | 'known' | 'would-send' | 'skipped' | 'refused' | 'not-sent'
  readonly imageID?: number
  readonly bytes?: number
  readonly sha256?: string
  /** One sentence, of what was skipped, refused or could not be checked. */
  readonly reason?: string
  /** With --check: whether the server holds the very same bytes. */
  readonly checked?: boolean
  /** With --gpx, of what was or would be uploaded: its place, or why it has none. */
  readonly place?: TrackPlace
}

export interface UploadReport {
  readonly url: string
  readonly trailID: number
  readonly files: readonly Outcome[]
}

/** Where photos go: an outcome is of one trail of one server, and says nothing of another. */
export type Place = Pick<UploadReport, 'url' | 'trailID'>

/** A line an outcome and its place, written as each is known; it becomes the report at the end. */
const journalOf = (report: string): string => `${report}.partial`

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/** The last line may be half a one, where the upload was killed. */
function readLines(text: string): (Outcome & Place)[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Outcome & Place]
    } catch {
      return []
    }
  })
}

function readWhole(report: string, text: string): UploadReport | undefined {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as UploadReport
  } catch {
    throw fail('wrong-file', `${report} is not an upload report: choose another file with --report.`)
  }
}

/** Photos that an earlier run has sent to this trail of this server, by their SHA-256. */
export async function sentBefore(report: string, place: Place): Promise<ReadonlyMap<string, Outcome>> {
  const isHere = ({ url, trailID }: Place): boolean => url === place.url && trailID === place.trailID
  const whole = readWhole(report, await readText(report))
  const known: readonly Outcome[] = [
    ...(whole && isHere(whole) ? whole.files : []),
    ...readLines(await readText(journalOf(report))).filter(isHere),
  ]
  return new Map(
    known.flatMap((outcome) =>
      outcome.imageID !== undefined && outcome.sha256 !== undefined ? [[outcome.sha256, outcome]] : [],
    ),
  )
}

export function createReportWriter(report: string | undefined, { url, trailID }: Place) {
  return {
    note: async (outcome: Outcome): Promise<void> => {
      if (report !== undefined)
        await appendFile(journalOf(report), `${JSON.stringify({ ...outcome, url, trailID })}\n`)
    },
    finish: async (files: readonly Outcome[]): Promise<void> => {
      if (report === undefined) return
      const whole: UploadReport = { url, trailID, files }
      await writeFile(`${report}.new`, `${JSON.stringify(whole, undefined, 2)}\n`)
      await rename(`${report}.new`, report)
      await rm(journalOf(report), { force: true })
    },
  }
}
