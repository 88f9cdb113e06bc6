// The path at which the server is mounted: the path of PUBLIC_URL, from the page's HTML. On the server, the address of
// this instance of the app contains PUBLIC_URL (web/server.tsx).
const isInBrowser = typeof document !== 'undefined'
const ofInstance = new URL(new URL(import.meta.url).searchParams.get('publicUrl') ?? 'http://127.0.0.1')

const written = isInBrowser
  ? (document.querySelector<HTMLMetaElement>('meta[name="waymark-base"]')?.content ?? '')
  : ofInstance.pathname

/** Without a slash at its end; empty for the root. */
export const basePath = written.replace(/\/$/, '')

/** The path with that of PUBLIC_URL in front, for pages of the server, which the router does not know. */
export const href = (path: string): string => basePath + path

export const baseUrl = `${isInBrowser ? location.origin : ofInstance.origin}${basePath}`
