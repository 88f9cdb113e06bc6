// The site's UI components on one page in a real browser; and that the harness detects faults.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import Fastify from 'fastify'
import { registerAssets } from '../../src/site/assets.ts'
import { button, choice, choices, field, form, hidden, notice } from '../../src/site/forms.ts'
import { html, type Html } from '../../src/site/html.ts'
import { plainBrand } from '../../src/site/brand.ts'
import { createSite } from '../../src/site/site.ts'
import {
  axeFindings,
  evaluate,
  findingsInBothColours,
  findingsInEveryLook,
  openBrowser,
  sidewaysScroll,
} from './harness.ts'

const long = 'Gratwanderungsgesellschaftsvorsitzende'.repeat(4)

function everyPart(): Html {
  return html`<p class="lead">Kestrel Maps would like to use your account. <a href="#">Who are they?</a></p>
    ${notice('good', 'Your address is confirmed.')} ${notice('bad', `The password is wrong: ${long}`)}
    ${notice('info', html`We sent you a letter. <a href="#">Send it again</a>`)}
    <div class="card">
      <h2>Sign in</h2>
      ${form({
        action: '/nowhere',
        label: 'Sign in',
        children: [
          hidden('ticket', '<&">'),
          field({
            name: 'email',
            label: 'Email',
            type: 'email',
            autocomplete: 'username',
            isRequired: true,
          }),
          field({
            name: 'password',
            label: 'Password',
            type: 'password',
            hint: 'At least twelve characters.',
            error: 'This password is too short.',
          }),
          field({
            name: 'about',
            label: 'About',
            type: 'textarea',
            value: '\nfirst line is empty',
            maxLength: 200,
          }),
          choices({
            kind: 'checkbox',
            name: 'scope',
            label: 'It may',
            hint: 'Take away what you do not want.',
            options: [
              { value: 'images:read', label: 'See your photos', hint: 'Those that wait for review, too.' },
              { value: 'images:write', label: 'Add and change photos' },
            ],
            values: ['images:read'],
          }),
          choices({
            kind: 'select',
            name: 'role',
            label: 'Role',
            options: [{ value: 'member', label: 'Member' }],
            error: 'Choose a role.',
          }),
          choice({
            name: 'remember',
            label: 'Stay signed in',
            isChecked: true,
            hint: 'Not on a shared computer.',
          }),
          button('Allow', { name: 'answer', value: 'allow' }),
          button('Do not allow', { name: 'answer', value: 'deny', kind: 'plain' }),
          button('Delete my account', { kind: 'danger' }),
        ],
      })}
    </div>
    <dl class="facts">
      <dt>Application</dt>
      <dd>${long}</dd>
      <dt>Code</dt>
      <dd><code>WDJB-MJHT</code></dd>
    </dl>
    <table>
      <caption>
        Sessions
      </caption>
      <thead>
        <tr>
          <th scope="col">Browser</th>
          <th scope="col">Last seen</th>
          <th scope="col">Address</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <td>Firefox on Linux</td>
          <td class="number">2026-05-14</td>
          <td>${long}</td>
        </tr>
      </tbody>
    </table>
    <pre><code>curl --header 'X-API-Key: ${long}'</code></pre>`
}

const outlineOfFocus = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
  return outlineStyle + ' ' + outlineWidth
})()`

interface Served {
  readonly origin: string
}

/** The kit page at /, and one with many faults at /wrong. */
async function serve(t: TestContext): Promise<Served> {
  const app = Fastify()
  const site = createSite('http://127.0.0.1', () => plainBrand('Waymark'))
  registerAssets(app)
  const viewer = { displayName: `Ana <b>${long}` }
  app.get('/', (_request, reply) => site.send(reply, { title: 'Every part', body: everyPart(), viewer }))
  const wrong = html`<p style="width: 200vw">styled in place</p>
    <img src="/missing.png" />
    <img src="http://elsewhere.example/pixel.png" alt="" />`
  app.get('/wrong', (_request, reply) => site.send(reply, { title: 'Wrong', body: wrong }))
  app.get('/broad', (_request, reply) =>
    reply
      .type('text/html')
      .send(`<!doctype html><p style="width: 200vw">broad</p><script>throw new Error('oh')</script>`),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(async () => app.close())
  return { origin: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` }
}

void test('axe finds nothing in any part of the component kit, and nothing scrolls sideways', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin } = await serve(t)
  const { page, pageErrors } = await browser.visit({ origins: [origin], widthPx: 320 })
  await page.goto(origin)
  assert.deepEqual(await findingsInBothColours(page, 'kit 320'), [])
  assert.deepEqual(await sidewaysScroll(page), [])
  assert.deepEqual(await findingsInEveryLook(page, 'kit'), [])
  assert.deepEqual(pageErrors, [])
})

void test('a form keeps its values as they were given, and its focus is visible', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin } = await serve(t)
  const { page, pageErrors } = await browser.visit({ origins: [origin], hasScripts: false })
  await page.goto(origin)
  assert.equal(await page.locator('[name=about]').inputValue(), '\nfirst line is empty')
  assert.equal(await page.locator('[name=ticket]').inputValue(), '<&">')
  assert.equal(await page.locator('.viewer a').textContent(), `Ana <b>${long}`)
  assert.match((await page.getByLabel('Password').getAttribute('aria-describedby')) ?? '', /hint .*error/)
  const outlines = new Set<unknown>()
  for (let presses = 0; presses < 14; presses += 1) {
    await page.keyboard.press('Tab')
    outlines.add(await evaluate(page, outlineOfFocus))
  }
  assert.deepEqual([...outlines], ['solid 3px'])
  assert.deepEqual(pageErrors, [])
})

void test('the harness notices CSP violations, requests to other servers, missing resources, errors, scrolling and axe findings', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin } = await serve(t)
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${origin}/wrong`)
  const reported = pageErrors.join('\n')
  assert.match(reported, /console: .*Content Security Policy/)
  assert.match(reported, /elsewhere\.example/)
  assert.match(reported, /status 404: .*missing\.png/)
  assert.match((await axeFindings(page)).join('\n'), /image-alt/)
  await page.goto(`${origin}/broad`)
  assert.match(pageErrors.join('\n'), /script: oh/)
  assert.match((await sidewaysScroll(page)).join('\n'), /of 1280 pixels[\s\S]*broad/)
})

void test('a route that is still at work when its test has ended fails nothing', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const asked = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    // The request of the script is never answered.
    if (request.url === '/slow') asked.resolve()
    else response.setHeader('content-type', 'text/html').end('<script>fetch("/slow")</script>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { page } = await browser.visit({ origins: [origin] })
  await page.route('**/slow', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response })
  })
  await page.goto(origin)
  await asked.promise
})
