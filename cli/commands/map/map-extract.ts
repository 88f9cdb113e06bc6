// waymark map extract: extracts the map of a region from a large local or remote archive and activates it.
import path from 'node:path'
import { rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { requireFitting } from '../../../src/base-map/archive/about.ts'
import { extract, lookOnly, unfinishedOf, type Extracted } from '../../../src/base-map/archive/extract.ts'
import type { Box } from '../../../src/base-map/archive/header.ts'
import { openHttpSource } from '../../../src/base-map/archive/http-source.ts'
import type { Plan } from '../../../src/base-map/archive/progress-file.ts'
import { openFileSource, type ArchiveSource } from '../../../src/base-map/archive/source.ts'
import { mapFilesOf, readMap, saveMap, type MapFileName } from '../../../src/base-map/map-choice.ts'
import { findTrailsBox } from '../../../src/base-map/trails-box.ts'
import { takeFileLock } from '../../../src/database/sqlite/file-lock.ts'
import { plainFetch } from '../../remote/plain-fetch.ts'
import type { Config } from '../../../src/settings/config.ts'
import { readDisk } from '../../../src/storage/disk-space.ts'
import { fail, wrongUsage } from '../../failures.ts'
import { readSettings, withExistingInstallation, withWritableInstallation } from '../../installation.ts'
import { createLine, stoppable } from '../../long-work.ts'
import { counted, sized, type Output } from '../../output.ts'

const maxZoomAllowed = 22
const [usualMinZoom, usualMaxZoom] = [0, 15]

interface Options {
  readonly from?: string
  readonly bbox?: Box
  readonly minZoom?: number
  readonly maxZoom?: number
  readonly to?: string
  readonly terrain?: boolean
  readonly dryRun?: boolean
  readonly startOver?: boolean
}

function fromOption(text: string): string {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return path.resolve(text)
  const url = URL.parse(text)
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  if (isWeb && url.username === '' && url.password === '') return url.href
  throw wrongUsage('--from must be a file, or an https or http URL without user or password.')
}

function bboxOption(text: string): Box {
  const numbers = text
    .split(',')
    .map((part) => (/^\s*-?\d{1,3}(?:\.\d{1,15})?\s*$/.test(part) ? Number(part) : NaN))
  const [west = NaN, south = NaN, east = NaN, north = NaN] = numbers
  const isBox =
    numbers.length === 4 &&
    [west, east].every((longitude) => Math.abs(longitude) <= 180) &&
    [south, north].every((latitude) => Math.abs(latitude) <= 90) &&
    south < north &&
    west !== east
  if (isBox) return { west, south, east, north }
  throw wrongUsage(
    '--bbox must be west,south,east,north in degrees, such as 8,46,9,47; west may be greater than east across the antimeridian.',
  )
}

function zoomOption(option: string) {
  return (text: string): number => {
    const zoom = /^\d{1,2}$/.test(text) ? Number(text) : NaN
    if (zoom <= maxZoomAllowed) return zoom
    throw wrongUsage(`${option} must be a whole number from 0 to ${maxZoomAllowed}.`)
  }
}

const openSource = (from: string, signal: AbortSignal): Promise<ArchiveSource> =>
  /^https?:/.test(from) ? openHttpSource(from, { signal, send: plainFetch }) : openFileSource(from, signal)

interface Target {
  readonly file: string
  /** Whether pages of this site show it. */
  readonly isShown: boolean
}

function targetOf({ to }: Options, name: MapFileName, config: Config): Target {
  const shown = mapFilesOf(config)[name]
  if (to === undefined && name === 'base' && config.mapPmtiles !== undefined)
    throw wrongUsage(
      `MAP_PMTILES names ${shown} as the map: use --to ${shown} to replace it, or unset MAP_PMTILES.`,
    )
  const file = path.resolve(to ?? shown)
  return { file, isShown: file === shown }
}

async function trailsBox(): Promise<Box> {
  const box = await withExistingInstallation(({ database }) => findTrailsBox(database.db))
  if (box) return box
  throw wrongUsage(
    'No trail has a line yet, so there is no region to choose: use --bbox west,south,east,north.',
  )
}

async function requireSpace(
  target: string,
  { archiveBytes }: Plan['sizes'],
  isBegun: boolean,
): Promise<void> {
  const { freeBytes } = await readDisk(target)
  if (isBegun || freeBytes >= archiveBytes) return
  throw fail(
    'refused',
    `The map takes ${sized(archiveBytes)}, but only ${sized(freeBytes)} are free at ${path.dirname(target)}.`,
  )
}

/** Takes effect with the next request. Terrain also works with a custom style, so that choice is not changed. */
async function show(name: MapFileName, config: Config): Promise<boolean> {
  return withWritableInstallation(async ({ database, system }) => {
    const { choice } = await readMap(database.db, config)
    if (name === 'terrain' && choice.kind === 'style') return true
    await saveMap(database.db, { kind: 'file' }, { by: byCommand, at: system.now() })
    return true
  })
}

const boxText = ({ west, south, east, north }: Box): string => [west, south, east, north].join(',')

const sizeSentence = ({ tiles, contents, fetchBytes, archiveBytes }: Plan['sizes']): string =>
  `${counted(tiles, 'tile')} (${contents.toLocaleString('en')} different ones), ${sized(fetchBytes)} to fetch; the map takes ${sized(archiveBytes)}.`

/** Runs the work while holding the lock for this file. */
async function alone<T>(target: string, work: () => Promise<T>): Promise<T> {
  const file = `${target}.part.lock`
  const lock = takeFileLock(file)
  if (lock === undefined) throw fail('refused', `Another "waymark map extract" is making ${target}.`)
  try {
    return await work()
  } finally {
    lock.release()
    await rm(file, { force: true })
  }
}

interface Asked {
  readonly from: string
  readonly box: Box
  readonly minZoom: number
  readonly maxZoom: number
}

async function takeOut(
  asked: Asked,
  target: string,
  name: MapFileName,
  options: Options,
  signal: AbortSignal,
) {
  const looking = createLine(
    process.stderr,
    ({ bytes, tiles }: { bytes: number; tiles: number }) =>
      `Reading directories: ${sized(bytes)}, ${counted(tiles, 'entry', 'entries')} so far`,
  )
  const fetching = createLine(
    process.stderr,
    ({ done, all }: { done: number; all: number }) =>
      `${sized(done)} of ${sized(all)} (${((100 * done) / Math.max(1, all)).toFixed(1)} %)`,
  )
  const source = await openSource(asked.from, signal)
  const wish = {
    source,
    wanted: asked,
    target,
    isAnew: options.startOver === true,
    check: (header: Parameters<typeof requireFitting>[1], metadata: Parameters<typeof requireFitting>[2]) =>
      requireFitting(name, header, metadata),
    onLook: (progress: { directoryBytes: number; entries: number }) =>
      looking.draw({ bytes: progress.directoryBytes, tiles: progress.entries }),
    onPlan: async (sizes: Plan['sizes'], doneBytes: number) => {
      looking.clear()
      await requireSpace(target, sizes, doneBytes > 0)
      if (!process.stderr.isTTY) return
      const goesOn = doneBytes > 0 ? ` ${sized(doneBytes)} have been fetched already.` : ''
      process.stderr.write(`${sizeSentence(sizes)}${goesOn}\n`)
    },
    onProgress: (done: number, all: number) => fetching.draw({ done, all }),
  }
  try {
    const extracted =
      options.dryRun === true ? await lookOnly(wish) : await alone(target, () => extract(wish))
    return { extracted, receivedBytes: source.bytesReceived() }
  } finally {
    looking.clear()
    fetching.clear()
    await source.close()
  }
}

function answerOf(
  asked: Asked,
  { file, isShown }: Target,
  isDry: boolean,
  taken: { extracted: Extracted; receivedBytes: number },
) {
  const { sizes, header } = taken.extracted
  const { from, box } = asked
  const zooms = `zoom ${header.minZoom} to ${header.maxZoom}`
  const sentences = isDry
    ? [`Box ${boxText(box)}, ${zooms}: ${sizeSentence(sizes)}`]
    : [
        `${file} holds ${counted(sizes.tiles, 'tile')} of the box ${boxText(box)}, ${zooms}, in ${sized(sizes.archiveBytes)}.`,
        isShown
          ? 'Pages of this site show it from now on.'
          : 'Pages of this site do not show this file: they show the file in MAP_PMTILES, or the default file.',
      ]
  return {
    document: {
      file,
      from,
      bbox: [box.west, box.south, box.east, box.north],
      minZoom: header.minZoom,
      maxZoom: header.maxZoom,
      tiles: sizes.tiles,
      contents: sizes.contents,
      bytes: sizes.archiveBytes,
      fetchBytes: sizes.fetchBytes,
      receivedBytes: taken.receivedBytes,
      isDryRun: isDry,
      isShown: isShown && !isDry,
    },
    lines: sentences,
  }
}

async function run(options: Options, output: Output): Promise<void> {
  const { from, terrain = false, dryRun: isDry = false, startOver = false } = options
  const { minZoom = usualMinZoom, maxZoom = usualMaxZoom } = options
  if (from === undefined) throw wrongUsage('--from is needed: a PMTiles archive, as a file or a URL.')
  if (minZoom > maxZoom) throw wrongUsage('--min-zoom must not be greater than --max-zoom.')
  const config = readSettings()
  const name = terrain ? 'terrain' : 'base'
  const target = targetOf(options, name, config)
  const begun = startOver || isDry ? undefined : await unfinishedOf(target.file)
  // Trails may have been added since the extract was started: without --bbox it continues with its original box.
  const box = options.bbox ?? begun?.box ?? (await trailsBox())
  const asked: Asked = { from, box, minZoom, maxZoom }
  if (target.isShown && !isDry) await withWritableInstallation(async () => undefined)
  const sentence = 'Stopped. What was fetched is kept: run the same command again to continue.'
  const taken = await stoppable(sentence, (signal) => takeOut(asked, target.file, name, options, signal))
  if (target.isShown && !isDry) await show(name, config)
  output.answer(answerOf(asked, target, isDry, taken))
}

export function addMapExtract(parent: Command, output: Output): void {
  parent
    .command('extract')
    .description('extract the map of a region from a PMTiles archive, and show it')
    .option(
      '--from <archive>',
      'PMTiles archive: a file, or a URL whose server supports range requests',
      fromOption,
    )
    .option('--bbox <west,south,east,north>', 'the region; by default around all trails', bboxOption)
    .option(
      '--min-zoom <zoom>',
      `the first zoom level (${usualMinZoom} by default)`,
      zoomOption('--min-zoom'),
    )
    .option('--max-zoom <zoom>', `the last zoom level (${usualMaxZoom} by default)`, zoomOption('--max-zoom'))
    .option('--to <file>', 'output file; by default the map of this site')
    .option('--terrain', 'elevations for hillshade and contour lines, from an archive of Terrarium images')
    .option('--dry-run', 'only print how large it would be')
    .option('--start-over', 'discard what an interrupted run has left')
    .action((options: Options) => run(options, output))
}
