// Serves a folder of photos through ipx as in its documentation, and sends its port to the parent: `node ipx-server.ts
// <ipx> <folder>`.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'

/** The parts of ipx in use; its own types exist only if it is installed. */
interface Ipx {
  ipxFSStorage(options: { readonly dir: string }): unknown
  createIPX(options: { readonly storage: unknown }): unknown
  createIPXNodeServer(ipx: unknown): RequestListener
}

const [, , module = '', dir = ''] = process.argv
const { createIPX, createIPXNodeServer, ipxFSStorage } = (await import(pathToFileURL(module).href)) as Ipx
const server = createServer(createIPXNodeServer(createIPX({ storage: ipxFSStorage({ dir }) })))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)
