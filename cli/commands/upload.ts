// waymark upload: sends the photos of files and folders to a trail.
import { progress } from '@clack/prompts'
import type { Command } from 'commander'
import { wrongUsage } from '../failures.ts'
import { stoppable } from '../long-work.ts'
import { idOption } from '../options.ts'
import { counted, sized, type Output } from '../output.ts'
import { urlOption, withServer, type RemoteOptions } from '../remote/connection.ts'
import { findFiles } from '../remote/photo-files.ts'
import { sendPhotos } from '../remote/send-photos.ts'
import { offsetOption, openTrack, trackDocument, trackSummary } from '../remote/track-places.ts'
import { createReportWriter, sentBefore, type Outcome } from '../remote/upload-report.ts'

interface Options extends RemoteOptions {
  readonly trail: number
  readonly title?: string
  readonly caption?: string
  readonly gpx?: string
  readonly gpxOffset?: number
  readonly recursive?: true
  readonly concurrency: number
  readonly dryRun?: true
  readonly check?: true
  readonly resume?: true
  readonly report?: string
  readonly quiet?: true
}

const maxAtOnce = 8

function concurrencyOption(text: string): number {
  const count = /^[1-9]$/.test(text) ? Number(text) : maxAtOnce + 1
  if (count > maxAtOnce) throw wrongUsage(`--concurrency must be a number from 1 to ${maxAtOnce}.`)
  return count
}

const words: Readonly<Record<Outcome['status'], string>> = {
  sent: 'uploaded',
  known: 'already uploaded',
  'would-send': 'would be uploaded',
  skipped: 'skipped',
  refused: 'refused',
}

function lineOf({ file, status, imageID, reason, checked }: Outcome): string {
  const what = imageID === undefined ? words[status] : `${words[status]} as image ${imageID}`
  const doubt =
    checked === false && reason === undefined ? '. Checksum mismatch: the server stored different bytes.' : ''
  return `${file}: ${what}${reason === undefined ? '' : `. ${reason}`}${doubt}`
}

function summaryOf(outcomes: readonly Outcome[]): string {
  const told = (['sent', 'would-send', 'known', 'skipped', 'refused'] as const).flatMap((status) => {
    const count = outcomes.filter((outcome) => outcome.status === status).length
    return count === 0 ? [] : [`${count} ${words[status]}`]
  })
  const bytes = outcomes.reduce((sum, { status, bytes = 0 }) => sum + (status === 'sent' ? bytes : 0), 0)
  const size = bytes > 0 ? `, ${sized(bytes)}` : ''
  return `${counted(outcomes.length, 'file')}: ${told.join(', ') || 'none'}${size}`
}

/** A bar for who watches; a line a file for whoever reads: with --json, one JSON document each. */
function createTeller(output: Output, options: Options, isJson: boolean, files: number) {
  const isWatched = process.stderr.isTTY && !isJson && options.quiet !== true
  const bar = isWatched ? progress({ max: files, output: process.stderr }) : undefined
  let bytes = 0
  bar?.start('Sending')
  return {
    bytes: (more: number): void => {
      bytes += more
      bar?.message(`${sized(bytes)} sent`)
    },
    outcome: (outcome: Outcome): void => {
      bar?.advance(1)
      if (isJson) output.line(outcome)
      else if (!isWatched && options.quiet !== true) output.remark(lineOf(outcome))
    },
    end: (): void => bar?.stop(`${sized(bytes)} sent`),
  }
}

async function run(
  paths: readonly string[],
  options: Options,
  output: Output,
  isJson: boolean,
): Promise<void> {
  const { trail: trailId, title, caption, report } = options
  if (options.resume && report === undefined)
    throw wrongUsage('--resume requires the report of the previous run: --report FILE.')
  if (options.gpxOffset !== undefined && options.gpx === undefined)
    throw wrongUsage('--gpx-offset requires the track of the photos: --gpx FILE.')
  const track = options.gpx === undefined ? undefined : await openTrack(options.gpx, options.gpxOffset ?? 0)
  const files = await findFiles(paths, options.recursive === true)
  const outcomes = await withServer(options, async (waymark, url) => {
    await waymark.trails.get(trailId) // one sentence now, rather than the same for every file
    const { maxImageBytes: maxPhotoBytes } = await waymark.site()
    const place = { url, trailID: trailId }
    const before = options.resume && report !== undefined ? await sentBefore(report, place) : new Map()
    const writer = createReportWriter(options.dryRun ? undefined : report, place)
    const teller = createTeller(output, options, isJson, files.length)
    const details = { ...(title !== undefined && { title }), ...(caption !== undefined && { caption }) }
    const all = await stoppable(
      'The upload was cancelled; uploaded photos are kept. Continue with --resume.',
      (signal) =>
        sendPhotos(waymark, files, {
          trailId,
          details: Object.keys(details).length > 0 ? details : undefined,
          maxPhotoBytes,
          concurrency: options.concurrency,
          isDryRun: options.dryRun === true,
          isChecked: options.check === true,
          before,
          track,
          signal,
          onBytes: teller.bytes,
          onOutcome: async (outcome) => {
            teller.outcome(outcome)
            await writer.note(outcome)
          },
        }).finally(teller.end),
    )
    await writer.finish(all)
    return all
  })
  const bad = outcomes.filter(({ status, checked }) => status === 'refused' || checked === false)
  process.exitCode = bad.length > 0 ? 2 : 0
  if (isJson) {
    if (track) output.line(trackDocument(track, outcomes))
    return
  }
  const told = process.stderr.isTTY || options.quiet === true ? bad.map(lineOf) : []
  output.answer({
    document: undefined,
    lines: [
      ...told,
      ...(track ? trackSummary(track, outcomes, options.quiet !== true) : []),
      summaryOf(outcomes),
    ],
    exitCode: bad.length > 0 ? 2 : 0,
  })
}

export function addUpload(parent: Command, output: Output): void {
  parent
    .command('upload')
    .description('upload photos to a trail; running it again uploads no photo twice')
    .argument('<paths...>', 'photo files and folders')
    .requiredOption(
      '--trail <trailID>',
      'the trail ID (required); waymark upload ridge/ --trail 4711',
      idOption('--trail'),
    )
    .option(...urlOption)
    .option('--title <text>', 'of every photo')
    .option('--caption <text>', 'of every photo')
    .option('--gpx <file>', 'place photos without a position by their time on this track')
    .option(
      '--gpx-offset <seconds>',
      "seconds to add to the camera's clock before placing; negative if it is ahead",
      offsetOption,
    )
    .option('--recursive', 'include subfolders')
    .option('--concurrency <n>', 'parallel uploads, 1 to 8', concurrencyOption, 3)
    .option('--dry-run', 'print what would be uploaded, without uploading')
    .option('--check', 'verify the checksum of each photo on the server after uploading')
    .option('--report <file>', 'write the result for each file as JSON')
    .option('--resume', 'skip files that were uploaded according to the report')
    .option('--quiet', 'print only problems')
    .action((paths: string[], options: Options) =>
      run(paths, options, output, parent.opts<{ json?: boolean }>().json === true),
    )
}
