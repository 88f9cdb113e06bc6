// Sends uploads from its own process over keep-alive connections. All bodies differ. Controlled by uploads.ts.
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'

export interface UploadOrder {
  readonly url: string
  readonly method: 'POST' | 'PUT'
  /** Whether each upload has its own URL below `url`. */
  readonly isNamed: boolean
  /** One set per upload, in turn. */
  readonly headers: readonly Readonly<Record<string, string>>[]
  readonly body: {
    readonly file: string
    /** Offset of the `markLength` bytes that differ in each body. */
    readonly markAt: number
  }
  readonly status: number
  readonly lanes: number
  /** No upload starts after this time. */
  readonly ms: number
}

export type UploadReport =
  | { readonly done: number; readonly wallMs: number; readonly latenciesMs: readonly number[] }
  | { readonly failure: string }

export const markLength = 16
let count = Date.now() * 1_000

async function carryOut({ url, method, isNamed, headers, body, status, lanes, ms }: UploadOrder) {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const bytes = await readFile(body.file)
  const latenciesMs: number[] = []
  const begun = performance.now()

  const send = (copy: Buffer, mark: string, turn: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const sentAt = performance.now()
      const options = { agent, method, headers: { ...headers[turn % headers.length] } }
      const asked = request(isNamed ? `${url}/${mark}` : url, options, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        answer.on('end', () => {
          latenciesMs.push(performance.now() - sentAt)
          if (answer.statusCode === status) return resolve()
          reject(new Error(`${method} ${url} was answered ${answer.statusCode}: ${text.slice(0, 300)}`))
        })
      })
      asked.on('error', reject)
      asked.end(copy)
    })

  const lane = async (): Promise<void> => {
    const copy = Buffer.from(bytes)
    while (performance.now() - begun < ms) {
      count += 1
      const mark = count.toString(36).padStart(markLength, '0')
      copy.write(mark, body.markAt, 'latin1')
      await send(copy, mark, count)
    }
  }
  try {
    await Promise.all(Array.from({ length: lanes }, lane))
  } finally {
    agent.destroy()
  }
  return { done: latenciesMs.length, wallMs: performance.now() - begun, latenciesMs }
}

process.on('message', (order: UploadOrder) => {
  carryOut(order)
    .catch((error: unknown): UploadReport => ({ failure: String(error) }))
    .then((report) => process.send?.(report))
    .catch(() => process.exit(1))
})
