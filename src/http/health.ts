// GET /health/live and /health/ready: is the process running, and can it serve requests (contract D3).
import type { FastifyInstance } from 'fastify'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'

export interface HealthDependencies {
  /** Each resolves when its storage answers, and rejects when it does not. */
  readonly probes: Readonly<Record<'database' | 'store of photos', () => Promise<void>>>
}

export function registerHealth(app: FastifyInstance, { probes }: HealthDependencies) {
  let isStopping = false
  const config = { access: { credential: 'open' }, rate: 'none' } as const

  app.get('/health/live', { config }, async (_request, reply) => {
    return reply.header('Cache-Control', 'no-store').send({ status: 'live' })
  })

  app.get('/health/ready', { config }, async (_request, reply) => {
    if (isStopping)
      throw refuse('busy', {
        detail: inEach(({ limits }) => limits.stopping),
        headers: { 'Retry-After': '5' },
      })
    // In parallel, so that the response is in time even if neither answers.
    const asked = Object.entries(probes)
    const ends = await Promise.allSettled(asked.map(([, probe]) => probe()))
    const failure = ends.find((end) => end.status === 'rejected')
    if (failure) {
      const silent = asked.filter((_, at) => ends[at]?.status === 'rejected').map(([storage]) => storage)
      const detail =
        silent.length === 1
          ? `The ${silent.join('')} is not responding.`
          : `Neither the ${silent.join(' nor the ')} is responding.`
      throw refuse('storage-unavailable', {
        detail,
        headers: { 'Retry-After': '5' },
        cause: failure.reason as unknown,
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
