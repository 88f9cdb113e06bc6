// Downloads a saved route with the SDK, since a plain link has no access to a private route.
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
  return async (
    { routeID, name, token, as }: Wanted,
    kind: 'gpx' | 'geojson' | 'original',
  ): Promise<void> => {
    const view = { token, as }
    try {
      if (kind === 'geojson') {
        const text = JSON.stringify(await waymark.routes.geojson(routeID, view))
        return saveFile(fileNameOf(name, kind), 'application/geo+json', text)
      }
      const text =
        kind === 'gpx' ? await waymark.routes.gpx(routeID, view) : await waymark.routes.original(routeID)
      return saveFile(fileNameOf(name, 'gpx'), 'application/gpx+xml', text)
    } catch (error) {
      const { title, detail } = tellProblem(error)
      return toast({ message: `${title}. ${detail}`, tone: 'bad' })
    }
  }
}
