// The result of each file, written as it becomes known, so that an interrupted upload can be resumed (--resume).
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { fail } from '../failures.ts'
import type { TrackPlace } from './track-places.ts'

export interface Outcome {
  readonly file: string
  /**
   * `known`: uploaded by an earlier run, or the same photo as another file. `not-sent`: the upload ended before this
   * file.
   */
  readonly status: 'sent' | 'known' | 'would-send' | 'skipped' | 'refused' | 'not-sent'
  readonly imageID?: number
  readonly bytes?: number
  readonly sha256?: string
  /** One sentence, if it was skipped, refused or could not be checked. */
  readonly reason?: string
  /** With --check: whether the server has exactly the same bytes. */
  readonly checked?: boolean
  /** With --gpx, for photos that were or would be uploaded: the location, or why there is none. */
  readonly place?: TrackPlace
}

export interface UploadReport {
  readonly url: string
  readonly trailID: number
  readonly files: readonly Outcome[]
}

/** Target of the upload: a result is valid only for this trail on this server. */
export type Place = Pick<UploadReport, 'url' | 'trailID'>

/** One line per result, written as it becomes known; this becomes the report at the end. */
const journalOf = (report: string): string => `${report}.partial`

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/** The last line may be incomplete if the upload was killed. */
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

/** Photos that an earlier run has sent to this trail of this server, by SHA-256. */
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
