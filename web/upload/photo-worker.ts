// The worker that checks and converts photos, so that the page stays smooth with five hundred of them.
import { checkPhoto, type CheckedPhoto } from './check-photo.ts'
import { convertPhoto, type Conversion } from './convert-photo.ts'

export type WorkOrder =
  | { readonly number: number; readonly kind: 'check'; readonly file: Blob }
  | { readonly number: number; readonly kind: 'convert'; readonly conversion: Conversion }

export type WorkResult =
  | { readonly number: number; readonly kind: 'check'; readonly checked: CheckedPhoto | undefined }
  | { readonly number: number; readonly kind: 'convert'; readonly converted: Blob | undefined }
  | { readonly number: number; readonly kind: 'failed' }

async function work(order: WorkOrder): Promise<WorkResult> {
  const { number, kind } = order
  try {
    if (kind === 'check') return { number, kind, checked: await checkPhoto(order.file) }
    return { number, kind, converted: await convertPhoto(order.conversion) }
  } catch {
    return { number, kind: 'failed' }
  }
}

self.addEventListener('message', ({ data }: MessageEvent<WorkOrder>) => {
  void work(data).then((result) => self.postMessage(result))
})
