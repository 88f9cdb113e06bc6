// Proof Key for Code Exchange (RFC 7636), S256.

export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** 256 bits: a verifier of 43 characters, the minimum length. */
export function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

export async function challengeOf(verifier: string): Promise<string> {
  const { subtle } = globalThis.crypto as { subtle?: typeof crypto.subtle }
  if (subtle === undefined)
    throw new Error('Signing in needs a page over https or on localhost: browsers compute SHA-256 only there')
  return base64url(new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}
