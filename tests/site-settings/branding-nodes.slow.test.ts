// Two nodes on one PostgreSQL: what is chosen at one shows at the other, also where that had kept its pages in memory.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { until } from '../faults/harness/server.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { choose, plain, ridge, setPicture, textAt, transparentLogo } from './branding-helpers.ts'

void test('branding saved on one node shows on the other', { skip: whyNoPostgres() }, async (t) => {
  const ends: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const end of ends.toReversed()) await end()
  })
  const server = await startPostgres()
  ends.push(() => server.end())
  const webFolder = await makeTinyApp()
  ends.push(() => rm(webFolder, { recursive: true }))
  const DATABASE_URL = await server.createDatabase()
  const startNode = async (more: Record<string, string> = {}) => {
    const node = await startWaymark({ webFolder, environment: { WEB_APP: 'on', DATABASE_URL, ...more } })
    ends.push(() => node.close())
    return node
  }
  const one = await startNode()
  const other = await startNode({ SECRET_FILE: one.installation.config.secretFile })
  await one.addTrail(4711, 'Rim Trail', 'rim')
  const admin = await addSignedIn(one, 'admin')
  const pages = ['/', '/sign-in', '/embed/t/rim', '/manifest.webmanifest']
  for (const [look, name] of [
    [ridge, 'Ridge'],
    [plain, 'Waymark'],
    [{ ...ridge, name: 'Third' }, 'Third'],
  ] as const) {
    for (const page of [...pages, ...pages]) await textAt(other, page)
    await choose(admin, look)
    for (const page of pages) {
      assert.match(await textAt(one, page), new RegExp(name), page)
      await until(async () => (await textAt(other, page)).includes(name), `${page} at the other node`)
    }
  }
  const { logo } = await setPicture(one, admin, { bytes: await transparentLogo(100, 40) })
  const path = new URL(logo ?? '').pathname
  assert.equal((await other.fetch(path)).status, 200)
  await until(async () => (await textAt(other, '/sign-in')).includes(path), 'the logo at the other node')
})
