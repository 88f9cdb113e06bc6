// Checks of --write on a pending photo: in no list, but returned by the image handler in every size.
import { failed, passed, skipped, verdictOf, type Check, type Verdict } from './check.ts'
import {
  atAnySize,
  atSmallSizes,
  fitBreach,
  namedSideBreach,
  servedBreach,
  squareBreach,
} from './image-checks.ts'
import { ownPhotoSides } from './own-photo.ts'
import { writtenValues } from './readings.ts'
import type { Subject } from './subject.ts'

type Files = Awaited<ReturnType<Subject['filesOf']>>

/** A check of the files that the image handler returns for the pending photo. */
function ofOwnFiles(
  check: Pick<Check, 'id' | 'about' | 'title'>,
  canBeSeen: (photo: { readonly files: Files }) => boolean,
  look: (files: Files, subject: Subject) => Verdict,
): Check {
  return {
    ...check,
    needs: ['write', 'trail', 'token'],
    look: async (subject) => {
      const image = await subject.ownImage()
      if (!image.ok) return skipped(image.why)
      const files = await subject.ownFiles()
      return canBeSeen({ files })
        ? look(files, subject)
        : skipped('The image handler returned nothing of the pending photo that shows this.')
    },
  }
}

export const pendingChecks: readonly Check[] = [
  {
    id: 'pending-not-listed',
    about: ['A1.2'],
    title: 'A pending image is not in the list',
    needs: ['write', 'trail', 'key', 'token'],
    look: async (subject) => {
      const image = await subject.ownImage()
      if (!image.ok) return skipped(image.why)
      const answer = await subject.ask({ path: subject.setPath, credential: 'key' })
      if (answer.status !== 200) return skipped('The server did not return the list of the trail.')
      const isListed = writtenValues(answer.text, 'imageID').includes(image.value)
      return verdictOf(answer, isListed ? `image ${image.value} is in it` : undefined)
    },
  },
  ofOwnFiles(
    {
      id: 'pending-sizes',
      about: ['A1.2', 'A5'],
      title: 'The image handler returns a pending image in every size',
    },
    () => true,
    (files) => {
      const breach = servedBreach({ files }) ?? squareBreach({ files }) ?? namedSideBreach({ files })
      if (breach) return failed(breach[0].answer, breach[1])
      const full = files.get('lg')
      const sides = [full?.header?.width, full?.header?.height]
      const isFull = sides.includes(ownPhotoSides.width) && sides.includes(ownPhotoSides.height)
      if (full === undefined || isFull) return passed
      return failed(
        full.answer,
        `it is ${sides.join(' × ')}, not the full size of ${ownPhotoSides.width} × ${ownPhotoSides.height}`,
      )
    },
  ),
  ofOwnFiles(
    {
      id: 'pending-upright',
      about: ['C25'],
      title: 'Small sizes are upright, regardless of the camera orientation',
    },
    atSmallSizes,
    (files) => {
      const breach = fitBreach({ files })
      if (breach) return failed(breach[0].answer, breach[1])
      for (const size of ['sm', 'md', '640'] as const) {
        const file = files.get(size)
        if (file?.header && file.header.width > file.header.height)
          return failed(file.answer, `it is ${file.header.width} × ${file.header.height}, lying on its side`)
      }
      return passed
    },
  ),
  ofOwnFiles(
    {
      id: 'pending-stripped',
      about: ['C25'],
      title: 'No size contains the position or the comment in the file',
    },
    atAnySize,
    (files, { photo }) => {
      for (const { answer } of files.values()) {
        if (answer.bytes.includes(photo.position)) return failed(answer, 'it contains the position')
        if (answer.bytes.includes(photo.comment)) return failed(answer, 'it contains the comment')
      }
      return passed
    },
  ),
  ofOwnFiles(
    {
      id: 'pending-private',
      about: ['C27'],
      title: 'A pending image is excluded from caches and search engines',
    },
    atAnySize,
    (files) => {
      for (const { answer } of files.values()) {
        const cache = answer.headers.get('cache-control') ?? 'missing'
        if (!cache.includes('no-store')) return failed(answer, `Cache-Control is ${cache}`)
        if (!answer.headers.get('x-robots-tag')?.includes('noindex'))
          return failed(answer, 'X-Robots-Tag: noindex is missing')
      }
      return passed
    },
  ),
]
