// Signs a user in from a terminal, keeps the tokens, and lists the user's photos. Started again, it needs no sign-in.
//
//   WAYMARK_URL=… CLIENT_ID=… node device-login.js
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createOauth, createTokenSource, createWaymark } from '@waymark/client'

const { WAYMARK_URL: baseUrl = '', CLIENT_ID: clientId = '' } = process.env
const oauth = createOauth({ baseUrl, clientId, scopes: ['images:read'] })

const tokensFile = 'tokens.json'

/** Only the user may read them. @param {import('@waymark/client').Tokens} tokens */
async function saveTokens(tokens) {
  await writeFile(`${tokensFile}.new`, JSON.stringify(tokens), { mode: 0o600 })
  await rename(`${tokensFile}.new`, tokensFile)
}

/** @returns {Promise<import('@waymark/client').Tokens>} */
async function signIn() {
  const device = await oauth.device()
  console.log(`Open ${device.verificationUri} and enter ${device.userCode}`)
  const tokens = await device.poll()
  await saveTokens(tokens)
  return tokens
}

const kept = await readFile(tokensFile, 'utf8').catch(() => undefined)
const tokens = kept === undefined ? await signIn() : JSON.parse(kept)

// A refresh token works once: the new one is on disk before it is used.
const credential = createTokenSource(tokens, {
  refresh: ({ refreshToken = '' }) => oauth.refresh(refreshToken),
  onTokens: saveTokens,
})
const waymark = createWaymark({ baseUrl, credential })
for await (const image of waymark.images.each()) console.log(image.imageID, image.status, image.title)
