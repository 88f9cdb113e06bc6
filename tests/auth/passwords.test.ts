// Passwords that are refused, and what a reset revokes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkPassword, siteWordsOf } from '../../src/accounts/password-rules.ts'
import { byCommand } from '../../src/accounts/audit/audit.ts'
import { addSignedIn, createVisitor } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

let waymark: Waymark

before(async () => {
  waymark = await startWaymark()
})
after(() => waymark.close())

const ana = {
  email: 'ana.hill1987@trails.example',
  displayName: 'Ana María Hill',
  siteWords: siteWordsOf({ siteName: 'Rim Trails', publicUrl: 'https://photos.trails.example' }),
}

async function reasonAgainst(password: string): Promise<string | undefined> {
  try {
    await checkPassword(password, ana)
    return undefined
  } catch (error) {
    return error instanceof Error && 'detail' in error ? String(error.detail) : String(error)
  }
}

void test('the most common passwords are refused in any case, also with digits and signs around, and good ones are not', async () => {
  for (const common of [
    'password',
    'PassWord1',
    'QWERTYUIOP',
    'letmein1!',
    'ChangeMe123',
    '1dragon!!',
    'iloveyou',
    'trustno1',
    '1q2w3e4r',
  ])
    assert.match((await reasonAgainst(common)) ?? '', /^password is too common: /, common)
  for (const good of ['correct horse battery staple', 'thistle-anvil-9', 'Zq7!rmpt0w', 'un camino de piedra'])
    assert.equal(await reasonAgainst(good), undefined, good)
})

void test('so are patterns: repetitions, and sequences up or down', async () => {
  for (const pattern of [
    '00000000',
    '        ',
    'aaaaaaaaaaaa',
    '123123123',
    '12341234',
    'abcabcab',
    '12345678',
    '87654321',
    '7890123456',
    'abcdefghij',
    'xoxoxoxo!'.slice(0, 8),
  ])
    assert.match(
      (await reasonAgainst(pattern)) ?? '',
      /^password must not be a repetition or a sequence/,
      pattern,
    )
  for (const good of ['48213579', 'abcdefgi', 'bonbonbons and bread', '83920174love'])
    assert.equal(await reasonAgainst(good), undefined, good)
})

void test("so are the person's name and address and the site name, also with signs and digits around", async () => {
  for (const own of [
    'ana.hill1987',
    'anahill1987!',
    'Ana Hill 2026'.replace('Hill ', 'María Hill '),
    'ANA.HILL1987@trails.example',
    '2026-hill-2026',
    'María123456',
    'rimtrails',
    'Rim-Trails-1',
    'waymark99',
    'photos.trails.example',
    'trails1234',
    'anamariahill',
    'HillMaría7',
    'waymark waymark',
  ])
    assert.match((await reasonAgainst(own)) ?? '', /^password must not be your name, /, own)
  assert.equal(await reasonAgainst('ana hikes to the rim'), undefined)
  assert.match((await reasonAgainst('1234567')) ?? '', /^password must have 8 to 1024 characters/)
})

void test('they are refused wherever a password is set, in one sentence, and the link stays valid', async () => {
  const member = await addSignedIn(waymark)
  const changed = await member.call('POST', '/v2/me/password', {
    current: member.password,
    password: 'football1',
  })
  assert.equal(changed.status, 400)
  assert.match(changed.text, /password is too common: /)
  const { recovery, joining } = waymark.app.services
  const visitor = createVisitor(waymark)
  const link = await recovery.makeResetLink(member.accountId, byCommand)
  const name = `Member${member.accountId}`
  assert.match((await visitor.post(link, { password: 'Waymark2026' })).text, /Password must not be your name/)
  assert.equal((await visitor.post(link, { password: 'a whole new word' })).status, 303)
  const invitation = await joining.invite(`${name}@trails.example`, 'member', byCommand)
  const refused = await visitor.post(invitation.link, { name, password: `${name}!!` })
  assert.equal(refused.status, 400)
  assert.match(refused.text, /Password must not be your name, your email address/)
  assert.equal((await visitor.post(invitation.link, { name, password: 'a whole new word' })).status, 303)
})

void test('a reset ends every session and token, of applications and of own clients; API keys remain', async () => {
  const member = await addSignedIn(waymark)
  const { accountId } = member
  const token = await waymark.tokenFor(accountId, 'images:read images:write')
  const key = await waymark.addKey(accountId)
  await waymark.addTrail(77_001, 'Reset Trail')
  const statusOf = async (): Promise<number[]> => [
    (await member.call('GET', '/v2/me')).status,
    (await waymark.fetch('/v2/me', { token })).status,
    (await waymark.fetch(`/Trails/77001/Images?api_key=${key}`)).status,
  ]
  assert.deepEqual(await statusOf(), [200, 200, 200])
  const link = await waymark.app.services.recovery.makeResetLink(accountId, byCommand)
  assert.equal((await createVisitor(waymark).post(link, { password: 'a whole new word' })).status, 303)
  assert.deepEqual(await statusOf(), [401, 401, 200])
})
