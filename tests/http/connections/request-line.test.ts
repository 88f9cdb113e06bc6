// A request's log line equals pino's, by either of the two ways of writing it (trust 40, 41).
import assert from 'node:assert/strict'
import { IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import fastify from 'fastify'
import { refuse } from '../../../src/errors.ts'
import { pathForLog } from '../../../src/http/logs/redact.ts'
import { logRequests } from '../../../src/http/logs/request-log.ts'
import { loggerTo } from '../../../src/http/server.ts'
import { createTraffic } from '../../../src/http/connections/traffic.ts'

interface Ended {
  readonly method?: string
  readonly url?: string
  readonly address?: string
  readonly refusal?: ReturnType<typeof refuse>
  readonly status?: number
  readonly isUnanswered?: true
  readonly isCutOff?: true
}

const id = '0e2f3b1c-54a9-4a3e-9d4e-1b2c3d4e5f60'

function logAt(level: string, traceId?: string) {
  const lines: string[] = []
  const logger = loggerTo({ write: (line) => void lines.push(line) }, level)
  const { log } = fastify({ logger })
  const span = traceId === undefined ? undefined : { traceId, run: () => undefined, end: () => undefined }
  const traffic = createTraffic(span && (() => span))
  logRequests(traffic, log, logger.stream.writeLine)
  /** Completes such a request. */
  function end({ method = 'GET', url = '/ImageHandler?id=5', address = '127.0.0.1', ...rest }: Ended): void {
    const { refusal = null, status: statusCode = 200, isUnanswered, isCutOff } = rest
    const response = {
      headersSent: isUnanswered === undefined,
      statusCode,
      writableFinished: isCutOff === undefined && isUnanswered === undefined,
    } as unknown as ServerResponse
    const facts = {
      id,
      method,
      url,
      pattern: undefined,
      isUpload: false,
      refusal,
      access: undefined,
      accountId: null,
    }
    traffic.follow({ request: new IncomingMessage(new Socket()), response }, address, () => facts).end()
  }
  return { lines, log, end }
}

/** Removes times, since the two lines were written at different times. */
const timeless = (line = ''): string =>
  line.replace(/"time":\d{13},/, '').replace(/"milliseconds":\d+(\.\d)?,/, '')

const oddPaths = [
  '/',
  '//',
  '/..',
  '/a b',
  '/"',
  '/\\',
  '/a%20b',
  '/%77m_aaaaaaaaaaaaaaaaaaaa',
  '/wm_aaaaaaaaaaaaaaaaaaaa/x',
  '/WMS_aaaaaaaaaaaaaaaaaaaa',
  `/${'a'.repeat(31)}`,
  `/${'a'.repeat(32)}`,
  `/${'a'.repeat(15)}-${'1'.repeat(16)}`,
  `/${'a/'.repeat(300)}`,
  '/\u009b31m',
  '/\u202e',
  '/é',
  '/a\nb',
  '/Trails/4711/Images',
  '/Accounts/42/Routes/7',
  '/v2/images/0e2f3b1c-54a9-4a3e-9d4e-1b2c3d4e5f60',
]

void test('trust 40: the log line of a request is byte for byte what pino writes', () => {
  const { lines, log, end } = logAt('info')
  const traced = logAt('info', '5b8efff798038103d269b633813fc60c')
  function check(ended: Ended, expected: Readonly<Record<string, unknown>>): void {
    lines.length = 0
    const before = Date.now()
    end(ended)
    log.info({ reqId: id, ...expected }, 'request')
    assert.equal(lines.length, 2)
    assert.equal(timeless(lines[0]), timeless(lines[1]))
    const { time, milliseconds } = JSON.parse(lines[0] ?? '') as { time: number; milliseconds: number }
    assert.ok(time >= before && time <= Date.now() && milliseconds >= 0 && milliseconds < 1_000)
  }
  const usual = { method: 'GET', path: '/ImageHandler', status: 200, address: '127.0.0.1' }
  check({}, usual)
  check({ status: 304 }, { ...usual, status: 304 })
  check({ method: 'M-SEARCH' }, { ...usual, method: 'M-SEARCH' })
  check({ url: '/ImageHandler' }, usual)
  for (const address of ['::1', '::ffff:127.0.0.1', 'fe80::1%eth0']) check({ address }, { ...usual, address })
  for (const address of ['', 'unknown', '"', '1.2.3.4, 5.6.7.8', 'wm_aaaaaaaaaaaaaaaaaaaa'])
    check({ address }, { ...usual, address: null })
  const refusal = refuse('invalid-image-id')
  const refused = { method: 'GET', path: '/ImageHandler', status: 404, code: refusal.code }
  check({ refusal, status: 404 }, { ...refused, address: '127.0.0.1' })
  check({ isUnanswered: true }, { ...usual, status: null, aborted: true })
  check({ isCutOff: true }, { ...usual, aborted: true })
  for (const path of oddPaths) check({ url: `${path}?a=b` }, { ...usual, path: pathForLog(path) })

  for (const ended of [{}, { isCutOff: true as const }]) {
    traced.end(ended)
    const line = timeless(traced.lines.at(-1))
    lines.length = 0
    end(ended)
    const expected = timeless(lines[0]).replace(
      '","method"',
      '","trace_id":"5b8efff798038103d269b633813fc60c","method"',
    )
    assert.equal(line, expected)
  }
})

void test('trust 40: log levels decide whether a request has a line', () => {
  for (const [level, count] of Object.entries({
    trace: 2,
    debug: 2,
    info: 2,
    warn: 0,
    fatal: 0,
    silent: 0,
  })) {
    const { lines, end } = logAt(level)
    end({})
    end({ url: '/%' })
    assert.equal(lines.length, count, level)
  }
  const { lines, log, end } = logAt('info')
  log.level = 'error' // at run time
  end({})
  log.level = 'debug'
  end({})
  assert.equal(lines.length, 1)
})

void test('trust 40: log lines are in the order of events, whichever path wrote them', () => {
  const { lines, log, end } = logAt('info')
  log.warn('first')
  end({})
  log.error('third')
  end({ url: '/%' })
  end({})
  const reported = lines.map((line) => JSON.parse(line) as { msg: string; path?: string })
  assert.deepEqual(
    reported.map(({ msg, path }) => path ?? msg),
    ['first', '/ImageHandler', 'third', '/%', '/ImageHandler'],
  )
})
