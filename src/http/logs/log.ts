// The log of the process: created before anything that may need it, and passed to Fastify.
import type { FastifyBaseLogger } from 'fastify'
import { pino, stdSerializers } from 'pino'
import type { Logger } from '../server.ts'

/** @param logger where lines go, and from which level on; undefined for nowhere. */
export function createLog(logger: Logger | undefined): FastifyBaseLogger {
  if (logger === undefined) return pino({ enabled: false })
  const { level, stream, base } = logger
  return pino({ level, base, serializers: { err: stdSerializers.err } }, stream)
}
