// Picks the blob store named by the settings.
import { createFsBlobs } from './fs-blobs.ts'
import type { StorageFaults } from '../storage-faults.ts'
import type { Blobs } from './port.ts'

export async function openBlobs(
  settings: { readonly blobFolder: string },
  faults?: StorageFaults,
): Promise<Blobs> {
  return createFsBlobs(settings.blobFolder, faults)
}
