// Which credentials `waymark verify` may send to a server, which may be someone else's.
import { readRemoteSettings } from '../../src/settings/config.ts'
import { wrongUsage } from '../failures.ts'
import { isOfAnotherServer, openLogins, remoteFailure, sourceOf } from '../remote/connection.ts'

export interface Credentials {
  readonly apiKey: string | undefined
  /** Renewed when it expires. */
  readonly token: (() => Promise<string>) | undefined
  /** All credentials used so far, which must not be printed. */
  readonly secrets: ReadonlySet<string>
  /** One sentence, if a credential is available but not used. */
  readonly remark: string | undefined
}

function checked(variable: string, text: string): string {
  if (!/^[\x21-\x7E]+$/.test(text))
    throw wrongUsage(`${variable} contains characters that are not allowed in a credential, such as a space.`)
  return text
}

/** Credentials in the environment are for the server at WAYMARK_URL, if set; a sign-in is for its own server. */
export async function credentialsFor(baseUrl: string): Promise<Credentials> {
  const settings = readRemoteSettings()
  const isForAnother = isOfAnotherServer(baseUrl)
  const secrets = new Set<string>()
  const given = (variable: string, text: string | undefined): string | undefined => {
    if (text === undefined || isForAnother) return undefined
    secrets.add(checked(variable, text))
    return text
  }
  const apiKey = given('WAYMARK_API_KEY', settings.apiKey)
  const token = given('WAYMARK_TOKEN', settings.token)
  const isUnused = isForAnother && (settings.apiKey ?? settings.token) !== undefined
  const remark = isUnused
    ? `WAYMARK_URL is ${settings.url}, so WAYMARK_API_KEY and WAYMARK_TOKEN are not sent to ${baseUrl}.`
    : undefined
  if (token !== undefined) return { apiKey, token: async () => token, secrets, remark }
  const logins = openLogins()
  const tokens = await logins.tokensOf(baseUrl)
  const source = tokens && sourceOf(baseUrl, logins, tokens)
  const renewed = async (): Promise<string> => {
    const bearer = await source?.bearer().catch((error: unknown) => {
      throw remoteFailure(error)
    })
    secrets.add(bearer ?? '')
    return bearer ?? ''
  }
  return { apiKey, token: source && renewed, secrets, remark }
}
