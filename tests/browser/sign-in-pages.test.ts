// Every page of sign-in, sign-up and consent in Chromium: light and dark, narrow and wide; no axe findings, no sideways
// scrolling.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oidc from 'openid-client'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { scopes } from '../../src/auth/scopes.ts'
import { addMember, addSignedIn } from '../helpers/visitor.ts'
import { requestOf } from '../helpers/oauth-site.ts'
import { findingsInEveryLook, openBrowser, type Visit } from './harness.ts'
import { startSite } from './site.ts'

void test('sign-in pages, light and dark, on a phone and in a wide window', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { waymark, origin, url } = await startSite(t, { environment: { SIGN_UP: 'open' } })
  const tight = await startSite(t, {
    environment: { RATE_LIMIT_FACTOR: '1', RATE_SIGN_IN: '1' },
    guessClock: () => 0,
  })
  const { db } = waymark.installation.database
  const { accountId } = await waymark.addPerson({ name: 'Gallery Makers of the Long Northern Trails' })
  const { clientId } = await registerClient(db, {
    accountId,
    name: 'Gallery of the Long Northern Trails and Passes',
    scope: scopes.join(' '),
    now: waymark.system.now(),
    isPublic: true,
    redirectUris: ['https://gallery-of-the-long-northern-trails.example/back'],
  })
  const client = await oidc.discovery(new URL(url), clientId, {}, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  })
  const member = await addMember(waymark)
  const admin = await addSignedIn(waymark, 'admin')
  const visit: Visit = await browser.visit({
    origins: [origin, tight.origin],
    expectedStatuses: [400, 403, 404, 410, 422, 429],
  })
  const { page } = visit
  const looked: string[] = []
  const lookAt = async (name: string): Promise<void> => {
    assert.deepEqual(await findingsInEveryLook(page, name), [])
    assert.deepEqual(visit.pageErrors, [], name)
    looked.push(name)
  }
  const press = async (name: string): Promise<void> => {
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).click()])
  }
  const open = async (name: string, address: string): Promise<void> => {
    await page.goto(address.startsWith('http') ? address : url + address)
    await lookAt(name)
  }
  const linkFrom = async (path: string, body: unknown): Promise<string> => {
    const answer = await admin.call('POST', path, body)
    assert.equal(answer.status, 201, answer.text)
    return (JSON.parse(answer.text) as { url: string }).url
  }

  await open('sign-in', '/sign-in')
  await page.getByLabel('Email address').fill(member.email)
  await page.getByLabel('Password').fill('a slip')
  await press('Sign in')
  await lookAt('sign-in refused')
  await open('sign-up', '/sign-up')
  await page.getByLabel('Email address').fill('x@trails.example')
  await page.getByLabel('Name').fill('X')
  await page.getByLabel('Password').fill('short')
  await press('Create account')
  await lookAt('sign-up refused')
  await open('reset without mail', '/reset')
  await open('reset', await linkFrom(`/v2/admin/accounts/${member.accountId}/reset-link`, undefined))
  await open('reset over', '/reset/nothing')
  await open('join', await linkFrom('/v2/admin/invitations', { email: 'guest@trails.example' }))
  await open('join over', '/join/nothing')
  const setUp = await waymark.app.services.joining.makeSetUpLink()
  await open('set-up', setUp ?? '')

  const asked = { redirect_uri: 'https://gallery-of-the-long-northern-trails.example/back' }
  const { address } = await requestOf(client, { ...asked, scope: `openid ${scopes.join(' ')}` })
  await open('sign-in to an application', address.href)
  await page.getByLabel('Email address').fill(member.email)
  await page.getByLabel('Password').fill(member.password)
  await press('Sign in')
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  await lookAt('consent')
  const { address: identity } = await requestOf(client, { ...asked, scope: 'openid' })
  await open('consent to identity', identity.href)
  waymark.system.advance(60_000)
  await open('interaction of nobody', '/oauth/interaction/nothing')
  const wrong = await requestOf(client, { redirect_uri: 'https://evil.example/' })
  await open('error of an application', wrong.address.href)

  const form = `<form method="post" action="${url}/sign-out"><button>Go</button></form>`
  await page.goto(`data:text/html,${encodeURIComponent(form)}`)
  await press('Go')
  await lookAt('form of another site')
  await page.goto(`${tight.url}/reset/nothing`)
  await open('too many attempts', `${tight.url}/reset/nothing`)

  await open('device', '/device')
  await page.getByLabel('Code').fill('BCDF-GHJK')
  await press('Continue')
  await lookAt('device refused')
  const begun = await oidc.initiateDeviceAuthorization(client, { scope: 'openid images:read routes:write' })
  await page.goto(begun.verification_uri_complete ?? '')
  await press('Continue')
  await lookAt('device confirm')
  await press('Yes, this is my device')
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  await lookAt('device consent')
  await press('Allow')
  await page.getByRole('heading', { name: 'Your device is connected' }).waitFor()
  await lookAt('device success')
  if (
    await page
      .getByRole('button', { name: 'Sign out' })
      .isVisible()
      .catch(() => false)
  ) {
    await press('Sign out')
    await lookAt('signed out')
  }
  assert.ok(looked.length >= 21, looked.join(', '))
})
