// The server with all its endpoints. The last to start and the first to close, so that what it needs ends after its
// requests.
import type { FastifyInstance } from 'fastify'
import type { Module } from './module.ts'

interface Needs {
  readonly server: FastifyInstance
  readonly dataExports: { close(): Promise<void> }
}

export const serving: Module<Needs, object> = {
  name: 'serving',
  start: async ({ server, dataExports }) => {
    await server.ready()
    return {
      gives: {},
      close: async () => {
        await dataExports.close() // may take hours to send
        await server.close()
      },
    }
  },
}
