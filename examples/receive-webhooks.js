// Receives webhooks: verifies the signature, answers at once, and ignores what it has seen before.
//
//   WEBHOOK_SECRET=whsec_… PORT=3000 node receive-webhooks.js
import { appendFile, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { isWaymarkProblem, readWebhook } from '@waymark/client'

const { WEBHOOK_SECRET: secret = '', PORT: port = '3000' } = process.env

/** A webhook may arrive twice, also across restarts. A real receiver keeps the IDs in its database. */
const seenFile = 'seen.txt'
const seen = new Set((await readFile(seenFile, 'utf8').catch(() => '')).split('\n'))

/** @param {import('node:http').IncomingMessage} request */
async function receive(request) {
  const { id, type, data } = await readWebhook({
    headers: request.headers,
    body: await text(request),
    secret,
  })
  if (seen.has(id)) return
  seen.add(id)
  await appendFile(seenFile, `${id}\n`)
  console.log(type, JSON.stringify(data))
}

const server = createServer((request, response) => {
  receive(request).then(
    () => response.writeHead(204).end(),
    // 400 for what is not from Waymark; 500 makes Waymark send it again later.
    (error) => response.writeHead(isWaymarkProblem(error) ? 400 : 500).end(),
  )
})
server.listen(Number(port), '127.0.0.1', () =>
  console.log(`listening on ${JSON.stringify(server.address())}`),
)
