// Webhooks never reach private or special addresses, however they are written (trust 56).
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createAddressPolicy } from '../../../src/events/webhooks/addresses.ts'
import { createSender } from '../../../src/events/webhooks/send.ts'
import { readTarget, type Resolve } from '../../../src/events/webhooks/target.ts'
import { answerWith, startReceiver } from './receiver.ts'

/** Hosts that are refused when a webhook is created, before any lookup. */
const refusedHosts = `
  127.0.0.1 127.1 127.0.1 0x7f.1 0x7f000001 2130706433 017700000001 0177.0.0.1 127.0.0.1. 0X7F.0.0.1
  127.255.255.254 %31%32%37.0.0.1 ①②⑦.⓪.⓪.① 127。0。0。1 localhost LOCALHOST localhost. a.localhost
  ｌｏｃａｌｈｏｓｔ local%68ost 0.0.0.0 0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255
  169.254.169.254 0xa9fea9fe 2852039166 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1
  192.168.0.1 0300.0250.0.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.255 [::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1]
  [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:0:127.0.0.1] [::127.0.0.1] [::a00:1] [64:ff9b::127.0.0.1]
  [64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:a9fe:a9fe::1]
  [2001:0:4136:e378:8000:63bf:3fff:fdd2] [fe80::1] [febf::1] [fec0::1] [fc00::1] [fd12:3456:789a::1]
  [ff02::1] [100::1] [2001:db8::1] [3fff::1] [2001:2::1] [2001:10::1] [2001:20::1] [4000::1] [5f00::1]`
  .trim()
  .split(/\s+/)

/** Addresses to which a name may resolve but must not be connected. */
const refusedAddresses = `
  127.0.0.1 10.1.2.3 169.254.169.254 100.100.100.100 192.168.1.1 0.0.0.0 224.0.0.251 ::1
  ::ffff:127.0.0.1 ::ffff:169.254.169.254 64:ff9b::7f00:1 fd00:ec2::254 fe80::1 :: fe80::1%eth0
  2002:7f00:1:: 198.18.0.1 255.255.255.255 nonsense`
  .trim()
  .split(/\s+/)

const noRanges = createAddressPolicy([])
const message = (url: string) => ({ url, headers: {}, body: '{}' })

/** Counts every connection started by this process. */
async function connectsDuring(work: () => Promise<void>): Promise<number> {
  let connects = 0
  const count = (): void => {
    connects += 1
  }
  subscribe('net.client.socket', count)
  try {
    await work()
  } finally {
    unsubscribe('net.client.socket', count)
  }
  return connects
}

void test('trust 56: every form of a special address is refused when a webhook is created, and at each attempt', async () => {
  assert.ok(refusedHosts.length >= 60, `only ${refusedHosts.length} forms`)
  const asked: string[] = []
  const resolve: Resolve = async (host) => {
    asked.push(host)
    return ['127.0.0.1']
  }
  const send = createSender({ addressPolicy: noRanges, resolve, now: Date.now })
  const connects = await connectsDuring(async () => {
    for (const host of refusedHosts) {
      for (const url of [`https://${host}/hook`, `https://${host}:8443/`, `http://${host}/`]) {
        assert.ok('whyNot' in readTarget(url, noRanges), url)
        const { status, error } = await send(message(url))
        assert.deepEqual([status, typeof error], [null, 'string'], url)
      }
    }
  })
  assert.equal(connects, 0)
  assert.deepEqual(asked, [], 'no name was asked for')
})

void test('trust 56: a name that resolves to a special address is not connected to', async () => {
  const connects = await connectsDuring(async () => {
    for (const address of refusedAddresses) {
      for (const addresses of [[address], ['93.184.215.14', address], [address, '2606:2800:21f:cb07::1']]) {
        const send = createSender({ addressPolicy: noRanges, resolve: async () => addresses, now: Date.now })
        const { error } = await send(message('https://receiver.example/hook'))
        assert.equal(error, 'The address is in a private or reserved network.', addresses.join())
      }
    }
  })
  assert.equal(connects, 0)
})

void test('trust 56: the connection goes to the address that was checked, without a second lookup', async (t) => {
  const receiver = await startReceiver((work) => t.after(work))
  const { port } = new URL(receiver.url)
  let asked = 0
  // The second answer would be another machine.
  const resolve: Resolve = async () => {
    asked += 1
    return asked === 1 ? ['127.0.0.1'] : ['127.0.0.2']
  }
  const send = createSender({ addressPolicy: createAddressPolicy(['127.0.0.1']), resolve, now: Date.now })
  const url = `http://receiver.example:${port}/hook?a=b`
  assert.deepEqual([(await send(message(url))).status, asked], [204, 1])
  assert.equal(receiver.received[0]?.headers.host, `receiver.example:${port}`)
  assert.equal(receiver.received[0]?.path, '/hook?a=b')
  const second = await send(message(url))
  assert.deepEqual([second.status, second.error], [null, 'The address is in a private or reserved network.'])
  assert.equal(receiver.received.length, 1)
})

void test('trust 56: public addresses are accepted, and private ones only if WEBHOOK_ALLOW names them', () => {
  const taken = ['93.184.215.14', '1.1.1.1', '2606:4700:4700::1111', '64:ff9b::101:101', '::ffff:8.8.8.8']
  for (const address of taken) assert.equal(noRanges.classify(address), 'public', address)
  const { classify } = createAddressPolicy(['10.0.0.0/8', 'fd00::/8', '192.168.7.7'])
  assert.equal(classify('10.9.8.7'), 'allowed')
  assert.equal(classify('::ffff:10.9.8.7'), 'allowed')
  assert.equal(classify('fd00::1'), 'allowed')
  assert.equal(classify('192.168.7.7'), 'allowed')
  assert.equal(classify('192.168.7.8'), 'refused')
  assert.equal(classify('127.0.0.1'), 'refused')
})

const allowing = createAddressPolicy(['127.0.0.0/8'])
const notTaken: readonly (readonly [string, RegExp])[] = [
  ['receiver.example', /must be an https URL/],
  ['ftp://receiver.example/', /must be an https URL/],
  ['file:///etc/passwd', /must be an https URL/],
  ['https://', /must be an https URL/],
  ['https://user@receiver.example/', /not contain a user/],
  ['https://user:word@receiver.example/', /not contain a user/],
  ['https://receiver.example/#', /not contain a fragment/],
  ['https://under_score.example/', /letters, digits, hyphens and dots/],
  ['https://a..b/', /letters, digits, hyphens and dots/],
  ['https://[fe80::1%25eth0]/', /must be an https URL/],
  ['https://a%00b/', /must be an https URL/],
  ['http://93.184.215.14/', /must be https/],
]

void test('trust 56: an address is refused with a sentence that says what is wrong with it', () => {
  for (const [url, why] of notTaken) {
    const reading = readTarget(url, allowing)
    assert.match('whyNot' in reading ? reading.whyNot : 'taken', why, url)
  }
  // A backslash is a slash: the host is what precedes it, and receives the request.
  const tricky = readTarget('https://receiver.example\\@127.0.0.1/x', allowing)
  assert.equal('target' in tricky && tricky.target.host, 'receiver.example')
  const inOtherLetters = readTarget('https://Bücher.example./', allowing)
  assert.equal('target' in inOtherLetters && inOtherLetters.target.url.href, 'https://xn--bcher-kva.example/')
  assert.ok('target' in readTarget('http://127.9.9.9:3000/', allowing))
  assert.ok('target' in readTarget('http://localhost:3000/', allowing))
  assert.ok('whyNot' in readTarget('http://receiver.example/', noRanges))
})

void test('plain HTTP to a name is only for allowed addresses, as its lookup shows', async () => {
  const resolve: Resolve = async () => ['93.184.215.14']
  const connects = await connectsDuring(async () => {
    const { error } = await createSender({ addressPolicy: allowing, resolve, now: Date.now })(
      message('http://receiver.example/'),
    )
    assert.match(error ?? '', /^The address must be https; plain http is allowed only for/)
  })
  assert.equal(connects, 0)
})

void test('trust 56: a redirect is a failure like any other status', async (t) => {
  const other = await startReceiver((work) => t.after(work))
  const receiver = await startReceiver((work) => t.after(work), answerWith(307, { location: other.url }))
  const send = createSender({ addressPolicy: allowing, now: Date.now })
  const outcome = await send(message(receiver.url))
  assert.deepEqual([outcome.status, outcome.error], [307, 'The receiver responded with 307.'])
  assert.equal(other.received.length, 0)
})

void test('trust 56: an endless response is read up to 64 KiB, and none of it is shown', async (t) => {
  let written = 0
  const receiver = await startReceiver(
    (work) => t.after(work),
    (response) => {
      const chunk = Buffer.alloc(16 * 1024, 'secret of the inside ')
      const write = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
      }
      response.writeHead(200).on('drain', write)
      write()
    },
  )
  const send = createSender({ addressPolicy: allowing, now: Date.now })
  const outcome = await send(message(receiver.url))
  assert.deepEqual([outcome.status, outcome.error], [200, null])
  assert.doesNotMatch(JSON.stringify(outcome), /secret/)
  assert.ok(outcome.milliseconds < 4_000, `took ${outcome.milliseconds} ms`)
  assert.ok(written < 16 * 1024 ** 2, `${written} bytes were written before it was cut off`)
})

void test('invalid HTTP, truncated responses and refusals are outcomes of one sentence', async (t) => {
  const speak = async (said: string): Promise<string> => {
    const server = createServer((socket) => socket.on('error', () => undefined).end(said)).listen(
      0,
      '127.0.0.1',
    )
    t.after(() => server.close())
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  const send = createSender({ addressPolicy: allowing, now: Date.now })
  const errorOf = async (url: string): Promise<string | null> => (await send(message(url))).error
  assert.match((await errorOf(await speak('SSH-2.0-OpenSSH_9.9\r\n'))) ?? '', /^The response is not HTTP\.$/)
  assert.match((await errorOf(await speak(''))) ?? '', /^The connection was closed before a response\.$/)
  const switching = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'
  assert.match((await errorOf(await speak(switching))) ?? '', /^The connection failed\.$/)
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await once(closed, 'close')
  assert.equal(await errorOf(`http://127.0.0.1:${port}/`), 'The connection was refused.')
})
