// waymark login, waymark logout: signs in a user with a code approved in a browser, or a client with its secret.
import type { Command } from 'commander'
import { createWaymark } from '../../client/client.ts'
import { secretOf, type SecretOptions } from '../remote/client-secret.ts'
import {
  oauthOf,
  oauthOfClient,
  openLogins,
  remoteFailure,
  serverOf,
  urlOption,
  type RemoteOptions,
} from '../remote/connection.ts'
import type { ClientSecret, Login } from '../remote/logins.ts'
import { plainFetch } from '../remote/plain-fetch.ts'
import { stoppable } from '../long-work.ts'
import type { Output } from '../output.ts'

interface LoginOptions extends RemoteOptions, SecretOptions {}

const signedInAs = (baseUrl: string, bearer: string) =>
  createWaymark({ baseUrl, fetch: plainFetch, credential: { bearer } }).me.get()

/** Device flow: the user approves a code in a browser. */
async function signInPerson(baseUrl: string, output: Output, signal: AbortSignal): Promise<Login> {
  const { userCode, verificationUriComplete, poll } = await oauthOf(baseUrl).device({ signal })
  output.remark(`Open ${verificationUriComplete}`)
  output.remark(`and check that it shows the code ${userCode}. Waiting for approval…`)
  return poll(signal)
}

async function signInClient(baseUrl: string, client: ClientSecret, signal: AbortSignal): Promise<Login> {
  return { ...(await oauthOfClient(baseUrl, client).clientCredentials({ signal })), client }
}

export function addLogin(parent: Command, output: Output): void {
  parent
    .command('login')
    .description('sign in to a server, for upload, routes and review')
    .option(...urlOption)
    .option('--client-id <id>', 'sign in as a client that acts for its account, such as on a server')
    .option('--client-secret-file <file>', 'a file whose first line is its secret')
    .option('--client-secret-stdin', 'read its secret from the first line of stdin')
    .action(async (options: LoginOptions) => {
      const logins = openLogins()
      const baseUrl = await serverOf(options, logins)
      const client = await secretOf(options, () => output.remark('Client secret (not shown):'))
      const signedIn = await stoppable('The sign-in was cancelled.', async (signal) => {
        const login = client
          ? await signInClient(baseUrl, client, signal)
          : await signInPerson(baseUrl, output, signal)
        await logins.keep(baseUrl, login)
        return signedInAs(baseUrl, login.accessToken)
      }).catch((error: unknown) => {
        throw remoteFailure(error)
      })
      output.answer({
        document: { url: baseUrl, acctID: signedIn.acctID, displayName: signedIn.displayName },
        lines: [`Signed in to ${baseUrl} as ${signedIn.displayName}.`],
      })
    })
}

export function addLogout(parent: Command, output: Output): void {
  parent
    .command('logout')
    .description('sign out of a server and remove the stored credentials')
    .option(...urlOption)
    .action(async (options: RemoteOptions) => {
      const logins = openLogins()
      const baseUrl = await serverOf(options, logins)
      const tokens = await logins.tokensOf(baseUrl)
      if (tokens === undefined) {
        output.answer({
          document: { url: baseUrl, revoked: false },
          lines: [`You were not signed in to ${baseUrl}.`],
        })
        return
      }
      // Deleted locally even if the server cannot be reached: the tokens then expire by themselves.
      await logins.forget(baseUrl)
      const { client, refreshToken, accessToken } = tokens
      const token = refreshToken ?? (client ? accessToken : undefined)
      const isRevoked = token
        ? await (client ? oauthOfClient(baseUrl, client) : oauthOf(baseUrl)).revoke(token).then(
            () => true,
            () => false,
          )
        : false
      output.answer({
        document: { url: baseUrl, revoked: isRevoked },
        lines: [
          isRevoked
            ? `Signed out of ${baseUrl}.`
            : `Removed the stored credentials for ${baseUrl}, but the server could not be reached: revoke the access under Account → Applications there.`,
        ],
      })
    })
}
