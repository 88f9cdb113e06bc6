// TRUSTED_ISSUERS, as a variable or a file: valid values, and the message for each fault with its position (D2).
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { standardAlgorithms } from '../../../src/auth/issuers/trusted-issuer.ts'
import { scopes } from '../../../src/auth/scopes.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { newFolder } from '../../helpers/folders.ts'

const good = { issuer: 'https://id.example', audience: 'https://trails.example' }

const read = (...entries: readonly unknown[]) =>
  readConfig({ TRUSTED_ISSUERS: JSON.stringify(entries) }).trustedIssuers

void test('D2: an issuer and an audience are enough, and every other field is accepted', () => {
  const [min] = read(good)
  assert.deepEqual(min, {
    issuer: 'https://id.example',
    audience: ['https://trails.example'],
    algorithms: standardAlgorithms,
    accountClaim: undefined,
    roleClaim: undefined,
    roles: new Map(),
    scopes: new Set(scopes),
    createAccounts: false,
  })
  const [max] = read({
    issuer: 'https://id.example/realms/trails/',
    audience: ['a', 'b'],
    algorithms: ['PS512'],
    accountClaim: 'https://id.example/acct',
    roleClaim: 'groups',
    roles: { staff: 'reviewer', boss: 'admin' },
    scopes: ['images:read'],
    createAccounts: true,
  })
  assert.deepEqual(max, {
    issuer: 'https://id.example/realms/trails/',
    audience: ['a', 'b'],
    algorithms: ['PS512'],
    accountClaim: 'https://id.example/acct',
    roleClaim: 'groups',
    roles: new Map([
      ['staff', 'reviewer'],
      ['boss', 'admin'],
    ]),
    scopes: new Set(['images:read']),
    createAccounts: true,
  })
  for (const issuer of [
    'http://127.0.0.1:8081',
    'http://localhost',
    'http://[::1]:9/x',
    'https://xn--bcher-kva.example',
  ]) {
    assert.equal(read({ ...good, issuer })[0]?.issuer, issuer)
  }
})

void test('D2: a path names a file with the same content', async (t) => {
  const file = path.join(await newFolder(t), 'issuers.json')
  await writeFile(file, JSON.stringify([good]))
  assert.deepEqual(readConfig({ TRUSTED_ISSUERS: file }).trustedIssuers, read(good))
  await writeFile(file, '[{]')
  assert.throws(
    () => readConfig({ TRUSTED_ISSUERS: file }),
    /^RangeError: TRUSTED_ISSUERS must be valid JSON/,
  )
})

const faults: readonly [unknown, RegExp][] = [
  [1, /an object at \[0\]/],
  [{ ...good, secret: 'x' }, /no fields other than .+, but has "secret" at \[0\]/],
  [{ audience: 'a' }, /an https URL .+ at \[0\]\.issuer/],
  ...[
    'http://id.example',
    'http://127.0.0.1.example',
    'http://10.0.0.1',
    'ftp://id.example',
    'https://ID.example',
    'https://id.example?a',
    'https://id.example?',
    'https://id.example#',
    'https://ann@id.example',
    'https://id.example.',
    'https://id..example',
    'https://id_x.example',
    'https://bücher.example',
    'https://id.example:443',
    ' https://id.example',
    'id.example',
    '',
    7,
  ].map((issuer): [unknown, RegExp] => [{ ...good, issuer }, /an https URL .+ at \[0\]\.issuer/]),
  ...[undefined, '', ' ', [], ['a', 1], { a: 1 }].map((audience): [unknown, RegExp] => [
    { ...good, audience },
    /a string, or a list of strings, at \[0\]\.audience/,
  ]),
  ...[['HS256'], ['none'], ['RS256', 'HS512'], [], 'RS256', ['rs256'], ['dir'], [null]].map(
    (algorithms): [unknown, RegExp] => [
      { ...good, algorithms },
      /asymmetric algorithms .+ at \[0\]\.algorithms/,
    ],
  ),
  [{ ...good, accountClaim: '' }, /name of a claim at \[0\]\.accountClaim/],
  [{ ...good, roleClaim: 'groups' }, /both of roleClaim and roles, or neither, at \[0\]/],
  [{ ...good, roles: {} }, /both of roleClaim and roles, or neither, at \[0\]/],
  [{ ...good, roleClaim: 'groups', roles: { staff: 'owner' } }, /to member, reviewer, admin at \[0\]\.roles/],
  [{ ...good, roleClaim: 'groups', roles: ['staff'] }, /at \[0\]\.roles/],
  [{ ...good, scopes: ['images:delete'] }, /a list of scopes .+ at \[0\]\.scopes/],
  [{ ...good, scopes: [] }, /at \[0\]\.scopes/],
  [{ ...good, createAccounts: 'yes' }, /true or false at \[0\]\.createAccounts/],
]

void test('D2: every fault is one sentence that names the variable and the place', () => {
  for (const [entry, sentence] of faults) {
    assert.throws(
      () => read(entry),
      ({ message }: RangeError) => {
        assert.match(message, /^TRUSTED_ISSUERS must [^\n]+[^.]\.$/, JSON.stringify(entry))
        assert.match(message, sentence)
        return true
      },
      JSON.stringify(entry),
    )
  }
  assert.throws(() => read(good, { ...good, audience: 'b' }), {
    message: 'TRUSTED_ISSUERS must have an issuer that is not already at [0] at [1].issuer.',
  })
})

void test('D2: the service does not trust itself as an issuer', () => {
  const environment = { PUBLIC_URL: 'https://id.example/', TRUSTED_ISSUERS: JSON.stringify([good]) }
  assert.throws(() => readConfig(environment), /^RangeError: TRUSTED_ISSUERS must not contain PUBLIC_URL/)
})
