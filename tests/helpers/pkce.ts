// The two halves of PKCE with S256 (RFC 7636).
import { createHash, randomBytes } from 'node:crypto'

export const newVerifier = (): string => randomBytes(32).toString('base64url')

export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url')
