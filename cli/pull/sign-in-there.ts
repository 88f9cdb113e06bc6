// The credential for downloading originals: from `waymark login`, or the client or token in the environment.
import { userInfo } from 'node:os'
import {
  credentialFor,
  isOfAnotherServer,
  openLogins,
  remarkOnUnused,
  remoteFailure,
  sourceOf,
  withoutPrefix,
} from '../remote/connection.ts'
import { readRemoteSettings } from '../../src/settings/config.ts'
import { fail } from '../failures.ts'
import type { OriginalsPlace } from './originals.ts'

/** A command of root continues as another user, who has other sign-ins. */
function thisUser(): string {
  try {
    return `The user ${userInfo().username}`
  } catch {
    return 'This user'
  }
}

/** @param base the base URL of the other server. @throws one sentence if there is no sign-in for it. */
export async function openOriginals(base: string): Promise<OriginalsPlace> {
  const place = withoutPrefix(base)
  const { token, clientId } = readRemoteSettings()
  // WAYMARK_URL is often the operator's own server.
  const signIn = isOfAnotherServer(place) ? undefined : (token ?? clientId)
  try {
    const logins = openLogins()
    const login = await logins.tokensOf(place)
    if (signIn === undefined && login === undefined)
      throw fail(
        'signed-out',
        `${thisUser()} is not signed in to ${place}: run "waymark login --url ${place}" as this user, or set WAYMARK_CLIENT_ID and WAYMARK_CLIENT_SECRET_FILE.${remarkOnUnused(place)}`,
      )
    const credential =
      signIn === undefined && login ? sourceOf(place, logins, login) : await credentialFor(place, logins)
    const bearer = async (refused?: string): Promise<string> => {
      try {
        if (typeof credential.bearer === 'string') return credential.bearer
        return await credential.bearer(refused === undefined ? {} : { refused })
      } catch (error) {
        throw remoteFailure(error)
      }
    }
    return { base: place, signIn: signIn ?? login?.client?.clientId ?? place, bearer }
  } catch (error) {
    throw remoteFailure(error)
  }
}
