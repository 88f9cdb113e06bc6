// GET /health/live and /health/ready: does the process turn, and can it do its work (contract D3).
import type { FastifyInstance } from 'fastify'
import { refuse } from '../errors.ts'

export interface HealthDependencies {
  /** Resolves when database and blobs answer; rejects when one does not. */
  readonly probe: () => Promise<void>
}

export function registerHealth(app: FastifyInstance, { probe }: HealthDependencies) {
  let isStopping = false
  const config = { access: { credential: 'open' }, rate: 'none' } as const

  app.get('/health/live', { config }, async (_request, reply) => {
    return reply.header('Cache-Control', 'no-store').send({ status: 'live' })
  })

  app.get('/health/ready', { config }, async (_request, reply) => {
    if (isStopping)
      throw refuse('busy', { detail: 'The server is stopping.', headers: { 'Retry-After': '5' } })
    try {
      await probe()
    } catch (error) {
      throw refuse('busy', {
        detail: 'The storage does not answer.',
        headers: { 'Retry-After': '5' },
        cause: error,
      })
    }
    return reply.header('Cache-Control', 'no-store').send({ status: 'ready' })
  })

  return {
    /** From now on /health/ready says no, so that a load balancer looks elsewhere. */
    beginStop: () => {
      isStopping = true
    },
  }
}
