// A third-party application at its own origin: a page whose script signs people in with Waymark and calls the API.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface TestApplication {
  readonly origin: string
  /** Where its page receives the code by script. */
  readonly redirectUri: string
  /** Where its server receives the code, for browsers without scripts. */
  readonly plainUri: string
  /** What its server has received. */
  readonly received: readonly URL[]
}

/** Uses only what browsers have: PKCE, fetch, no cookies. */
const script = (waymarkUrl: string, clientId: string, scope: string): string => `
const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const redirectUri = location.origin + '/back'
const say = (text) => { document.querySelector('output').textContent = text }
const discover = async () =>
  (await fetch('${waymarkUrl}/.well-known/oauth-authorization-server')).json()

async function signIn() {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  sessionStorage.verifier = verifier
  sessionStorage.state = base64url(crypto.getRandomValues(new Uint8Array(16)))
  const challenge = base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  const address = new URL((await discover()).authorization_endpoint)
  address.search = new URLSearchParams({
    client_id: '${clientId}', response_type: 'code', redirect_uri: redirectUri, scope: '${scope}',
    state: sessionStorage.state, code_challenge: challenge, code_challenge_method: 'S256',
  })
  location.assign(address)
}

async function post(address, form) {
  const answer = await fetch(address, { method: 'POST', body: new URLSearchParams({ client_id: '${clientId}', ...form }) })
  return { status: answer.status, ...JSON.parse((await answer.text()) || '{}') }
}

async function goOn() {
  const query = new URLSearchParams(location.search)
  if (query.get('error')) return say('refused: ' + query.get('error'))
  if (query.get('state') !== sessionStorage.state) return say('another state')
  const { token_endpoint, revocation_endpoint } = await discover()
  const tokens = await post(token_endpoint, {
    grant_type: 'authorization_code', code: query.get('code'), redirect_uri: redirectUri,
    code_verifier: sessionStorage.verifier,
  })
  const renewed = await post(token_endpoint, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
  const ask = () => fetch('${waymarkUrl}/v2/images?status=pending', { headers: { Authorization: 'Bearer ' + renewed.access_token } })
  const images = await ask()
  const { items } = await images.json()
  const revoked = await post(revocation_endpoint, { token: renewed.access_token })
  const after = await ask()
  await after.text()
  say(['token', tokens.status, 'refresh', renewed.status, 'images', images.status, items.length,
    'revoked', revoked.status, 'after', after.status].join(' '))
}

document.querySelector('button').addEventListener('click', () => signIn().catch((error) => say(String(error))))
if (location.pathname === '/back') goOn().catch((error) => say(String(error)))
`

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title>
<h1>Gallery</h1><button>Sign in with Waymark</button><output></output><script src="/app.js"></script></html>`

/** `describe` returns the client, once the origin is known. */
export async function startApplication(
  t: TestContext,
  register: (
    redirectUris: readonly string[],
  ) => Promise<{ waymarkUrl: string; clientId: string; scope: string }>,
): Promise<TestApplication> {
  const received: URL[] = []
  let code = ''
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname === '/plain') received.push(url)
    const [type, body] =
      url.pathname === '/app.js' ? ['text/javascript', code] : ['text/html; charset=utf-8', page]
    const isThere = url.pathname !== '/favicon.ico'
    response.writeHead(isThere ? 200 : 204, { 'Content-Type': type }).end(isThere ? body : undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [redirectUri, plainUri] = [`${origin}/back`, `${origin}/plain`]
  const { waymarkUrl, clientId, scope } = await register([redirectUri, plainUri])
  code = script(waymarkUrl, clientId, scope)
  return { origin, redirectUri, plainUri, received }
}
