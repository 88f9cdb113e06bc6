// An unknown URL: a page for browsers, a problem document for other clients (C37).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWaymark } from '../helpers/waymark.ts'

void test('C37: a mistyped address returns a page to a browser, and a problem to a program that accepts the same', async (t) => {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const visit = await waymark.fetch('/uplaod', { headers: { accept, 'sec-fetch-dest': 'document' } })
  assert.deepEqual([visit.status, visit.headers.get('content-type')], [404, 'text/html; charset=utf-8'])
  assert.match(await visit.text(), /<h1>Not Found<\/h1>[\s\S]*It may be mistyped[\s\S]*Go to the start page/)
  const program = await waymark.fetch('/uplaod', { headers: { accept } })
  assert.deepEqual(
    [program.status, program.headers.get('content-type')],
    [404, 'application/problem+json; charset=utf-8'],
  )
})
