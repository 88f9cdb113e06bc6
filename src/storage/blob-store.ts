// Picks the blob store named by the settings.
import { stagingFolder, type BlobPlace } from '../settings/blob-settings.ts'
import type { StorageFaults } from './storage-faults.ts'
import { createFsBlobs } from './fs-blobs.ts'
import type { Blobs } from './port.ts'

export async function openBlobs(
  { blobPlace, dataDir }: { readonly blobPlace: BlobPlace; readonly dataDir: string },
  faults?: StorageFaults,
): Promise<Blobs> {
  if (blobPlace.store === 'files') return createFsBlobs(blobPlace.folder, faults)
  // Only now: the SDK of AWS is 20 MB of code that no installation on files needs.
  const { createS3Blobs } = await import('./s3-blobs.ts')
  return createS3Blobs(blobPlace, stagingFolder(dataDir))
}
