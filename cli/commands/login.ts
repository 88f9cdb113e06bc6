// waymark login, waymark logout: signs a person in to a server by a code that they type into their browser.
import type { Command } from 'commander'
import { createWaymark } from '../../client/client.ts'
import {
  oauthOf,
  openLogins,
  remoteFailure,
  serverOf,
  urlOption,
  type RemoteOptions,
} from '../remote/connection.ts'
import { plainFetch } from '../remote/plain-fetch.ts'
import { stoppable } from '../long-work.ts'
import type { Output } from '../output.ts'

export function addLogin(parent: Command, output: Output): void {
  parent
    .command('login')
    .description('sign in to a server, for upload, routes and review')
    .option(...urlOption)
    .action(async (options: RemoteOptions) => {
      const logins = openLogins()
      const baseUrl = await serverOf(options, logins)
      const signedIn = await stoppable('The sign-in was cancelled.', async (signal) => {
        const { userCode, verificationUriComplete, poll } = await oauthOf(baseUrl).device({ signal })
        output.remark(`Open ${verificationUriComplete}`)
        output.remark(`and check that it shows the code ${userCode}. Waiting for approval…`)
        const tokens = await poll(signal)
        await logins.keep(baseUrl, tokens)
        const bearer = { bearer: tokens.accessToken }
        return createWaymark({ baseUrl, credential: bearer, fetch: plainFetch }).me.get()
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
      // Forgotten even where the server cannot be told: it lets the tokens end by themselves.
      await logins.forget(baseUrl)
      const told = tokens.refreshToken
        ? await oauthOf(baseUrl)
            .revoke(tokens.refreshToken)
            .then(
              () => true,
              () => false,
            )
        : false
      output.answer({
        document: { url: baseUrl, revoked: told },
        lines: [
          told
            ? `Signed out of ${baseUrl}.`
            : `Removed the stored credentials for ${baseUrl}, but the server could not be reached: revoke the access under Account → Applications there.`,
        ],
      })
    })
}
