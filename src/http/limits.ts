// The limits of the HTTP edge, as the settings give them (limit-settings.ts), and where every endpoint finds them.

export interface ServerLimits {
  /** Of an uploaded image; also how much of a refused body is still read. */
  readonly maxImageBytes: number
  readonly maxDetailsBytes: number
  /** Of a body with a route. */
  readonly maxRouteBytes: number
  readonly maxUrlBytes: number
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  readonly headersTimeoutSeconds: number
  readonly requestTimeoutSeconds: number
  readonly uploadTimeoutSeconds: number
  /** Bytes a second; 0 for no floor. */
  readonly uploadFloorBytes: number
  /** Bytes a second; 0 for no floor. */
  readonly downloadFloorBytes: number
  readonly keepAliveSeconds: number
  readonly idleSeconds: number
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The current limits. */
    limits: ServerLimits
  }
}
