// No secret appears in the log, in a refusal or in a header, wherever it is in the request (contract C28; trust 41, 62).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { createAccounts } from '../../../src/accounts/accounts.ts'
import { registerClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { hashPassword } from '../../../src/auth/passwords.ts'
import { createLogWatch } from '../../helpers/log-watch.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import type { WireRequest } from '../../helpers/wire.ts'

const watch = createLogWatch()
const waymark = await startWaymark({
  storesSecrets: true,
  logger: watch.logger,
  environment: { TRUST_PROXY: '127.0.0.1', CORS_ORIGINS: 'https://app.example' },
})
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9 }))
const { db } = waymark.installation.database
const client = await registerClient(db, {
  accountId: ana.accountId,
  name: 'test',
  scope: 'images:read',
  now: waymark.system.now(),
  isPublic: false,
  redirectUris: [],
})
const password = 'correct-horse-battery-staple'
await createAccounts({ db, system: waymark.system, hashPassword }).create({
  email: 'pat@trails.example',
  displayName: 'Pat',
  role: 'member',
  id: undefined,
  password,
})

const random = () => randomBytes(32).toString('base64url')
/** Valid and wrong ones: a wrong one may be a valid one with a typo, or of another server. */
const secrets = {
  key: await waymark.addKey(ana.accountId),
  wrongKey: `wm_${random()}`,
  token: ana.token,
  wrongToken: random(),
  clientSecret: client.clientSecret ?? '',
  wrongClientSecret: `wms_${random()}`,
  password,
} as const
const inBase64 = (text: string): string => Buffer.from(`${client.clientId}:${text}`).toString('base64')
/** Forbidden texts: the secrets, their part after the prefix, and their HTTP Basic form. */
const forbidden = Object.values(secrets).flatMap((secret) => [
  secret.replace(/^wms?_/, ''),
  inBase64(secret).slice(60, 100),
])

function assertNoSecret(text: string, context: string): void {
  for (const secret of forbidden) {
    assert.ok(!text.includes(secret), `${context}: ${secret} stands in ${text}`)
    assert.ok(!decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '')).includes(secret), context)
  }
}

/** Sends the request and checks all output. */
async function probe(request: WireRequest): Promise<void> {
  const context = JSON.stringify(request).slice(0, 300)
  const { answer, body, log } = await watch.probe(waymark.url, request)
  assertNoSecret(log, `log of ${context}`)
  assertNoSecret(JSON.stringify([...answer.headers]), `headers of ${context}`)
  if (answer.status >= 400) assertNoSecret(body, `answer to ${context}`)
}

const image = `/Trails/4711/Images/${imageId}`
const bearer = { authorization: `Bearer ${ana.token}` }
const each = Object.entries(secrets)

void test('trust 41: no secret in the log, in any part of the URL', async () => {
  for (const [, secret] of each) {
    const isMarked = secret !== password // a chosen password cannot be distinguished from other words
    const middle = Math.floor(secret.length / 2)
    const escaped = `${secret.slice(0, middle)}%${secret.charCodeAt(middle).toString(16)}${secret.slice(middle + 1)}`
    const paths = [
      `/Trails/4711/Images?api_key=${secret}`,
      `/Trails/4711/Images?x=1&api_key=${escaped}&api_key=${secret}`,
      `/ImageHandler?id=${secret}`,
      `/ImageHandler?id=${imageId}&t=${secret}`,
      `/v2/images?cursor=${secret}&status=${secret}&bbox=${secret}`,
      `/oauth/authorize?client_id=${client.clientId}&response_type=code&api_key=${secret}`,
      ...(isMarked
        ? [
            `/Trails/4711/Images&api_key=${secret}`,
            `/Trails/4711/Images%3Fapi_key=${escaped}`,
            `/Trails/${secret}/Images`,
            `${image}/${secret}`,
            `/${secret}`,
            `/x;${secret}`,
            `/problems/${secret}`,
            `/v2/images/${secret}`,
            `/nope/${escaped}/x`,
            `/nope/${escaped}%/x`,
            `http://user:${secret}@waymark.example/${secret}`,
          ]
        : []),
    ]
    for (const path of paths) await probe({ path })
  }
})

void test('trust 41: no secret in the log, in any header', async () => {
  const names = `Authorization X-API-Key Referer Cookie User-Agent Origin Accept Accept-Language Content-Type
    Content-Encoding If-Match If-None-Match If-Range Range Idempotency-Key X-Forwarded-For X-Forwarded-Host
    X-Forwarded-Proto Forwarded X-Request-Id Request-Id Access-Control-Request-Method Access-Control-Request-Headers
    Expect Accept-Version Host`.split(/\s+/)
  for (const secret of [secrets.key, Object.values(secrets).join(' ')]) {
    for (const name of names) {
      await probe({ path: '/Trails/4711/Images', headers: { [name]: secret } })
      await probe({
        path: image,
        method: 'PUT',
        headers: { ...bearer, [name]: `text/${secret}` },
        body: '{}',
      })
    }
    for (const scheme of ['Bearer', 'Basic', '']) {
      for (const path of [image, '/v2/images', '/oauth/token', `/ImageHandler?id=${imageId}`])
        await probe({ path, headers: { authorization: `${scheme} ${secret}` } })
    }
    await probe({ path: '/v2/images', headers: { authorization: `Basic ${inBase64(secret)}` } })
    await probe({ path: '/metrics', headers: { 'x-forwarded-for': secret } })
    await probe({ path: '/Trails/4711/Images', method: 'OPTIONS', headers: { origin: `https://${secret}` } })
  }
})

void test('trust 41: no secret in the log, in any body', async () => {
  const json = { ...bearer, 'content-type': 'application/json' }
  const xml = { ...bearer, 'content-type': 'application/xml' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const secret of [
    secrets.key,
    secrets.token,
    secrets.clientSecret,
    secrets.wrongClientSecret,
    password,
  ]) {
    const isMarked = secret !== password
    const bodies = [
      `{"title":"${secret}","caption":"${secret}"}`,
      `{"title":"${secret}"`,
      `{"${isMarked ? secret : 'x'}":1,"title":1}`,
      `"${secret}"`,
      ...(isMarked ? [secret] : []),
      `{"lat":"${secret}","lon":"1"}`,
      `{"imageID":"${secret}"}`,
    ]
    for (const body of bodies) await probe({ path: image, method: 'PUT', headers: json, body })
    const elements = [
      `<TrailImageDetails><title>${secret}</title></TrailImageDetails>`,
      `<TrailImageDetails><lat>${secret}</lat></TrailImageDetails>`,
      ...(isMarked
        ? [`<${secret}>`, `<a ${secret}="">`, `<a>&${secret};</a>`, `<${secret}:a/>`, `<a></${secret}>`]
        : []),
    ]
    for (const body of elements) await probe({ path: image, method: 'PUT', headers: xml, body })
    const decision = JSON.stringify(isMarked ? { decision: secret, [secret]: secret } : { decision: secret })
    await probe({ path: `/v2/images/${imageId}/review`, method: 'POST', headers: json, body: decision })
    await probe({ path: '/Trails/4711/Images', method: 'POST', headers: bearer, body: secret })

    const grant = 'grant_type=client_credentials'
    const forms = [
      `${grant}&client_id=${client.clientId}&client_secret=${secret}`,
      `${grant}&client_id=${client.clientId}&client_secret=${secret}&client_secret=${secret}`,
      `grant_type=password&username=pat@trails.example&password=${secret}&client_id=${client.clientId}`,
      `grant_type=refresh_token&refresh_token=${secret}&client_id=${client.clientId}&client_secret=${secret}`,
      `grant_type=authorization_code&code=${secret}&code_verifier=${secret}&client_id=${client.clientId}`,
      `${grant}&client_assertion=${secret}&client_assertion_type=x`,
      `token=${secret}&client_id=${client.clientId}&client_secret=${secret}`,
    ]
    for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
      for (const body of forms) await probe({ path, method: 'POST', headers: form, body })
      const basic = { ...form, authorization: `Basic ${inBase64(secret)}` }
      await probe({ path, method: 'POST', headers: basic, body: grant })
      await probe({ path: `${path}?client_secret=${secret}`, method: 'POST', headers: form, body: grant })
      await probe({
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"a":"${secret}"}`,
      })
    }
  }
})
