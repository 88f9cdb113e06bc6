// The route editor's worker: parses files and simplifies lines, so that the page stays responsive.
import { picked } from './columns.ts'
import { buffersOf, measuredParcel, type LineParcel } from './line-parcel.ts'
import { readGpxFile } from './read-file.ts'
import { countKept, keptAt, tolerancesMetres, weighPoints } from './simplify.ts'
import type { Asked, WorkerMessage } from './worker-messages.ts'

const tell = (message: WorkerMessage, transfer: ArrayBuffer[] = []): void =>
  postMessage(message, { transfer })

let lines: readonly LineParcel[] = []
let weights: readonly Float64Array[] = []

/** Reporting each of a thousand chunks would be too many messages. */
const minProgress = 0.01

async function read({ file, maxBytes, maxCachedBytes }: Extract<Asked, { ask: 'read' }>): Promise<void> {
  let reported = 0
  const outcome = await readGpxFile(file, { maxBytes, maxCachedBytes }, (share) => {
    if (share - reported < minProgress) return
    reported = share
    tell({ tell: 'progress', share })
  })
  if (!outcome.ok) return tell({ tell: 'refused', detail: outcome.detail })
  const { file: answer } = outcome
  return tell(answer, buffersOf([...answer.lines, answer.waypoints.columns]))
}

function weigh(asked: Extract<Asked, { ask: 'weigh' }>): void {
  ;({ lines } = asked)
  weights = lines.map(({ columns }) => weighPoints(columns))
  tell({ tell: 'weighed', counts: tolerancesMetres.map((metres) => countKept(weights, metres)) })
}

function simplify({ toleranceMetres }: Extract<Asked, { ask: 'simplify' }>): void {
  const simpler = lines.map(({ columns }, at) =>
    measuredParcel(picked(columns, keptAt(weights[at] ?? new Float64Array(columns.count), toleranceMetres))),
  )
  tell({ tell: 'simplified', toleranceMetres, lines: simpler }, buffersOf(simpler))
}

addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  if (data.ask === 'weigh') weigh(data)
  else if (data.ask === 'simplify') simplify(data)
  else void read(data)
})
