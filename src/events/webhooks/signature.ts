// Secrets and signatures as Standard Webhooks has them.
import { createHmac, randomBytes } from 'node:crypto'

const secretMark = 'whsec_'
const secretBytes = 32

export const newSecret = (): string => secretMark + randomBytes(secretBytes).toString('base64')

export interface Signed {
  readonly id: string
  /** In whole seconds since 1970, of the attempt. */
  readonly timestamp: number
  readonly body: string
}

/** The value of the header webhook-signature. */
export function signatureOf(secret: string, { id, timestamp, body }: Signed): string {
  const key = Buffer.from(secret.slice(secretMark.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
