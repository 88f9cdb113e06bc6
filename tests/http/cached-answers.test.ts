// Long bodies that are generated once: they count as memory exactly as long as clients read them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as ask, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import fastify from 'fastify'
import { anonymous } from '../../src/auth/guard.ts'
import { createCachedAnswers } from '../../src/http/cached-answers.ts'

const bodyBytes = 1_000

void test('issue 20, 3: a reader that disconnects while the body is built uses no memory for it', async (t) => {
  const app = fastify()
  t.after(() => app.close())
  const answers = createCachedAnswers({ maxBytes: bodyBytes, maxLentBytes: bodyBytes })
  const making: { readonly end: () => void; readonly isLeft: Promise<unknown> }[] = []
  app.get<{ Params: { name: string } }>('/:name', (request, reply) => {
    request.actor = anonymous
    request.charge = () => undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    making.push({ end: resolve, isLeft: once(reply.raw, 'close') })
    return answers.send(request, reply, {
      mediaType: 'text/plain',
      identity: request.params.name,
      isLong: false,
      cost: 0,
      chunks: async () => {
        await promise
        return ['x'.repeat(bodyBytes)]
      },
    })
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const beginMaking = async (name: string) => {
    const client = ask(`${url}/${name}`).end()
    client.on('error', () => undefined)
    while (making.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const [made] = making.splice(0)
    assert.ok(made)
    return { client, ...made }
  }

  const left = await beginMaking('left')
  left.client.destroy()
  await left.isLeft
  left.end()
  const stayed = await beginMaking('stayed')
  stayed.end()
  const [answer] = (await once(stayed.client, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 200)
  assert.equal(Buffer.concat(await answer.toArray()).length, bodyBytes)
})
