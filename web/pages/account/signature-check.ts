// The code with which a receiver verifies a webhook: the same as in docs/webhooks.md.
// In a file of its own, because its import statement is only text here, for the receiver's server.
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
