// The output of `--demo`: at its first start the secrets, which are shown only then, and what to try; later how to
// create new ones.
import { commandName } from '../settings/application.ts'
import type { PersonName } from './demo-trail.ts'
import { people, personNames } from './people.ts'

export interface Secrets {
  readonly passwords: Readonly<Record<PersonName, string>>
  readonly apiKey: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface Welcome {
  readonly publicUrl: string
  readonly imageHandlerUrl: string
  readonly trailId: number
  /** A published photo, and a pending one. */
  readonly listedImageId: number
  readonly pendingImageId: number
  readonly adminId: number
  /** A public route that a privacy zone clips. */
  readonly clippedRouteId: number | undefined
}

export function welcomeText(secrets: Secrets, { publicUrl, ...welcome }: Welcome): string {
  const { passwords, apiKey, clientId, clientSecret } = secrets
  const accounts = personNames.map((name) => {
    const { role, email } = people[name]
    return `  ${role.padEnd(9)} ${email.padEnd(24)} ${passwords[name]}`
  })
  return [
    '',
    'The demo is ready, with made-up trails, people, routes and photos. Do not store real data in it.',
    'These secrets are shown only once:',
    '',
    'Accounts and their passwords',
    ...accounts,
    '',
    `Open ${publicUrl} in a browser and sign in as one of them.`,
    '',
    'An API key for reading published photos, and a client whose tokens act as the admin',
    `  API key        ${apiKey}`,
    `  client id      ${clientId}`,
    `  client secret  ${clientSecret}`,
    '',
    'To try, in another terminal:',
    '',
    `  curl '${publicUrl}/Trails/${welcome.trailId}/Images/?api_key=${apiKey}'`,
    `  curl -o photo.jpg '${welcome.imageHandlerUrl}?id=${welcome.listedImageId}&t=lg'`,
    `  TOKEN=$(curl -s -u '${clientId}:${clientSecret}' -d grant_type=client_credentials \\`,
    `    '${publicUrl}/oauth/token' | grep -o '"access_token":"[^"]*' | cut -d'"' -f4)`,
    `  curl -H "Authorization: Bearer $TOKEN" '${publicUrl}/v2/images?status=pending'`,
    `  curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `    -d '{"decision": "approve"}' '${publicUrl}/v2/images/${welcome.pendingImageId}/review'`,
    `  curl -H "Authorization: Bearer $TOKEN" '${publicUrl}/Accounts/${welcome.adminId}/Routes'`,
    ...(welcome.clippedRouteId === undefined
      ? []
      : [`  curl '${publicUrl}/v2/routes/${welcome.clippedRouteId}.geojson'`]),
    '',
    '',
  ].join('\n')
}

/** @param adminId the account for new ones. */
export function againText(adminId: number | undefined): string {
  const account = `--account ${adminId ?? '<id>'} --name demo`
  return [
    'The demo already exists. Its secrets were shown when it was created; create new ones with',
    `  ${commandName} keys create ${account}`,
    `  ${commandName} clients create ${account} --scope "images:read images:write images:review"`,
    'For a new demo with new passwords, set DATA_DIR to an empty folder and start again.',
    '',
  ].join('\n')
}
