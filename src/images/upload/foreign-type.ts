// Tells an upload of a type that its surface does not take, where no decoder is asked.
import { isConvertedFormat, uploadFormatOf } from '../../shared/formats/converted-formats.ts'
import type { Takes, UploadBytes } from '../../imaging/renditions.ts'

/** Enough to tell what it is. */
const headBytes = 64

/** Whether it is of a type that is not taken where it was sent: the other surface may have taken the same bytes. */
export async function isForeign(staged: UploadBytes, takes: Takes): Promise<boolean> {
  if (takes === 'any') return false
  const head = Buffer.alloc(Math.min(headBytes, staged.bytes))
  await staged.readInto(head, 0)
  const format = uploadFormatOf(head)
  return format !== undefined && isConvertedFormat(format)
}
