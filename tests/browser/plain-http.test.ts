// Signing in over plain http at a host name, as on a home network: the browser then sends less about the origin of a
// form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMember } from '../helpers/visitor.ts'
import { openBrowser } from './harness.ts'
import { startSite } from './site.ts'

void test('over plain HTTP, at a host name other than loopback, a person signs in and out', async (t) => {
  const browser = await openBrowser(t)
  if (browser === undefined) return
  const { waymark, origin, url } = await startSite(t, { host: 'site.example' })
  const { email, password } = await addMember(waymark)
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/sign-in`)
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', password)
  await page.click('button[value=sign-in]')
  await page.waitForURL(`${url}/`)
  await page.goto(`${url}/sign-in`) // a server page whose button needs no script
  await page.click('text=Sign out')
  await page.waitForSelector('text=You are signed out')
  assert.deepEqual(pageErrors, [])
})
