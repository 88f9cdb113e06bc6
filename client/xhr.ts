// XMLHttpRequest with the interface of fetch: in browsers, the only way to get upload progress.
import type { Fetch } from './transport.ts'

/** The part of the platform's class that is used here; not every runtime has its types. */
interface Xhr {
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  send(body: unknown): void
  abort(): void
  getAllResponseHeaders(): string
  responseType: string
  withCredentials: boolean
  readonly response: unknown
  readonly status: number
  readonly upload: {
    addEventListener(
      type: 'progress',
      listener: (event: { readonly loaded: number; readonly total: number }) => void,
    ): void
  }
  addEventListener(type: 'load' | 'error' | 'abort', listener: () => void): void
}

function headersOf(text: string): Headers {
  const headers = new Headers()
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return headers
}

/** These statuses have no body, and Response refuses even an empty one. */
const withoutBody = new Set([204, 205, 304])

/** @returns undefined if the platform has none, such as in a service worker. */
export function sendByXhr(
  onProgress: (progress: { sentBytes: number; totalBytes: number }) => void,
): Fetch | undefined {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Xhr }
  if (XMLHttpRequest === undefined) return undefined
  return (url, init) =>
    new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest()
      const { signal } = init
      const abort = (): void => xhr.abort()
      const end = (settle: () => void) => () => {
        signal?.removeEventListener('abort', abort)
        settle()
      }
      xhr.open(init.method ?? 'GET', url)
      xhr.responseType = 'arraybuffer'
      for (const [name, value] of new Headers(init.headers)) xhr.setRequestHeader(name, value)
      xhr.upload.addEventListener('progress', ({ loaded, total }) =>
        onProgress({ sentBytes: loaded, totalBytes: total }),
      )
      const onLoad = (): void => {
        const body = withoutBody.has(xhr.status) ? null : (xhr.response as ArrayBuffer)
        resolve(new Response(body, { status: xhr.status, headers: headersOf(xhr.getAllResponseHeaders()) }))
      }
      xhr.addEventListener('load', end(onLoad))
      xhr.addEventListener(
        'error',
        end(() => reject(new TypeError('The connection failed'))),
      )
      xhr.addEventListener(
        'abort',
        end(() => reject(new TypeError('The upload was aborted'))),
      )
      signal?.addEventListener('abort', abort, { once: true })
      xhr.send(init.body)
      if (signal?.aborted) xhr.abort()
    })
}
