// Where the server is mounted: the path of PUBLIC_URL, which the shell around the app tells.
const told = document.querySelector<HTMLMetaElement>('meta[name="waymark-base"]')?.content ?? ''

/** Without a slash at its end; empty for the root. */
export const basePath = told.replace(/\/$/, '')

/** The path with that of PUBLIC_URL before it, for what the router does not know: pages of the server itself. */
export const href = (path: string): string => basePath + path

export const baseUrl = `${location.origin}${basePath}`
