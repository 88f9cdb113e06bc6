// Every answer of /v2/me… is as /openapi.json documents it: status and form of what succeeds, and of what is refused.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { servedDocument } from '../helpers/openapi.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())

void test('Part D: own account: every response is documented', async () => {
  const document = await servedDocument(waymark)
  const member = await addSignedIn(waymark)
  const { password } = member
  const seen: string[] = []

  /** Ids of the path by name, then the body. @returns what was answered. */
  async function holds(
    status: number,
    operation: string,
    ids: Record<string, string> = {},
    body?: unknown,
  ): Promise<Record<string, string>> {
    const [method = '', path = ''] = operation.split(' ')
    const address = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? 'none')
    const answer = await member.call(method, address, body)
    assert.equal(answer.status, status, `${operation}: ${answer.text}`)
    seen.push(operation)
    const response = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)]
    assert.ok(response, `${operation} does not document ${status}`)
    if (status === 204) return {}
    const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? ''
    const schema = response.content?.[mediaType]?.schema
    assert.ok(schema, `${operation} does not document ${mediaType}`)
    const validator = Compile(schema)
    const value = JSON.parse(answer.text) as Record<string, string>
    assert.ok(validator.Check(value), `${operation}: ${JSON.stringify(validator.Errors(value))}`)
    return value
  }

  await holds(200, 'GET /v2/me')
  await holds(200, 'PATCH /v2/me', {}, { displayName: 'Ann' })
  await holds(400, 'PATCH /v2/me', {}, { displayName: '' })
  const { prefix = '' } = await holds(201, 'POST /v2/me/keys', {}, { name: 'Site', expiresAt: null })
  const rotated = await holds(201, 'POST /v2/me/keys/{prefix}/rotate', { prefix }, { overlapSeconds: 9 })
  await holds(409, 'POST /v2/me/keys/{prefix}/rotate', { prefix })
  await holds(200, 'GET /v2/me/keys')
  await holds(204, 'DELETE /v2/me/keys/{prefix}', { prefix: rotated['prefix'] ?? '' })
  await holds(404, 'DELETE /v2/me/keys/{prefix}')
  const client = { name: 'App', scopes: ['images:read'] }
  const { clientId = '' } = await holds(201, 'POST /v2/me/clients', {}, client)
  await holds(200, 'GET /v2/me/clients')
  await holds(200, 'GET /v2/me/clients/{clientId}', { clientId })
  await holds(200, 'PATCH /v2/me/clients/{clientId}', { clientId }, { name: 'Other' })
  await holds(201, 'POST /v2/me/clients/{clientId}/secret', { clientId })
  await holds(204, 'DELETE /v2/me/clients/{clientId}', { clientId })
  await holds(404, 'GET /v2/me/clients/{clientId}', { clientId })
  await holds(200, 'GET /v2/me/apps')
  await holds(404, 'DELETE /v2/me/apps/{clientId}')
  await holds(200, 'GET /v2/me/sessions')
  await holds(404, 'DELETE /v2/me/sessions/{sessionId}')
  await holds(204, 'DELETE /v2/me/sessions')
  await holds(403, 'PUT /v2/me/email', {}, { email: 'x@trails.example', password: 'no' })
  await holds(200, 'PUT /v2/me/email', {}, { email: 'x@trails.example', password })
  await holds(204, 'POST /v2/me/password', {}, { current: password, password: 'another one' })

  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  // Leaving and the takeout are for tests/account-data, whose answers are held to the document as every test's are.
  const own = documented
    .filter((operation) => / \/v2\/me(\/(?!passkey|zones|takeout)|$)/.test(operation))
    .filter((operation) => operation !== 'DELETE /v2/me')
  assert.deepEqual(own.toSorted(), [...new Set(seen)].toSorted())
})
