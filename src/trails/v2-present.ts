// Trails, and the result of an import, in the form of the v2 surface and the command line.
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import type { TrailImport, TrailSummary as TrailDocument } from '../shared/v2/trail-schemas.ts'
import type { ImportPlan } from './import-plan.ts'
import type { TrailDetails, TrailSummary } from './trail-table.ts'

export function summaryDocument(trail: TrailSummary): TrailDocument {
  const { id, name, slug, box, miles, ascent, descent, highest, lowest } = trail
  const { images, cover, createdAt, updatedAt } = trail
  return {
    trailID: id,
    name,
    slug,
    bbox: box ? [box.west, box.south, box.east, box.north] : null,
    lengthMiles: miles,
    ascent,
    descent,
    highest,
    lowest,
    images,
    cover,
    createdAt: writeTimestamp(createdAt),
    updatedAt: writeTimestamp(updatedAt),
  }
}

/** The whole document as JSON text; the line is inserted as it is stored. */
export function trailText(trail: TrailDetails): string {
  const text = JSON.stringify({ ...summaryDocument(trail), description: trail.description })
  return `${text.slice(0, -1)},"geometry":${trail.geometry ?? 'null'}}`
}

/** For each list in the document. */
const maxListed = 1_000

export function importDocument(
  { added, changed, unchanged, problems }: ImportPlan,
  { isApplied }: { readonly isApplied: boolean },
): TrailImport {
  return {
    new: added.slice(0, maxListed).map(({ id, name, slug, place }) => ({ trailID: id, name, slug, place })),
    changed: changed.slice(0, maxListed).map(({ id, place, fields }) => ({ trailID: id, place, fields })),
    unchanged,
    problems: problems.slice(0, maxListed).map(({ place, detail }) => ({ place, detail })),
    counts: { new: added.length, changed: changed.length, problems: problems.length },
    isApplied,
  }
}
