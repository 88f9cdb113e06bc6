// Passkeys on the sign-in pages: the button, and autofill in the address field. Passkeys are added in the app.

const patience = 240_000 // a challenge lives five minutes

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )

const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Posts JSON. If it is refused, the error's message is the sentence to show. */
async function post(address, body, { unreachable, unexpected }) {
  let answer
  try {
    answer = await fetch(address, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  } catch {
    throw new Error(unreachable)
  }
  if (answer.status === 204) return undefined
  const document = await answer.json().catch(() => ({ detail: unexpected }))
  if (answer.ok) return document
  throw new Error(document.detail ?? `${document.title}.`)
}

const withBytes = (credential) => ({ ...credential, id: toBytes(credential.id) })

const request = (options) => ({
  ...options,
  challenge: toBytes(options.challenge),
  allowCredentials: (options.allowCredentials ?? []).map(withBytes),
})

const credentialOf = ({ id, rawId, type, response }) => ({
  id,
  rawId: toText(rawId),
  type,
  response: {
    clientDataJSON: toText(response.clientDataJSON),
    authenticatorData: toText(response.authenticatorData),
    signature: toText(response.signature),
    userHandle: response.userHandle === null ? null : toText(response.userHandle),
  },
})

function sentenceFor(error, { unused, elsewhere }) {
  const own = { NotAllowedError: unused, SecurityError: elsewhere }[error.name]
  return own ?? error.message
}

/** Runs the action of a button: one at a time, and announces errors. */
function whilePressed(place, sentences, act) {
  const button = place.querySelector('button')
  const said = place.querySelector('[role=alert]')
  return async () => {
    said.textContent = ''
    button.disabled = true
    try {
      await act()
    } catch (error) {
      said.textContent = sentenceFor(error, sentences)
    } finally {
      button.disabled = false
    }
  }
}

function offerSignIn(place) {
  const { passkeySignIn: next, options: optionsAddress, send } = place.dataset
  // During an upgrade of several nodes, the page may be of one that does not send them yet.
  const sentences = JSON.parse(place.dataset.sentences ?? '{}')
  let waiting = new AbortController()

  async function signIn(mediation, signal) {
    const publicKey = request(await post(optionsAddress, {}, sentences))
    const credential = await navigator.credentials.get({ publicKey, mediation, signal })
    await post(send, credentialOf(credential), sentences)
    location.replace(next)
  }

  /** Offers passkeys in the browser's autofill list of the address field, as long as the page is open. */
  async function offerInList() {
    waiting = new AbortController()
    const { signal } = waiting
    const timer = setTimeout(() => waiting.abort('renew'), patience)
    try {
      await signIn('conditional', signal)
    } catch (error) {
      if (signal.reason === 'renew') return whenSeen(offerInList)
      if (!signal.aborted) place.querySelector('[role=alert]').textContent = sentenceFor(error, sentences)
    } finally {
      clearTimeout(timer)
    }
  }

  async function offerWherePossible() {
    if (await PublicKeyCredential.isConditionalMediationAvailable?.()) await offerInList()
  }

  place.querySelector('button').addEventListener(
    'click',
    whilePressed(place, sentences, async () => {
      waiting.abort('pressed') // browsers allow one request at a time
      try {
        await signIn('optional')
      } catch (error) {
        void offerWherePossible()
        throw error
      }
    }),
  )
  place.hidden = false
  void offerWherePossible()
}

function whenSeen(act) {
  if (document.visibilityState === 'visible') return act()
  document.addEventListener('visibilitychange', act, { once: true })
}

if (window.PublicKeyCredential !== undefined) {
  document.querySelectorAll('[data-passkey-sign-in]').forEach(offerSignIn)
}
