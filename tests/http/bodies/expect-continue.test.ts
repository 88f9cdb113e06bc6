// Expect: 100-continue: the body is requested only if the head alone is not refused (contract C31).
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { jpegPicture } from '../../helpers/pictures.ts'
import { outcomeOf } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { parseAnswer } from '../../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const bob = await waymark.addPerson()
const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9 }))
const picture = await jpegPicture({ width: 12, height: 9, seed: 4 })
const { hostname, port } = new URL(waymark.url)

type Headers = Readonly<Record<string, string>>
const bearer = { authorization: `Bearer ${ana.token}` }
const set = '/Trails/4711/Images'
const image = `${set}/${imageId}`
const json = { ...bearer, 'content-type': 'application/json' }

/**
 * Sends the body once requested.
 * @returns what was received before the body, and after.
 */
function ask(
  line: string,
  headers: Headers,
  body: Uint8Array | string,
): Promise<{ before: string; after: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const fields = {
      host: 'a',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
      ...headers,
    }
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
    socket.write([`${line} HTTP/1.1`, ...lines, 'expect: 100-Continue', '', ''].join('\r\n'))
    let before: string | undefined
    let said = ''
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1')
      if (before !== undefined || !said.endsWith('\r\n\r\n')) return
      before = said
      said = ''
      socket.write(body)
    })
    socket.on('error', reject)
    socket.on('close', () =>
      resolve(before === undefined ? { before: said, after: '' } : { before, after: said }),
    )
  })
}

void test('C31: 100 Continue is sent once for a body that is wanted', async () => {
  const basic = Buffer.from('nobody:nothing').toString('base64')
  const form = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' }
  const wanted: readonly (readonly [
    line: string,
    headers: Headers,
    body: Uint8Array | string,
    status: number,
  ])[] = [
    [`PUT ${image}`, json, '{"title":"x"}', 200],
    [`PUT ${image}`, json, '{', 400],
    [`POST ${set}`, bearer, picture, 201],
    [`POST ${set}`, bearer, 'no picture', 415],
    ['POST /oauth/token', form, 'grant_type=client_credentials', 401],
  ]
  for (const [line, headers, body, status] of wanted) {
    const { before, after } = await ask(line, headers, body)
    assert.equal(before, 'HTTP/1.1 100 Continue\r\n\r\n', line)
    assert.equal(parseAnswer(after).status, status, `${line} ${after}`)
    assert.equal(after.match(/HTTP\/1\.1 /g)?.length, 1, line)
  }
})

void test('C31: and not for one that would be refused anyway', async () => {
  const refused: readonly (readonly [line: string, headers: Headers, expected: string])[] = [
    ['POST /nothing', bearer, '404 Not Found'],
    [`DELETE ${set}`, bearer, '405 Method Not Allowed'],
    [`POST ${set}`, {}, '401 A credential is required'],
    [`POST ${set}`, { authorization: 'Bearer wrong' }, '401 Invalid Access Token'],
    ['POST /Trails/1/Images', bearer, '404 Invalid Trail ID'],
    [`PUT ${set}/1`, json, '404 Invalid Image ID'],
    [`PUT ${image}`, { ...json, authorization: `Bearer ${bob.token}` }, '404 Invalid Image ID'],
    [`PUT ${image}`, { ...json, accept: 'image/png' }, '406 Not Acceptable'],
    [`PUT ${image}`, { ...json, 'content-type': 'text/plain' }, '415 Unsupported media type'],
    [`PUT ${image}`, { ...json, 'if-match': '"x"' }, '412 Precondition Failed'],
    [`PUT ${image}`, { ...json, 'content-length': '65537' }, '413 The body is too large'],
    [`POST ${set}`, { ...bearer, 'content-type': 'text/html' }, '415 Unsupported image type'],
    [`POST ${set}`, { ...bearer, 'content-length': '8388609' }, '413 The image is too large'],
    [`POST ${set}`, { ...bearer, host: 'a b' }, '400 Bad Request'],
  ]
  for (const [line, headers, expected] of refused) {
    const { before, after } = await ask(line, { ...headers, connection: 'keep-alive' }, '{"title":"x"}')
    assert.equal(after, '', `${line} was asked for its body`)
    const answer = parseAnswer(before)
    assert.equal(answer.headers.get('connection'), 'close', line)
    assert.equal(await outcomeOf(answer), expected, line)
  }
})
