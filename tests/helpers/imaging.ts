// The server's imaging for tests, with the limits of the contract by default.
import type { Container, ContainerType } from '../../src/imaging/containers.ts'
import { walk as walkWithin } from '../../src/imaging/containers.ts'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import { inspect as inspectWithin, type Inspected } from '../../src/imaging/inspect.ts'
import { createRenditions, type Renditions } from '../../src/imaging/renditions.ts'

export function walk(bytes: Uint8Array, type: ContainerType, limits = standardLimits): Container {
  return walkWithin(bytes, type, limits)
}

export function inspect(bytes: Uint8Array, limits = standardLimits): Promise<Inspected> {
  return inspectWithin(bytes, limits)
}

/** Starts renditions with this many workers and queue places. */
export function startRenditions(
  jobs: number,
  queue: number,
  { jobSeconds = 10, limits = standardLimits } = {},
): Renditions {
  return createRenditions({ limits, jobs, queue, jobSeconds })
}
