// Downloads a saved route: through the SDK, since a private one is not given to a bare link.
import { tellProblem } from '../../ui/notices/problem-notice.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useToast } from '../../ui/notices/toasts.tsx'
import { useWaymark } from '../../data/waymark.tsx'
import { fileNameOf } from '../../route-editor/route-file.ts'

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
      saveFile(fileNameOf(name, kind), mediaType, text)
    } catch (error) {
      const { title, detail } = tellProblem(error)
      toast({ message: `${title}. ${detail}`, tone: 'bad' })
    }
  }
}
