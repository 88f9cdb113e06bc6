// How a receiver tells that a webhook comes from here: the same as docs/webhooks.md has it.
// Apart, since no import of ours may name it: the line is for the receiver's server, and only text here.
const itsLibrary = `from 'node:crypto'`

export const signatureCheck = `import { createHmac, timingSafeEqual } ${itsLibrary}

export function isFromWaymark(headers, body, secret, now = Date.now()) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(now / 1000 - Number(at)) < 300)) return false // five minutes: an older one may be a replay
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = Buffer.from(\`v1,\${createHmac('sha256', key).update(\`\${id}.\${at}.\${body}\`).digest('base64')}\`)
  const isEqual = (given) => given.length === expected.length && timingSafeEqual(given, expected)
  return signatures.split(' ').some((signature) => isEqual(Buffer.from(signature)))
}`
