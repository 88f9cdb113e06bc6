// A page on an origin of its own that signs users in with PKCE and lists their photos. It has no server and no secret.
import { createOauth, createTokenSource, createWaymark, isWaymarkProblem } from '@waymark/client'

const baseUrl = 'https://trails.example'
const clientId = 'YOUR_CLIENT'

const redirectUri = location.origin + location.pathname // as it is registered for the application
const oauth = createOauth({ baseUrl, clientId, redirectUri, scopes: ['images:read'] })

/** @param {string} selector */
const element = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector))
/** @param {string} text */
const say = (text) => (element('[role=status]').textContent = text)

/** What went wrong, in the words of the server. @param {unknown} error */
function report(error) {
  const isRefusal = isWaymarkProblem(error) && error.code === 'access_denied'
  say(isRefusal ? 'You did not allow it.' : String(error))
}

async function signIn() {
  const { url, verifier, state } = await oauth.begin()
  sessionStorage.setItem('sign-in', JSON.stringify({ verifier, state }))
  location.assign(url)
}

/** The user has come back, with a code in the address. */
async function comeBack() {
  const begun = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}')
  sessionStorage.removeItem('sign-in')
  const callbackUrl = location.href
  history.replaceState(null, '', redirectUri) // a code works once: a reload must not send it again
  // Tokens stay in memory: whatever is in localStorage can be read by every script of the origin.
  const credential = createTokenSource(await oauth.finish(callbackUrl, begun), {
    refresh: ({ refreshToken = '' }) => oauth.refresh(refreshToken),
  })
  element('#sign-in').hidden = true
  element('#sign-out').hidden = false
  element('#sign-out').addEventListener('click', () => void signOut(credential).catch(report))
  const waymark = createWaymark({ baseUrl, credential })
  const { displayName } = await waymark.me.get()
  say(`Signed in as ${displayName}`)
  for await (const image of waymark.images.each()) {
    const item = document.createElement('li')
    item.textContent = `${image.title || 'Untitled'} (${image.trailName})`
    element('ul').append(item)
  }
}

/** @param {ReturnType<typeof createTokenSource>} credential */
async function signOut(credential) {
  await oauth.revoke(credential.tokens().refreshToken ?? '')
  location.replace(redirectUri)
}

element('#sign-in').addEventListener('click', () => void signIn().catch(report))
element('#sign-in').hidden = false // only now does a click do something
if (new URLSearchParams(location.search).has('state')) comeBack().catch(report)
