// Picks the blob store named by the settings.
import { createFsBlobs } from './fs-blobs.ts'
import type { Blobs } from './port.ts'

export async function openBlobs(settings: { readonly blobFolder: string }): Promise<Blobs> {
  return createFsBlobs(settings.blobFolder)
}
