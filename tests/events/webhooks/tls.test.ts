// Webhooks over https: the certificate must match the name, although the connection goes to the checked address.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { createAddressPolicy } from '../../../src/events/webhooks/addresses.ts'
import { createSender } from '../../../src/events/webhooks/send.ts'
import { certificateFor, type TestCertificate } from '../../helpers/certificate.ts'

const send = createSender({
  addressPolicy: createAddressPolicy(['127.0.0.0/8']),
  resolve: async () => ['127.0.0.1'],
  now: Date.now,
})

async function serve(t: TestContext, certificate: TestCertificate) {
  const { key, cert } = certificate
  const names: unknown[] = []
  const options = { key: key.export({ type: 'pkcs8', format: 'pem' }), cert }
  const server = createServer(options, (request, response) => {
    names.push((request.socket as TLSSocket).servername)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, names }
}

function trust(t: TestContext, { cert }: TestCertificate): void {
  const before = getCACertificates()
  t.after(() => setDefaultCACertificates(before))
  setDefaultCACertificates([...before, cert])
}

const to = (host: string, port: number) => ({ url: `https://${host}:${port}/`, headers: {}, body: '{}' })

void test('trust 56: the certificate is checked against the name, and the receiver gets the name', async (t) => {
  const certificate = certificateFor('receiver.example')
  trust(t, certificate)
  const { port, names } = await serve(t, certificate)
  const { status, error } = await send(to('receiver.example', port))
  assert.deepEqual([status, error, names], [200, null, ['receiver.example']])
})

void test('trust 56: a certificate for another name, for no name, or from an unknown authority is refused', async (t) => {
  const certificate = certificateFor('receiver.example')
  const { port, names } = await serve(t, certificate)
  const untrusted = await send(to('receiver.example', port))
  assert.deepEqual([untrusted.status, untrusted.error], [null, 'TLS failed: DEPTH_ZERO_SELF_SIGNED_CERT.'])
  trust(t, certificate)
  for (const host of ['other.example', 'a.receiver.example', '127.0.0.1']) {
    const { status, error } = await send(to(host, port))
    assert.deepEqual([status, error], [null, 'TLS failed: ERR_TLS_CERT_ALTNAME_INVALID.'], host)
  }
  assert.deepEqual(names, [], 'nothing was said to it')
})
