// Preloaded into a server to make it faulty: each POST opens a file and a connection.
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'

subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: IncomingMessage }
  if (request.method !== 'POST') return
  readFileSync('/etc/passwd')
  connect(9, '127.0.0.1').on('error', () => undefined)
})
