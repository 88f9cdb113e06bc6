// Every form of /account: taken from pages of this site only, and refused on a page where it is none or comes while read-only.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'
import { endpointsOf } from '../helpers/endpoints.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const { db } = waymark.installation.database

/** Read from the router, so that a form that comes later is not missed. */
const forms = endpointsOf(waymark.app.server)
  .filter(({ pattern, methods }) => pattern.startsWith('/account') && methods.includes('POST'))
  .map(({ pattern }) => pattern.replaceAll(/:\w+/g, 'wm_12345678'))
assert.ok(forms.length >= 13, forms.join(' '))

void test('CSRF: no form is taken from a page elsewhere, and nothing of it is done', async () => {
  const member = await addSignedIn(waymark)
  for (const path of forms) {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]) {
      const answer = await member.post(path, { displayName: 'Mallory', name: 'Mallory' }, headers)
      assert.equal(answer.status, 403, path)
      assert.match(answer.text, /did not come from a page of this site/)
    }
  }
  assert.doesNotMatch((await member.get('/account')).text, /Mallory/)
})

void test('C37: a form that is none, or comes while read-only, is refused on a page, with the right status', async () => {
  const member = await addSignedIn(waymark)
  for (const path of forms) {
    const json = await member.post(path, {}, { 'content-type': 'application/json' })
    assert.equal(json.status, 415, path)
    assert.match(json.headers.get('content-type') ?? '', /^text\/html/)
    const empty = await member.post(path, {})
    assert.ok(empty.status < 500, `${path}: ${empty.status}`)
  }
  const signedIn = await addSignedIn(waymark)
  await switchReadOnlyOn(db, waymark.system.now(), 'moving')
  try {
    assert.equal((await signedIn.get('/account')).status, 200)
    const answer = await signedIn.post('/account/keys', { name: 'x' })
    assert.equal(answer.status, 503)
    assert.match(answer.text, /moving/)
  } finally {
    await switchReadOnlyOff(db)
  }
})
