// What became of each file, kept from file to file so that an upload that was cut off is gone on with (--resume).
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'

export interface Outcome {
  readonly file: string
  /** `known`: the server had it of an earlier attempt, told by an earlier report. */
  readonly status: 'sent' | 'known' | 'would-send' | 'skipped' | 'refused'
  readonly imageID?: number
  readonly bytes?: number
  readonly sha256?: string
  /** One sentence, of what was skipped or refused. */
  readonly reason?: string
  /** With --check: whether the server holds the very same bytes. */
  readonly checked?: boolean
}

export interface UploadReport {
  readonly url: string
  readonly trailID: number
  readonly files: readonly Outcome[]
}

/** A line an outcome, written as each is known; it becomes the report at the end. */
const journalOf = (report: string): string => `${report}.partial`

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/** The last line may be half a one, where the upload was killed. */
function readLines(text: string): Outcome[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Outcome]
    } catch {
      return []
    }
  })
}

/** Photos that an earlier run has sent to this trail of this server, by their SHA-256. */
export async function sentBefore(
  report: string,
  { url, trailID }: Pick<UploadReport, 'url' | 'trailID'>,
): Promise<ReadonlyMap<string, Outcome>> {
  const text = await readText(report)
  const whole = text === '' ? undefined : (JSON.parse(text) as UploadReport)
  const isSame = whole === undefined || (whole.url === url && whole.trailID === trailID)
  const known = [...(isSame ? (whole?.files ?? []) : []), ...readLines(await readText(journalOf(report)))]
  return new Map(
    known.flatMap((outcome) =>
      outcome.imageID !== undefined && outcome.sha256 !== undefined ? [[outcome.sha256, outcome]] : [],
    ),
  )
}

export function createReportWriter(report: string | undefined) {
  return {
    note: async (outcome: Outcome): Promise<void> => {
      if (report !== undefined) await appendFile(journalOf(report), `${JSON.stringify(outcome)}\n`)
    },
    finish: async (whole: UploadReport): Promise<void> => {
      if (report === undefined) return
      await writeFile(`${report}.new`, `${JSON.stringify(whole, undefined, 2)}\n`)
      await rename(`${report}.new`, report)
      await rm(journalOf(report), { force: true })
    },
  }
}
