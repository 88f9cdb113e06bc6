// waymark upload: uploads the photos of files, folders or a CSV list to a trail.
import type { Command } from 'commander'
import type { Waymark } from '../../client/client.ts'
import { readRemoteSettings } from '../../src/settings/config.ts'
import { wrongUsage } from '../failures.ts'
import { stoppable } from '../long-work.ts'
import { idOption } from '../options.ts'
import type { Output } from '../output.ts'
import { remoteFailure, urlOption, withServer, type RemoteOptions } from '../remote/connection.ts'
import { createOwnPhotos } from '../remote/own-photos.ts'
import { createPatience, type Patience } from '../remote/patience.ts'
import { findFiles, type FoundFile } from '../remote/photo-files.ts'
import { readPhotoList, withLicence, type ListedFile } from '../remote/photo-list.ts'
import { sendPhotos, type SentPhotos } from '../remote/send-photos.ts'
import {
  offsetOption,
  openTrack,
  trackDocument,
  trackSummary,
  type TrackPlaces,
} from '../remote/track-places.ts'
import { openJournal } from '../remote/upload-journal.ts'
import { createReportWriter, sentBefore, type Place } from '../remote/upload-report.ts'
import { createReporter, isBad, summaryOf, troubleLines } from '../remote/upload-reporter.ts'

interface Options extends RemoteOptions {
  readonly trail: number
  readonly csv?: string
  readonly title?: string
  readonly caption?: string
  readonly gpx?: string
  readonly gpxOffset?: number
  readonly recursive?: boolean
  readonly concurrency: number
  readonly maxWait: number
  readonly dryRun?: true
  readonly check?: true
  readonly resume?: boolean
  readonly report?: string
  readonly quiet?: true
}

const maxAtOnce = 8
/** The server counts uploads by the hour. */
const usualWaitSeconds = 7_200
const maxWaitSeconds = 7 * 86_400

function concurrencyOption(text: string): number {
  const count = /^[1-9]$/.test(text) ? Number(text) : maxAtOnce + 1
  if (count > maxAtOnce) throw wrongUsage(`--concurrency must be a number from 1 to ${maxAtOnce}.`)
  return count
}

function maxWaitOption(text: string): number {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : maxWaitSeconds + 1
  if (seconds > maxWaitSeconds)
    throw wrongUsage(`--max-wait must be a number of seconds, at most ${maxWaitSeconds}.`)
  return seconds
}

function requireSense(paths: readonly string[], { csv, resume, report, gpx, gpxOffset }: Options): void {
  if (csv === undefined && paths.length === 0)
    throw wrongUsage('No photos given: name files or folders, or a list with --csv.')
  if (csv !== undefined && paths.length > 0)
    throw wrongUsage('--csv names the photos in its column file: give no other files or folders.')
  if (resume === true && report === undefined)
    throw wrongUsage('--resume requires the report of the previous run: --report FILE.')
  if (gpxOffset !== undefined && gpx === undefined)
    throw wrongUsage('--gpx-offset requires the track of the photos: --gpx FILE.')
}

/** The files of the list, and the terms they are uploaded under if the list names a licence. */
async function settleList(
  waymark: Waymark,
  patience: Patience,
  list: string,
  listed: readonly ListedFile[],
): Promise<{ readonly files: readonly FoundFile[]; readonly termsVersion?: string | null }> {
  if (listed.every(({ licence }) => licence === undefined)) return { files: listed }
  const { licence, version } = await patience.until(() => waymark.terms())
  const code = licence?.code ?? null
  // The terms version is sent with each photo: if the licence changes during the upload, the rest is not uploaded.
  return { files: listed.map((each) => withLicence(each, list, code)), termsVersion: version }
}

interface Given {
  readonly files: readonly FoundFile[]
  /** With --csv: the same files, with the licence of each. */
  readonly listed: readonly ListedFile[] | undefined
  readonly track: TrackPlaces | undefined
}

async function readGiven(paths: readonly string[], options: Options): Promise<Given> {
  const { csv, gpx, gpxOffset, recursive } = options
  const track = gpx === undefined ? undefined : await openTrack(gpx, gpxOffset ?? 0)
  const listed = csv === undefined ? undefined : await readPhotoList(csv)
  const files = listed ?? (await findFiles(paths, recursive !== false))
  return { files, listed, track }
}

const detailsOf = ({ title, caption }: Options) => ({
  ...(title !== undefined && { title }),
  ...(caption !== undefined && { caption }),
})

/** Uploads everything, and writes journal and report along the way. */
async function send(
  waymark: Waymark,
  place: Place,
  { files: given, listed, track }: Given,
  options: Options,
  reporter: ReturnType<typeof createReporter>,
  signal: AbortSignal,
): Promise<SentPhotos> {
  const { trail: trailId, csv = '', report, resume } = options
  const isDryRun = options.dryRun === true
  const patience = createPatience({ maxWaitMs: options.maxWait * 1_000, signal, onWait: reporter.wait })
  await patience.until(() => waymark.trails.get(trailId)) // one error now, rather than the same error for every file
  const { maxImageBytes: maxPhotoBytes } = await patience.until(() => waymark.site())
  const { acctID } = await patience.until(() => waymark.me.get())
  const { files, termsVersion } = listed ? await settleList(waymark, patience, csv, listed) : { files: given }
  const before = resume === true && report !== undefined ? await sentBefore(report, place) : new Map()
  const folder = readRemoteSettings().stateFolder
  const journal = await openJournal(folder, { ...place, acctID }, { isReadOnly: isDryRun })
  const writer = createReportWriter(isDryRun ? undefined : report, place)
  try {
    const sent = await sendPhotos(waymark, files, {
      trailId,
      details: { ...detailsOf(options), ...(termsVersion !== undefined && { termsVersion }) },
      maxPhotoBytes,
      concurrency: options.concurrency,
      isDryRun,
      isChecked: options.check === true,
      isAnew: resume === false,
      before,
      journal,
      ownPhotos: createOwnPhotos(waymark, { trailId, accountId: acctID }, patience),
      patience,
      track,
      signal,
      onBytes: reporter.bytes,
      onOutcome: async (outcome) => {
        reporter.outcome(outcome)
        await writer.note(outcome)
      },
    })
    await writer.finish(sent.outcomes)
    return sent
  } finally {
    await journal.close()
  }
}

async function run(
  paths: readonly string[],
  options: Options,
  output: Output,
  isJson: boolean,
): Promise<void> {
  requireSense(paths, options)
  const given = await readGiven(paths, options)
  const { files, track } = given
  const isQuiet = options.quiet === true
  const { outcomes, failure } = await withServer(options, async (waymark, url) =>
    stoppable(
      'The upload was cancelled; uploaded photos are kept. Run the same command again to continue.',
      async (signal) => {
        const reporter = createReporter(output, { files: files.length, isJson, isQuiet })
        const place = { url, trailID: options.trail }
        return send(waymark, place, given, options, reporter, signal).finally(reporter.end)
      },
    ),
  )
  const exitCode = outcomes.some(isBad) ? 2 : 0
  process.exitCode = exitCode
  if (isJson) {
    for (const outcome of outcomes) if (outcome.status === 'not-sent') output.line(outcome)
    if (track) output.line(trackDocument(track, outcomes))
  } else {
    const lines = [
      ...troubleLines(outcomes),
      ...(track ? trackSummary(track, outcomes, !isQuiet) : []),
      summaryOf(outcomes),
    ]
    output.answer({ document: undefined, lines, exitCode })
  }
  if (failure) throw remoteFailure(failure.error)
}

export function addUpload(parent: Command, output: Output): void {
  parent
    .command('upload')
    .description('upload photos to a trail; running it again uploads no photo twice')
    .argument('[paths...]', 'photo files and folders')
    .requiredOption(
      '--trail <trailID>',
      'the trail ID (required); waymark upload ridge/ --trail 4711',
      idOption('--trail'),
    )
    .option(...urlOption)
    .option(
      '--csv <file>',
      'upload the photos of a list with the columns file, title, caption, lat, lon, time and licence',
    )
    .option('--title <text>', 'of every photo that has none of its own')
    .option('--caption <text>', 'of every photo that has none of its own')
    .option('--gpx <file>', 'place photos without a position by their time on this track')
    .option(
      '--gpx-offset <seconds>',
      "seconds to add to the camera's clock before placing; negative if it is ahead",
      offsetOption,
    )
    .option('--recursive', 'include subfolders (the default)')
    .option('--no-recursive', 'leave out subfolders')
    .option('--concurrency <n>', 'parallel uploads, 1 to 8', concurrencyOption, 3)
    .option(
      '--max-wait <seconds>',
      'give up once the server has accepted nothing for this long',
      maxWaitOption,
      usualWaitSeconds,
    )
    .option('--dry-run', 'print what would be uploaded, without uploading')
    .option('--check', 'verify the checksum of each photo on the server after uploading')
    .option('--report <file>', 'write the result for each file as JSON')
    .option('--resume', 'also skip files that were uploaded according to the report')
    .option('--no-resume', 'upload photos again that were uploaded before')
    .option('--quiet', 'print only problems')
    .action((paths: string[], options: Options) =>
      run(paths, options, output, parent.opts<{ json?: boolean }>().json === true),
    )
}
