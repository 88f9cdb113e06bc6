// Database cost of changing a route: a rename deletes nothing that cannot exist.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SqliteQueryCompiler, type KyselyPlugin } from 'kysely'
import { startWaymark } from '../helpers/waymark.ts'

const statements: string[] = []
const compiler = new SqliteQueryCompiler()
const noting: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => {
    statements.push(compiler.compileQuery(node, queryId).sql)
    return node
  },
  transformResult: async ({ result }) => result,
}

const waymark = await startWaymark({ wrapDb: (db) => db.withPlugin(noting) })
after(() => waymark.close())
const ana = await waymark.addPerson()
const headers = { 'content-type': 'application/json' }
const routes = '/v2/routes'

async function addRoute(): Promise<string> {
  const body = JSON.stringify({ name: 'Ridge' })
  const made = await waymark.fetch(`/Accounts/${ana.accountId}/Routes`, {
    method: 'POST',
    token: ana.token,
    headers,
    body,
  })
  assert.equal(made.status, 201)
  return made.text()
}

/** @returns the tables with deletions. */
async function deletedBy(id: string, change: object): Promise<string[]> {
  statements.length = 0
  const body = JSON.stringify(change)
  const answer = await waymark.fetch(`${routes}/${id}`, { method: 'PATCH', token: ana.token, headers, body })
  assert.equal(answer.status, 200, await answer.text())
  return [...new Set(statements.flatMap((text) => /^delete from "(\w+)"/.exec(text)?.[1] ?? []))].toSorted()
}

const listed = ['public_route', 'route_trail']

void test('a rename deletes no cached response, whatever the visibility of the route', async () => {
  const id = await addRoute()
  assert.deepEqual(await deletedBy(id, { name: 'Valley' }), [])
  for (const visibility of ['link', 'public']) {
    await deletedBy(id, { visibility })
    const deleted = await deletedBy(id, { name: `Valley, ${visibility}` })
    assert.deepEqual(
      deleted.filter((table) => !listed.includes(table)),
      [],
    )
  }
})

void test('a route that fewer people may see leaves the list, and a private one is not cached for others', async () => {
  const id = await addRoute()
  await deletedBy(id, { visibility: 'public' })
  assert.deepEqual(await deletedBy(id, { visibility: 'link' }), listed)
  await deletedBy(id, { visibility: 'public' })
  assert.deepEqual(await deletedBy(id, { visibility: 'private' }), [
    'public_route',
    'route_shown',
    'route_trail',
  ])
})
