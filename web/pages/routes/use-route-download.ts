// Downloads a saved route: through the SDK, since a private one is not given to a bare link.
import { useToast } from '../../ui/toasts.tsx'
import { tellProblem } from '../../ui/problem-notice.tsx'
import { useWaymark } from '../../data/waymark.tsx'
import { fileNameOf } from '../../route-editor/route-file.ts'
import { download } from './download.ts'

interface Wanted {
  readonly routeID: number
  readonly name: string
  readonly token?: string | undefined
  readonly as?: 'others' | undefined
}

export function useRouteDownload() {
  const waymark = useWaymark()
  const toast = useToast()
  return async ({ routeID, name, token, as }: Wanted, kind: 'gpx' | 'geojson'): Promise<void> => {
    const view = { token, as }
    try {
      const text =
        kind === 'gpx'
          ? await waymark.routes.gpx(routeID, view)
          : JSON.stringify(await waymark.routes.geojson(routeID, view))
      const mediaType = kind === 'gpx' ? 'application/gpx+xml' : 'application/geo+json'
      download(text, fileNameOf(name, kind), mediaType)
    } catch (error) {
      const { title, detail } = tellProblem(error)
      toast({ message: `${title} ${detail}`, tone: 'bad' })
    }
  }
}
