// Memory for large bodies: an account and an address get a share of it; bodies that do not fit wait, and are then
// refused.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, afterEach, test } from 'node:test'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark, type Person } from '../../helpers/waymark.ts'
import { parseAnswer, send } from '../../helpers/wire.ts'

// A body waits for memory up to REQUEST_TIMEOUT.
const hasty = await startWaymark({ environment: { REQUEST_TIMEOUT: '1', TRUST_PROXY: '127.0.0.1' } })
const patient = await startWaymark({ environment: { TRUST_PROXY: '127.0.0.1' } })
const servers = { hasty, patient }
type Which = keyof typeof servers
after(async () => {
  await hasty.close()
  await patient.close()
})

const MiB = 1024 ** 2
/** The longest route: one fits into an account's share, two into an address's, five into the total. */
const longest = 24 * MiB
/** Slightly more than the threshold for counting a body. */
const begunBytes = 70 * 1024

const startOfBody = '[{"gpx":"'

let people = 0
async function personAt(which: Which): Promise<Person> {
  people += 1
  return servers[which].addPerson({ name: `Walker ${people}` })
}
const addressOf = (number: number): string => `198.51.100.${number}`
const setOf = ({ accountId }: Person): string => `/Accounts/${accountId}/Routes`

interface Begun {
  readonly socket: Socket
  readonly answer: Promise<Response>
  readonly hasAnswer: () => boolean
}

const open: Socket[] = []
afterEach(async () => {
  for (const socket of open.splice(0)) {
    if (socket.closed) continue
    socket.destroy()
    await once(socket, 'close')
  }
  await roomIsBack('hasty')
  await roomIsBack('patient')
})

/** Sends the head of a long body and its first bytes. */
async function begin(
  which: Which,
  person: Person,
  from: number,
  length: number | undefined = longest,
  { path, type } = { path: setOf(person), type: 'application/json' },
): Promise<Begun> {
  const { hostname, port } = new URL(servers[which].url)
  const socket = connect(Number(port), hostname)
  open.push(socket)
  let said = ''
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => (said += bytes.toString('latin1')))
  await once(socket, 'connect')
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `Authorization: Bearer ${person.token}`,
    `X-Forwarded-For: ${addressOf(from)}`,
    `Content-Type: ${type}`,
    length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
  ].join('\r\n')
  const start = `${startOfBody}${' '.repeat(begunBytes)}`
  socket.write(
    `${head}\r\n\r\n${length === undefined ? `${start.length.toString(16)}\r\n${start}\r\n` : start}`,
  )
  const isWhole = (): boolean => /\r\n\r\n.+\}$/s.test(said)
  const answer = new Promise<Response>((resolve) => {
    socket.on('data', () => isWhole() && resolve(parseAnswer(said)))
  })
  return { socket, answer, hasAnswer: isWhole }
}

/** A route of about 100 kB, which counts as a large body but is processed quickly. */
const route = JSON.stringify([{ name: 'A', gpx: `<gpx>${' '.repeat(100_000)}<wpt lat="1" lon="1"/></gpx>` }])

const post = (which: Which, person: Person, from: number): Promise<Response> =>
  send(servers[which].url, {
    method: 'POST',
    path: setOf(person),
    headers: {
      authorization: `Bearer ${person.token}`,
      'x-forwarded-for': addressOf(from),
      'content-type': 'application/json',
    },
    body: route,
  })

const strangers = { hasty: await personAt('hasty'), patient: await personAt('patient') }

/** Memory of disconnected clients is released. */
async function roomIsBack(which: Which): Promise<void> {
  const { status } = await post(which, strangers[which], 250)
  assert.equal(status, 201)
}

const isRefused = async (answer: Response, code: 'too-many-requests' | 'busy', about: RegExp) => {
  const { detail } = await assertProblem(answer, code)
  assert.match(detail ?? '', about)
  assert.equal(answer.headers.get('retry-after'), '10')
}

void test('issue 20: an account gets its share of memory for bodies, the rest waits, then is refused; others are not affected', async () => {
  const [ann, bob] = [await personAt('hasty'), await personAt('hasty')]
  const first = await begin('hasty', ann, 1)
  const second = await begin('hasty', ann, 2)
  const { answer, hasAnswer } = await begin('hasty', ann, 3, undefined)
  for (let time = 0; time < 5; time += 1) assert.equal((await post('hasty', bob, 1)).status, 201)
  const refusals = [await second.answer, await answer]
  for (const refusal of refusals)
    await isRefused(refusal, 'too-many-requests', /^Too many large request bodies from this account are/)
  assert.ok(hasAnswer() && !first.hasAnswer())
})

void test('issue 20: waiting bodies continue once there is room', async () => {
  const ann = await personAt('patient')
  const first = await begin('patient', ann, 1)
  const waiting = post('patient', ann, 1)
  const behind = await begin('patient', ann, 1)
  // A short body fits beside the long one; another long one does not.
  assert.equal((await waiting).status, 201)
  assert.ok(!behind.hasAnswer())
  first.socket.destroy()
  behind.socket.write(Buffer.alloc(longest - begunBytes - startOfBody.length, 0x20))
  await assertProblem(await behind.answer, 'malformed-body')
})

void test('issue 20: an account has a limited number of waiting bodies', async () => {
  const [ann, bob] = [await personAt('patient'), await personAt('patient')]
  const begun: Begun[] = []
  for (let count = 0; count < 34; count += 1) begun.push(await begin('patient', ann, count % 3))
  const refused = await Promise.race(begun.map(({ answer }) => answer))
  await isRefused(refused, 'too-many-requests', /from this account/)
  assert.equal((await post('patient', bob, 1)).status, 201)
  assert.equal(begun.filter(({ hasAnswer }) => hasAnswer()).length, 1)
})

void test('issue 20: accounts behind one address get half of the memory together', async () => {
  const begun: Begun[] = []
  for (let count = 0; count < 3; count += 1) begun.push(await begin('hasty', await personAt('hasty'), 7))
  const refused = await Promise.race(begun.map(({ answer }) => answer))
  await isRefused(refused, 'too-many-requests', /from this address/)
  assert.equal((await post('hasty', await personAt('hasty'), 8)).status, 201)
})

void test('issue 20: a body larger than one share leaves others behind its address theirs', async () => {
  const admin = await hasty.addPerson({ role: 'admin' })
  const file = { path: '/v2/admin/trails/import', type: 'text/csv' }
  const importing = await begin('hasty', admin, 8, 64 * MiB, file)
  await isRefused(await (await begin('hasty', admin, 8)).answer, 'too-many-requests', /from this account/)
  assert.equal((await post('hasty', await personAt('hasty'), 8)).status, 201)
  assert.equal(importing.hasAnswer(), false)
})

void test('issue 20: if many bodies use all of the memory, others wait, and are told that the server is busy', async () => {
  const held: Begun[] = []
  for (let count = 0; count < 5; count += 1)
    held.push(await begin('hasty', await personAt('hasty'), 10 + count))
  const late = await begin('hasty', await personAt('hasty'), 20)
  await isRefused(await late.answer, 'busy', /^Too many large request bodies are being processed\.$/)
  assert.ok(held.every(({ hasAnswer }) => !hasAnswer()))
})

void test('issue 20: a body sent in chunks of one byte is read completely', async () => {
  const ann = await personAt('patient')
  const { hostname, port } = new URL(patient.url)
  const socket = connect(Number(port), hostname)
  open.push(socket)
  const head = `POST ${setOf(ann)} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ann.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
  const name = Array.from({ length: 200 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('')
  const body = JSON.stringify([{ name, gpx: '', description: 'd'.repeat(30_000) }])
  socket.write(`${head}${Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`)
  let said = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) said += chunk.toString('latin1')
  const answer = parseAnswer(said)
  assert.equal(answer.status, 201, said)
  const stored = await patient.fetch(`${setOf(ann)}/${await answer.text()}`, { token: ann.token })
  assert.equal(((await stored.json()) as { name: string }).name, name)
})
