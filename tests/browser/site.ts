// A Waymark whose PUBLIC_URL is the URL that a browser uses, as cookies, forms and redirects require.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { startWaymark, type Waymark, type WaymarkOptions } from '../helpers/waymark.ts'

export interface ServedSite {
  readonly waymark: Waymark
  /** Without the path. */
  readonly origin: string
  /** PUBLIC_URL: the origin and the mount path. */
  readonly url: string
}

export interface SiteOptions extends WaymarkOptions {
  /** `/photos` */
  readonly mountPath?: string
  /** The host of PUBLIC_URL: passkeys require a name, and browsers trust plain http only on loopback. */
  readonly host?: '127.0.0.1' | 'localhost' | 'site.example'
  /** With the web app from `npm run build` in dist/web; WEB_FOLDER names another build. */
  readonly hasApp?: boolean
}

/** The port must be known before Waymark starts, so a socket listens first and forwards every connection. */
export async function startSite(
  t: TestContext,
  { mountPath = '', host = '127.0.0.1', hasApp = false, environment, ...options }: SiteOptions = {},
): Promise<ServedSite> {
  const sockets = new Set<Socket>()
  const front = createServer((incoming) => {
    const outgoing = connect(Number(new URL(waymark.url).port), '127.0.0.1')
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy()).once('close', () => sockets.delete(socket))
      socket.pipe(other)
    }
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  const origin = `http://${host}:${(front.address() as AddressInfo).port}`
  const url = origin + mountPath
  const { WEB_FOLDER: webFolder } = process.env
  const waymark = await startWaymark({
    // A slow render would give an empty page, which stays empty without scripts.
    renderMs: 60_000,
    ...(webFolder !== undefined && { webFolder }),
    ...options,
    environment: { ...environment, PUBLIC_URL: url, ...(hasApp && { WEB_APP: 'on' }) },
  })
  t.after(async () => {
    front.close()
    for (const socket of sockets) socket.destroy()
    await waymark.close()
  })
  return { waymark, origin, url }
}
