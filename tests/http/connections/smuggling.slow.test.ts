// Requests that two parsers might read differently get one response and a closed connection (trust 58, contract C37).
import assert from 'node:assert/strict'
import { after, describe, it, test } from 'node:test'
import { loggerTo } from '../../../src/http/server.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem, type SeenProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { parseAnswer, say } from '../../helpers/wire.ts'

const lines: string[] = []
const waymark = await startWaymark({
  environment: { KEEP_ALIVE_TIMEOUT: '1' },
  logger: loggerTo({ write: (line) => lines.push(line) }, 'info'),
})
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const picture = (await jpegPicture({ width: 12, height: 9 })).toString('latin1')

const host = 'Host: a\r\n'
const end = 'Connection: close\r\n\r\n'
const get = 'GET /health/live HTTP/1.1\r\n'
const put = `PUT /Trails/4711/Images/1 HTTP/1.1\r\n${host}Authorization: Bearer ${ana.token}\r\nContent-Type: application/json\r\n`
const post = `POST /Trails/4711/Images HTTP/1.1\r\n${host}Authorization: Bearer ${ana.token}\r\n`
const token = `POST /oauth/token HTTP/1.1\r\n${host}Content-Type: application/x-www-form-urlencoded\r\n`
const chunked = 'Transfer-Encoding: chunked\r\n\r\n'
/** The hidden request, which would be answered with 200 if it were processed. */
const hidden = `GET /health/live HTTP/1.1\r\n${host}\r\n`

const tell = async (bytes: string): Promise<{ said: string; statuses: string[] }> => {
  const said = await say(waymark.url, Buffer.from(bytes, 'latin1'))
  return { said, statuses: [...said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status) }
}

/** Each must get 400 once and a closed connection, although something like a request follows. */
const heads: Readonly<Record<string, string>> = {
  'two Hosts': `${get}${host}Host: b\r\n\r\n`,
  'two Hosts that agree': `${get}${host}${host}\r\n`,
  'no Host': `${get}\r\n`,
  'an empty Host': `${get}Host:\r\n\r\n`,
  'a Host with a space': `${get}Host: a b\r\n\r\n`,
  'a Host with a user': `${get}Host: u@a\r\n\r\n`,
  'a Host with a path': `${get}Host: a/b\r\n\r\n`,
  'two Hosts in one': `${get}Host: a,b\r\n\r\n`,
  'a Host with a port that is none': `${get}Host: a:b\r\n\r\n`,
  'a Host in HTTP/1.0 that is none': `GET /health/live HTTP/1.0\r\nHost: a b\r\n\r\n`,
  'a target with another host and a user': `GET http://u:p@a/health/live HTTP/1.1\r\n${host}\r\n`,
  'a target with an empty host': `GET http:///health/live HTTP/1.1\r\n${host}\r\n`,
  'a target of another scheme': `GET ftp://a/health/live HTTP/1.1\r\n${host}\r\n`,
  'a target that is a host': `GET a:80 HTTP/1.1\r\n${host}\r\n`,
  'a fragment in the target': `GET /health/live#x HTTP/1.1\r\n${host}\r\n`,
  'a byte beyond ASCII in the target': `GET /health/liv\xe9 HTTP/1.1\r\n${host}\r\n`,
  'a NUL in the target': `GET /health/live\0 HTTP/1.1\r\n${host}\r\n`,
  'a tab in the request line': `GET\t/health/live\tHTTP/1.1\r\n${host}\r\n`,
  'a space behind the version': `GET /health/live HTTP/1.1 \r\n${host}\r\n`,
  'a space before the method': ` GET /health/live HTTP/1.1\r\n${host}\r\n`,
  'HTTP/0.9': 'GET /health/live\r\n\r\n',
  'HTTP/1.2': `GET /health/live HTTP/1.2\r\n${host}\r\n`,
  'HTTP/1.10': `GET /health/live HTTP/1.10\r\n${host}\r\n`,
  'HTTP/2.0': `GET /health/live HTTP/2.0\r\n${host}\r\n`,
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'the preface in HTTP/1.1': `PRI * HTTP/1.1\r\n${host}\r\n`,
  'a greeting of TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'line feeds alone': 'GET /health/live HTTP/1.1\nHost: a\n\n',
  'one line feed alone': `${get}Host: a\nX: b\r\n\r\n`,
  'a line feed at the end': `${get}${host}\n`,
  'carriage returns alone': 'GET /health/live HTTP/1.1\rHost: a\r\r',
  'a carriage return in a value': `${get}${host}X: b\rc\r\n\r\n`,
  'a folded line': `${get}${host}X: b\r\n c\r\n\r\n`,
  'a folded first line': `${get} X: b\r\n${host}\r\n`,
  'a folded Transfer-Encoding': `${put}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`,
  'a space before the colon': `${put}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  'a tab before the colon': `${put}Content-Length\t: 0\r\n\r\n`,
  'a header without a name': `${get}${host}: b\r\n\r\n`,
  'a header without a colon': `${get}${host}X\r\n\r\n`,
  'a NUL in a value': `${get}${host}X: b\0c\r\n\r\n`,
  'a NUL in a name': `${get}${host}X\0: b\r\n\r\n`,
  'two Authorizations': `${put}Authorization: Bearer b\r\nContent-Length: 0\r\n\r\n`,
  'two Content-Types': `${put}Content-Type: text/xml\r\nContent-Length: 0\r\n\r\n`,
}

const framings: Readonly<Record<string, string>> = {
  'Content-Length and chunks': `${put}Content-Length: 5\r\n${chunked}0\r\n\r\n`,
  'chunks and Content-Length': `${put}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
  'chunks and Content-Length 0': `${put}Content-Length: 0\r\n${chunked}0\r\n\r\n`,
  'two lengths': `${put}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n`,
  'two lengths that agree': `${put}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  'two lengths in one': `${put}Content-Length: 2, 2\r\n\r\n{}`,
  'a length with a sign': `${put}Content-Length: +2\r\n\r\n{}`,
  'a negative length': `${put}Content-Length: -2\r\n\r\n{}`,
  'a hexadecimal length': `${put}Content-Length: 0x2\r\n\r\n{}`,
  'a length with an exponent': `${put}Content-Length: 2e0\r\n\r\n{}`,
  'a length with an underscore': `${put}Content-Length: 1_0\r\n\r\n{}`,
  'a length beyond counting': `${put}Content-Length: 18446744073709551618\r\n\r\n{}`,
  'an empty length': `${put}Content-Length:\r\n\r\n{}`,
  'gzip, then chunks': `${put}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  'chunks, then identity': `${put}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  'identity alone': `${put}Transfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
  'chunks twice': `${put}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
  'two codings': `${put}Transfer-Encoding: chunked\r\n${chunked}0\r\n\r\n`,
  'a coding that is nearly chunked': `${put}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'a coding with a parameter': `${put}Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n`,
  'a coding in quotes': `${put}Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n`,
  'a coding behind a vertical tab': `${put}Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n`,
  'a coding behind a comma': `${put}Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n`,
  'an empty coding': `${put}Transfer-Encoding:\r\n\r\n0\r\n\r\n`,
  'chunks in HTTP/1.0': `${put.replace('1.1', '1.0')}${chunked}0\r\n\r\n`,
}

const chunks: Readonly<Record<string, string>> = {
  'a size that is none': `zz\r\n{}\r\n0\r\n\r\n`,
  'a size with a sign': `+2\r\n{}\r\n0\r\n\r\n`,
  'a negative size': `-2\r\n{}\r\n0\r\n\r\n`,
  'a size with 0x': `0x2\r\n{}\r\n0\r\n\r\n`,
  'a size beyond counting': `10000000000000002\r\n{}\r\n0\r\n\r\n`,
  'a size behind a space': ` 2\r\n{}\r\n0\r\n\r\n`,
  'a size before a space': `2 \r\n{}\r\n0\r\n\r\n`,
  'no size': `\r\n{}\r\n0\r\n\r\n`,
  'a chunk that is longer': `2\r\n{}}\r\n0\r\n\r\n`,
  'a chunk without its line end': `2\r\n{}0\r\n\r\n`,
  'line feeds alone between chunks': `2\n{}\n0\n\n`,
  'a line feed in an extension': `2;a\nxx\r\n{}\r\n0\r\n\r\n`,
  'a NUL in an extension': `2;a=\0\r\n{}\r\n0\r\n\r\n`,
  'an extension without end': `2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
}

const isOneRefusal = async (name: string, bytes: string): Promise<string> => {
  const { said, statuses } = await tell(bytes + hidden)
  assert.deepEqual(statuses, ['400'], `${name}: ${said.slice(0, 300)}`)
  assert.match(said, /^connection: close\r$/im, name)
  await assertProblem(parseAnswer(said), 'bad-request', name)
  return said
}

async function forEach(
  table: Readonly<Record<string, string>>,
  check: (name: string, bytes: string) => Promise<unknown>,
): Promise<void> {
  const cases = Object.entries(table)
  while (cases.length > 0) await Promise.all(cases.splice(0, 8).map((one) => check(...one)))
}

describe('trust 58: one response, 400, and the connection is closed', () => {
  it('for headers that can be read in two ways', () => forEach(heads, isOneRefusal))

  it('for a body that could end in two places', () => forEach(framings, isOneRefusal))

  it('for an invalid chunk, whoever reads the body', async () => {
    await forEach(chunks, (name, body) => isOneRefusal(name, `${post}${chunked}${body}`))
    await forEach(chunks, (name, body) => isOneRefusal(`${name}, token`, `${token}${chunked}${body}`))
  })

  it('or, if the request was refused before its body, that refusal', async () => {
    await forEach(chunks, async (name, body) => {
      const { said, statuses } = await tell(
        `POST /Trails/4711/Images HTTP/1.1\r\n${host}${chunked}${body}${hidden}`,
      )
      assert.deepEqual(statuses, ['401'], `${name}: ${said}`)
    })
  })
})

void test('trust 58: requests that are merely unusual are one request each', async () => {
  const odd: Readonly<Record<string, string>> = {
    'a host in the target and another in Host': `GET http://b/health/live HTTP/1.1\r\n${host}${end}`,
    'an empty line before': `\r\n\r\n${get}${host}${end}`,
    'a chunked body of a GET': `${get}${host}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    'a counted body of a GET': `${get}${host}Content-Length: ${hidden.length}\r\n${end}${hidden}`,
    'HTTP/1.0 without Host': 'GET /health/live HTTP/1.0\r\n\r\n',
    'an Upgrade that nobody knows': `${get}${host}Upgrade: h2c\r\nConnection: upgrade, close\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
    'a length that Connection names': `${get}${host}Connection: close, content-length\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    'a request behind the last one': `${get}${host}${end}${hidden}`,
    'garbage behind the last one': `${get}${host}${end}garbage\r\n\r\n`,
  }
  await forEach(odd, async (name, bytes) => {
    assert.deepEqual((await tell(bytes)).statuses, ['200'], name)
  })
})

type Row = readonly [bytes: string, statuses: readonly string[]]

void test('trust 58: pipelined requests are answered in order, and garbage behind them comes last', async () => {
  const nothing = `GET /nothing HTTP/1.1\r\n${host}\r\n`
  const chunkedPut = `${put}Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n`
  const rows: Readonly<Record<string, Row>> = {
    two: [hidden + nothing, ['200', '404']],
    'a body between': [`${put}Content-Length: 2\r\n\r\n{}${hidden}`, ['404', '200']],
    'chunks between': [chunkedPut + hidden, ['404', '200']],
    'a body that nobody reads': [
      `POST /nothing HTTP/1.1\r\n${host}Content-Length: 2\r\n\r\n{}${hidden}`,
      ['404', '200'],
    ],
    'garbage behind': [`${hidden}${nothing}garbage\r\n\r\n${hidden}`, ['200', '404', '400']],
    'an unclear one behind': [`${hidden}${get}${host}${host}\r\n${hidden}`, ['200', '400']],
    'a photo, and garbage behind': [
      `${post}Content-Length: ${picture.length}\r\n\r\n${picture}garbage\r\n\r\n`,
      ['201', '400'],
    ],
  }
  const check = async ([name, [bytes, expected]]: [string, Row]): Promise<void> => {
    const { said, statuses } = await tell(bytes)
    assert.deepEqual(statuses, expected, `${name}: ${said}`)
  }
  await Promise.all(Object.entries(rows).map(check))
})

void test('C37 trust 40: an unreadable request is one log line, with the ID of the response and none of its bytes', async () => {
  for (const bytes of [
    'sesame\x1b[31m\r\n\r\n',
    `GET /sesame HTTP/1.1\r\n${host}X: sesame\x01\r\n\r\n`,
    `CONNECT sesame:1 HTTP/1.1\r\n${host}\r\n`,
  ]) {
    lines.length = 0
    const { said } = await tell(bytes)
    const { instance } = (await parseAnswer(said).json()) as SeenProblem
    assert.match(instance, /^urn:waymark:request:[\da-f-]{36}$/)
    const [line = '', ...others] = lines
    assert.deepEqual(others, [], bytes)
    const { reqId, code, status, address, level } = JSON.parse(line) as Record<string, unknown>
    const isConnect = bytes.startsWith('CONNECT')
    assert.deepEqual(
      { reqId, code, status, address, level },
      {
        reqId: instance.split(':').at(-1),
        code: isConnect ? 'method-not-allowed' : 'bad-request',
        status: isConnect ? 405 : 400,
        address: '127.0.0.1',
        level: 30,
      },
    )
    assert.doesNotMatch(line, /sesame/)
  }
})
