// The commands for managing accounts, clients and the audit (D4, D6). Each is audited itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { assertOneSentence, done, run } from './run-waymark.ts'

type Fields = Record<string, unknown>

void test('accounts list, change, invite and reset-link; clients list and remove; audit', async (t) => {
  const options = { dataDir: await newFolder(t) }
  await done(['trails', 'add', '--id', '4711', '--name', 'Rim Trail'], options)
  for (const [id, role] of [
    ['1', 'admin'],
    ['2', 'reviewer'],
  ] as const)
    await done(
      [
        'accounts',
        'create',
        '--id',
        id,
        '--email',
        `${id}@trails.example`,
        '--name',
        `N${id}`,
        '--role',
        role,
      ],
      options,
    )
  const list = (await done(['accounts', 'list', '--role', 'reviewer'], options)) as { accounts: Fields[] }
  assert.deepEqual(
    list.accounts.map(({ acctID, role, suspended }) => ({ acctID, role, suspended })),
    [{ acctID: 2, role: 'reviewer', suspended: false }],
  )
  assert.deepEqual(
    await done(['accounts', 'change', '--account', '2', '--trails', '4711', '--suspend'], options),
    {
      acctID: 2,
      role: 'reviewer',
      trails: [4711],
      suspended: true,
      trusted: false,
    },
  )
  const trusted = await done(['accounts', 'change', '--account', '2', '--trusted'], options)
  assert.partialDeepStrictEqual(trusted, { role: 'reviewer', suspended: true, trusted: true })
  const { url } = (await done(['accounts', 'reset-link', '--account', '1'], options)) as { url: string }
  assert.match(url, /^http:\/\/127\.0\.0\.1:8080\/reset\/[\w-]{43}$/)
  const invited = (await done(['accounts', 'invite', '--email', 'c@trails.example'], options)) as Fields
  assert.match(String(invited['url']), /\/join\/[\w-]{43}$/)
  const client = ['clients', 'create', '--account', '1', '--name', 'App', '--scope', 'images:read']
  const { clientId } = (await done([...client, '--public'], options)) as { clientId: string }
  const clients = (await done(['clients', 'list'], options)) as { clients: Fields[] }
  assert.equal(clients.clients[0]?.['clientId'], clientId)
  assert.equal(clients.clients[0]?.['isApproved'], true, 'what the operator registers is approved')
  const approve = ['clients', 'approve', clientId]
  assert.deepEqual(await done([...approve, '--withdraw'], options), { clientId, isApproved: false })
  assert.deepEqual(await done(approve, options), { clientId, isApproved: true })
  assert.deepEqual(await done(['clients', 'remove', clientId], options), { clientId, removed: true })
  const { entries } = (await done(['audit', '--last', '10'], options)) as { entries: Fields[] }
  assert.deepEqual(
    entries.map(({ action, via }) => `${String(via)} ${String(action)}`),
    [
      'command client.removed',
      'command client.approved',
      'command client.approval-withdrawn',
      'command client.created',
      'command invitation.issued',
      'command password.reset-issued',
      'command account.trusted',
      'command account.suspended',
      'command account.role-changed',
      'command account.created',
    ],
  )
})

void test('invalid arguments give one sentence and an exit code', async (t) => {
  const options = { dataDir: await newFolder(t) }
  await done(
    ['accounts', 'create', '--id', '1', '--email', 'a@b.example', '--name', 'A', '--role', 'admin'],
    options,
  )
  for (const [args, exitCode] of [
    [['accounts', 'change', '--account', '1', '--role', 'member'], 2],
    [['accounts', 'change', '--account', '1'], 1],
    [['accounts', 'change', '--account', '1', '--trusted', '--untrusted'], 1],
    [['accounts', 'change', '--account', '1', '--suspend', '--restore'], 1],
    [['accounts', 'change', '--account', '1', '--trails', 'x'], 1],
    [['accounts', 'reset-link', '--account', '9'], 2],
    [['clients', 'approve', 'wmc_nobody'], 2],
    [['clients', 'remove', 'wmc_nobody'], 2],
  ] as const) {
    const ran = await run(args, options)
    assert.equal(ran.exitCode, exitCode, args.join(' '))
    assertOneSentence(ran.stderr)
  }
})

void test('switching read-only mode is recorded in the audit log', async (t) => {
  const options = { dataDir: await newFolder(t) }
  await done(['migrate'], options)
  await done(['read-only', 'off'], options)
  await done(['read-only', 'on', '--reason', 'We move'], options)
  await done(['read-only', 'off'], options)
  const { entries } = (await done(['audit'], options)) as { entries: Fields[] }
  assert.deepEqual(
    entries.map(({ via, action, detail }) => [via, action, detail]),
    [
      ['command', 'setting.changed', { readOnly: false }],
      ['command', 'setting.changed', { readOnly: true, reason: 'We move' }],
    ],
  )
})
