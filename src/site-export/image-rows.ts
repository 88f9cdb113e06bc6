// An image in the export of a site: the same fields in GeoJSON and in CSV.
import type { TakenAtSetting } from '../auth/guard.ts'
import { openFields, takenFields } from '../images/capture/capture-fields.ts'
import { imageFields } from '../images/present.ts'
import { extensionOf } from '../shared/formats/image-formats.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import type { ExportedImage } from './site-export-table.ts'

type Named = Pick<ExportedImage, 'id' | 'mimeType'>

const extension = (mimeType: string): string => extensionOf(mimeType) ?? 'bin'

/** Size lg, as the site serves it. */
export const photoName = ({ id, mimeType }: Named): string => `photos/${id}.${extension(mimeType)}`

/** @param format of the file itself, which may be another than the one that is served. */
export const originalName = ({ id }: Named, format: string): string => `originals/${id}.${format}`

const isListed = ({ state }: ExportedImage): boolean => state === 'approved'

/**
 * What visitors see of an image on v2 (contract C42, C43), or everything that is stored of it.
 * @param takenAt setting TAKEN_AT, for what visitors see.
 */
export function imageRow(image: ExportedImage, isPublic: boolean, takenAt: TakenAtSetting) {
  const isPlaced = image.latitude !== null
  const fields = {
    ...imageFields(image),
    milesAlong: image.milesAlong,
    ...openFields(image, isPlaced),
    ...takenFields(image, isPlaced, isPublic ? takenAt : 'exact'),
    file: isListed(image) ? photoName(image) : null,
  }
  if (isPublic) return fields
  return {
    ...fields,
    acceptedTitle: image.acceptedTitle,
    acceptedCaption: image.acceptedCaption,
    deletedAt: image.deletedAt === null ? null : writeTimestamp(image.deletedAt),
  }
}

export type ImageRow = ReturnType<typeof imageRow>

export function imageFeature(row: ImageRow): string {
  const { lat, lon } = row
  const geometry = lat === null || lon === null ? null : { type: 'Point', coordinates: [lon, lat] }
  return JSON.stringify({ type: 'Feature', id: row.imageID, properties: row, geometry })
}
