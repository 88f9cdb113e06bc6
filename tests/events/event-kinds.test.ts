// The table of events: what feed, guard and docs rely on, for every audience, including event kinds that do not exist
// yet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymous, mayReceive, type Actor } from '../../src/auth/guard.ts'
import {
  eventKinds,
  eventTypes,
  kindOfEvent,
  kindsOfEvents,
  type EventAccess,
} from '../../src/shared/event-types.ts'

const member: Actor = {
  kind: 'account',
  accountId: 1,
  role: 'member',
  scopes: new Set(['images:read']),
  via: 'client',
}
const ofNobody = { accountId: null, trailId: null, submitterId: null, from: null, now: null }

void test('each type starts with its kind, exists once, and leads back to its kind', () => {
  for (const kind of kindsOfEvents)
    for (const type of eventKinds[kind].types) {
      assert.ok(type.startsWith(`${kind}.`), type)
      assert.equal(kindOfEvent(type), kind)
    }
  assert.equal(new Set(eventTypes).size, eventTypes.length)
})

void test('an unknown type has no kind, whatever its name', () => {
  for (const type of ['', 'imago.uploaded', 'toString.called', '.image', 'hasOwnProperty'])
    assert.equal(kindOfEvent(type), undefined, type)
})

void test('trust 16: events for everyone require an account and its scope', () => {
  const access = { audience: 'everyone', scope: 'images:read' } as const
  assert.equal(mayReceive(member, access)(ofNobody), true)
  assert.equal(mayReceive({ ...member, scopes: new Set(['routes:read']) }, access)(ofNobody), false)
  assert.equal(mayReceive(anonymous, access)(ofNobody), false)
  assert.equal(mayReceive({ kind: 'key', keyHash: '', accountId: 1 }, access)(ofNobody), false)
})

void test('trust 16: an event without the data that its kind requires is delivered to nobody', () => {
  const admin: Actor = {
    ...member,
    role: 'admin',
    scopes: new Set(['images:read', 'images:review', 'routes:read']),
  }
  for (const kind of kindsOfEvents) {
    const access: EventAccess = eventKinds[kind]
    assert.equal(mayReceive(admin, access)(ofNobody), access.audience === 'everyone', kind)
  }
})
