// Checks the format of every log line, and that each request has its own line.
import assert from 'node:assert/strict'
import { loggerTo } from '../../src/http/server.ts'
import { send, type WireRequest } from './wire.ts'

export interface RequestLine {
  readonly msg: string
  readonly reqId?: string
  readonly method?: string
  readonly path?: string
  readonly status?: number | null
  readonly address?: string | null
  readonly code?: string
  readonly aborted?: boolean
}

export interface Seen {
  readonly answer: Response
  readonly body: string
  /** Everything logged during the request. */
  readonly log: string
}

export function createLogWatch() {
  let written: string[] = []

  const requestLines = (): RequestLine[] =>
    written.map((line) => JSON.parse(line) as RequestLine).filter(({ msg }) => msg === 'request')

  /**
   * Runs `work` and waits until this many requests have been logged.
   * @returns their lines.
   */
  async function logged(requests: number, work: () => Promise<unknown>): Promise<RequestLine[]> {
    written = []
    await work()
    const until = Date.now() + 30_000
    while (requestLines().length < requests && Date.now() < until)
      await new Promise((resolve) => setImmediate(resolve))
    for (const line of written) {
      assert.match(line, /^[^\n\r]+\n$/, 'one line')
      assert.doesNotMatch(line, /[^\P{C}\n]/u, 'no control, escape or invisible character')
    }
    const lines = requestLines()
    assert.equal(lines.length, requests)
    return lines
  }

  return {
    logger: loggerTo({ write: (line) => void written.push(line) }, 'trace'),
    written: (): string => written.join(''),
    logged,

    /**
     * Sends the request and checks that it has one line, with the status and, for a problem, the account under the
     * problem's id.
     */
    probe: async (url: string, request: WireRequest): Promise<Seen> => {
      const context = JSON.stringify(request).slice(0, 300)
      let answer: Response | undefined
      const [line] = await logged(1, async () => {
        answer = await send(url, request)
      })
      assert.ok(answer && line)
      assert.equal(line.status, answer.status, context)
      assert.match(line.reqId ?? '', /^[0-9a-f-]{36}$/)
      assert.notEqual(answer.status, 500, context)
      const body = await answer.text()
      const instance = /urn:waymark:request:([\w-]+)/.exec(body)?.[1]
      if (instance !== undefined) assert.equal(instance, line.reqId, context)
      else if (answer.status >= 400) assert.match(line.path ?? '', /^\/oauth\//, context) // these have OAuth's errors
      return { answer, body, log: written.join('') }
    },
  }
}
