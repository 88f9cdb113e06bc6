// The relief worker: reads elevations from a terrain archive (PMTiles of Terrarium tiles) and computes contour lines,
// so that the page stays responsive. In a separate file, since the policy does not allow workers from blobs.
import contours from 'maplibre-contour'
import { PMTiles, TileType } from 'pmtiles'
import type { ReliefAnswer, ReliefAsked, ReliefFacts, ReliefQuestion } from './relief-messages.ts'

type Place = readonly [z: number, x: number, y: number]

interface Archive {
  readonly facts: ReliefFacts
  /** Undefined if there is none. */
  readonly tile: (place: Place, signal?: AbortSignal) => Promise<ArrayBuffer | undefined>
  readonly lines: InstanceType<typeof contours.LocalDemManager>
}

const usualTileSize = 256
const timeoutMs = 30_000
/** Per kind: source images, elevations, lines. */
const maxKept = 60

const pictures: ReadonlySet<TileType> = new Set([TileType.Png, TileType.Webp])

/** One black pixel: 32,768 m below sea level, which no reader takes for an elevation. It represents a missing tile. */
const nowhere = Uint8Array.from(
  atob(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQImWNgYGAAAAAEAAGjChXjAAAAAElFTkSuQmCC',
  ),
  (character) => character.charCodeAt(0),
)

const archives = new Map<string, Promise<Archive>>()
const running = new Map<number, AbortController>()

/** The tile that contains a position. */
function tileAt(zoom: number, lon: number, lat: number): Place {
  const across = 2 ** zoom
  const sine = Math.sin((lat * Math.PI) / 180)
  const share = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
  const within = (value: number): number => Math.min(across - 1, Math.max(0, Math.floor(value)))
  return [zoom, within(((lon + 180) / 360) * across), within(share * across)]
}

async function tileSizeOf(bytes: ArrayBuffer | undefined): Promise<number> {
  if (bytes === undefined) return usualTileSize
  const picture = await createImageBitmap(new Blob([bytes]))
  const { width } = picture
  picture.close()
  return width
}

async function openArchive(address: string): Promise<Archive> {
  const archive = new PMTiles(address)
  const header = await archive.getHeader()
  if (!pictures.has(header.tileType)) throw new Error('not an archive of heights')
  const { attribution } = (await archive.getMetadata()) as { readonly attribution?: unknown }
  const { minZoom, maxZoom, minLon, minLat, maxLon, maxLat } = header
  const tile: Archive['tile'] = async ([z, x, y], signal) => (await archive.getZxy(z, x, y, signal))?.data
  const sample = await tile(tileAt(maxZoom, (minLon + maxLon) / 2, (minLat + maxLat) / 2))
  return {
    tile,
    facts: {
      minZoom,
      maxZoom,
      tileSize: await tileSizeOf(sample),
      bounds: [minLon, minLat, maxLon, maxLat],
      attribution: typeof attribution === 'string' ? attribution : '',
    },
    lines: new contours.LocalDemManager({
      demUrlPattern: '{z}/{x}/{y}',
      cacheSize: maxKept,
      encoding: 'terrarium',
      maxzoom: maxZoom,
      timeoutMs,
      getTile: async (place, { signal }) => {
        const [z = 0, x = 0, y = 0] = place.split('/').map(Number)
        return { data: new Blob([(await tile([z, x, y], signal)) ?? nowhere]) }
      },
    }),
  }
}

function archiveAt(address: string): Promise<Archive> {
  const known = archives.get(address)
  if (known) return known
  const opened = openArchive(address)
  archives.set(address, opened)
  // Tried again next time, when the file may exist.
  opened.catch(() => archives.delete(address))
  return opened
}

async function answer(id: number, question: ReliefQuestion, abort: AbortController): Promise<ReliefAnswer> {
  const { facts, tile, lines } = await archiveAt(question.address)
  if (question.ask === 'facts') return { id, facts }
  const { z, x, y } = question
  if (question.ask === 'heights') return { id, bytes: await tile([z, x, y], abort.signal) }
  const { steps, perMetre, heightProperty: elevationKey } = question
  // A large tile has a contour tile in each of its quarters; a whole one would have more points than pixels.
  const overzoom = facts.tileSize > usualTileSize ? 1 : 0
  const options = { levels: [...steps], multiplier: perMetre, elevationKey, overzoom, buffer: 1 }
  return { id, bytes: (await lines.fetchContourTile(z, x, y, options, abort)).arrayBuffer }
}

async function work(id: number, question: ReliefQuestion): Promise<void> {
  const abort = new AbortController()
  running.set(id, abort)
  try {
    const message = await answer(id, question, abort)
    postMessage(message, { transfer: 'bytes' in message && message.bytes ? [message.bytes] : [] })
  } catch (error) {
    const failure: ReliefAnswer = { id, failure: error instanceof Error ? error.message : String(error) }
    postMessage(failure)
  } finally {
    running.delete(id)
  }
}

addEventListener('message', ({ data }: MessageEvent<ReliefAsked>) => {
  if ('isGivenUp' in data) running.get(data.id)?.abort()
  else void work(data.id, data.question)
})
