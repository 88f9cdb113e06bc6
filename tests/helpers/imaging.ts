// The imaging of the server as tests call it: with the limits of the contract unless a test gives others.
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

/** A maker of renditions with so many places at work and in the queue. */
export function startRenditions(
  jobs: number,
  queue: number,
  { jobSeconds = 10, limits = standardLimits } = {},
): Renditions {
  return createRenditions({ limits, jobs, queue, jobSeconds })
}
