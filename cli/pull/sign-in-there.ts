// The credential for downloading originals: from `waymark login`, or the client or token in the environment.
import { credentialFor, openLogins, remoteFailure } from '../remote/connection.ts'
import { readRemoteSettings } from '../../src/settings/config.ts'
import type { OriginalsPlace } from './originals.ts'

/** Prefixes of the classic API, which v2 does not have. */
const classicPrefix = /\/(?:v1|v1\.6)$/i

/** @param base the base URL of the other server. @throws one sentence if there is no sign-in for it. */
export async function openOriginals(base: string): Promise<OriginalsPlace> {
  const place = base.replace(classicPrefix, '')
  const { token, clientId } = readRemoteSettings()
  try {
    const logins = openLogins()
    const credential = await credentialFor(place, logins)
    const login = await logins.tokensOf(place)
    const bearer = async (refused?: string): Promise<string> => {
      try {
        if (typeof credential.bearer === 'string') return credential.bearer
        return await credential.bearer(refused === undefined ? {} : { refused })
      } catch (error) {
        throw remoteFailure(error)
      }
    }
    return { base: place, signIn: token ?? clientId ?? login?.client?.clientId ?? place, bearer }
  } catch (error) {
    throw remoteFailure(error)
  }
}
