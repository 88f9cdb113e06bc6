// Registration of clients: refusals, stored data, and what the provider receives.
import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import { after, before, test } from 'node:test'
import {
  findClient,
  isClientSecret,
  registerClient,
  type NewClient,
} from '../../../src/auth/oauth/oauth-clients.ts'
import { scopes } from '../../../src/auth/scopes.ts'
import type { Database } from '../../../src/database/database.ts'
import { Refusal } from '../../../src/errors.ts'
import { ann, openTestDatabase, temporaryFolder } from '../../helpers/oauth-harness.ts'

let folder: string
let database: Database

before(async () => {
  folder = await temporaryFolder()
  database = await openTestDatabase(folder)
})

after(async () => {
  await database.close()
  await fs.rm(folder, { recursive: true, force: true })
})

const confidential: NewClient = {
  accountId: ann,
  name: 'Uploader',
  scope: 'images:write routes:read',
  now: 1_700_000_000_000,
  isPublic: false,
  redirectUris: [],
}
const publicClient: NewClient = {
  ...confidential,
  isPublic: true,
  redirectUris: ['https://app.example/back'],
}

const register = (client: NewClient) => registerClient(database.db, client)

function refusedWith(code: string, detail: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.code, code)
    assert.match(error.detail ?? '', detail)
    return true
  }
}

void test('the scopes are the closed list of C29, and one for trails', () => {
  assert.deepEqual(
    [...scopes],
    ['images:read', 'images:write', 'images:review', 'routes:read', 'routes:write', 'trails:write'],
  )
})

void test('a confidential client gets a secret of 256 bits, of which only the hash is stored', async () => {
  const { clientId, clientSecret = '' } = await register(confidential)
  assert.match(clientSecret, /^wms_[A-Za-z0-9_-]{43}$/)
  const row = await database.db
    .selectFrom('oauth_client')
    .selectAll()
    .where('id', '=', clientId)
    .executeTakeFirstOrThrow()
  assert.match(row.secret_hash ?? '', /^[0-9a-f]{64}$/)
  assert.ok(!JSON.stringify(row).includes(clientSecret.slice(4)))
  assert.equal(row.account_id, ann)
  assert.equal(row.created_at, confidential.now)
  assert.ok(isClientSecret(clientSecret, row.secret_hash ?? ''))
  assert.ok(!isClientSecret(`${clientSecret}x`, row.secret_hash ?? ''))
  assert.ok(!isClientSecret(row.secret_hash ?? '', row.secret_hash ?? ''), 'the hash is not a secret')
  assert.ok(!isClientSecret('', ''))
})

void test('the provider sees it as a client-credentials client', async () => {
  const { clientId } = await register(confidential)
  const found = await findClient(database.db, clientId)
  assert.deepEqual(found?.grant_types, ['client_credentials'])
  assert.deepEqual(found?.response_types, [])
  assert.equal(found?.scope, 'images:write routes:read')
})

void test('a public client has no secret and signs people in', async () => {
  const registered = await register(publicClient)
  assert.deepEqual(Object.keys(registered), ['clientId'])
  const found = await findClient(database.db, registered.clientId)
  assert.equal(found?.token_endpoint_auth_method, 'none')
  assert.equal(found?.client_secret, undefined)
  assert.deepEqual(found?.grant_types, [
    'authorization_code',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:device_code',
  ])
  assert.deepEqual(found?.redirect_uris, ['https://app.example/back'])
})

for (const [uris, type] of [
  [['https://app.example/back'], 'web'],
  [['http://127.0.0.1/back'], 'native'],
  [['http://[::1]:7777/back', 'https://app.example/back'], 'native'],
  [['http://localhost:5173/back', 'https://localhost:5173/back'], 'web'],
] as const) {
  void test(`${uris.join(' and ')} makes it a ${type} client`, async () => {
    const { clientId } = await register({ ...publicClient, redirectUris: uris })
    const found = await findClient(database.db, clientId)
    assert.equal(found?.application_type, type)
  })
}

for (const uri of [
  'http://app.example/back',
  'https://app.example/back#part',
  'https://app.example/back#',
  'https://user@app.example/back',
  'https://user:word@app.example/back',
  'https://app.example\\@evil.example/',
  'https://app.example/\tback',
  ' https://app.example/back',
  'https:app.example/back',
  'https://ápp.example/back',
  'http://127.0.0.1.evil.example/back',
  'http://127.0.0.2/back',
  'com.example.app:/back',
  'javascript:alert(1)',
  'back',
  '',
  `https://app.example/${'a'.repeat(2_000)}`,
]) {
  void test(`the redirect URL ${JSON.stringify(uri.slice(0, 60))} is refused`, async () => {
    await assert.rejects(
      register({ ...publicClient, redirectUris: [uri] }),
      refusedWith('invalid-field', /^redirectUris: /),
    )
  })
}

const many = Array.from({ length: 21 }, (_, index) => `https://app.example/${index}`)

for (const [name, client, code, detail] of [
  [
    'an unknown scope',
    { ...confidential, scope: 'images:read images:delete' },
    'invalid-field',
    /images:delete is unknown/,
  ],
  ['a scope in capitals', { ...confidential, scope: 'Images:Read' }, 'invalid-field', /^scope/],
  ['no scope', { ...confidential, scope: ' ' }, 'invalid-field', /^scope/],
  ['no name', { ...confidential, name: '  ' }, 'invalid-field', /^name/],
  ['a name of 201 characters', { ...confidential, name: 'n'.repeat(201) }, 'invalid-field', /^name/],
  ['an unknown account', { ...confidential, accountId: 999 }, 'invalid-account-id', /^$/],
  [
    'a name with a hidden turn of the text',
    { ...confidential, name: 'App\u202e' },
    'invalid-field',
    /invisible/,
  ],
  ['21 addresses', { ...publicClient, redirectUris: many }, 'invalid-field', /at most 20/],
] as const) {
  void test(`${name} is refused`, async () => {
    await assert.rejects(register(client), refusedWith(code, detail))
  })
}

void test('scopes given twice count once', async () => {
  const { clientId } = await register({ ...confidential, scope: ' routes:read  images:read routes:read ' })
  assert.equal((await findClient(database.db, clientId))?.scope, 'routes:read images:read')
})

void test('an unknown client is not found', async () => {
  assert.equal(await findClient(database.db, 'wmc_nobody'), undefined)
  assert.equal(await findClient(database.db, "' or 1=1 --"), undefined)
})
