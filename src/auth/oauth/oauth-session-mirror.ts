// Keeps the provider's browser session in step with ours: it is valid only while the same user is signed in here.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider, Session } from 'oidc-provider'

/** Removes cookies from a Cookie header, by name. */
function withoutCookies(header: string, names: readonly string[]): string {
  return header
    .split(';')
    .filter((pair) => !names.includes(pair.split('=', 1)[0]?.trim() ?? ''))
    .join(';')
}

export function createProviderSessions(
  provider: Provider,
  signedInAs: (cookies: string | undefined) => Promise<number | undefined>,
) {
  const name = provider.cookieName('session')

  // If a form arrives without its cookie, the provider has a session that was never stored, tries to store it again,
  // and fails with a 500.
  const { persist } = provider.Session.prototype
  provider.Session.prototype.persist = async function (this: Session) {
    return this.exp === undefined ? '' : persist.call(this)
  }

  return {
    /**
     * If the user has signed out here or signed in as someone else, the provider no longer knows them and asks us
     * again. Without this its session would outlive ours, and the next person at the browser would act as the previous
     * one.
     */
    forgetStranger: async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { cookie } = request.headers
      if (!cookie?.includes(name)) return
      const id = provider.createContext(request, response).cookies.get(name)
      const theirs = id === undefined ? undefined : (await provider.Session.find(id))?.accountId
      if (theirs === undefined || theirs === String(await signedInAs(cookie))) return
      request.headers.cookie = withoutCookies(cookie, [name, `${name}.sig`])
    },
  }
}
