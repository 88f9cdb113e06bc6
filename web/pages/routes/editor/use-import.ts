// Imports a GPX file, from the file dialog or dropped anywhere on the page, while the page stays responsive.
import { useCallback, useRef, useState } from 'react'
import { gpxLimits } from '../../../../src/shared/gpx/gpx.ts'
import type { Editor } from '../../../route-editor/editor.ts'
import { loadGpx } from '../../../route-editor/gpx-loader.ts'
import { sizerOf } from '../../../route-editor/route-file.ts'
import { pointCount } from '../../../route-editor/route-state.ts'
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import { formatCount } from '../../../ui/format.ts'
import { useToast } from '../../../ui/notices/toasts.tsx'

export interface ImportState {
  /** Percent, while a file is read. */
  readonly percent: number | undefined
  readonly refusal: string | undefined
  readonly warnings: readonly string[]
}

const idle: ImportState = { percent: undefined, refusal: undefined, warnings: [] }

export function useImport(editor: Editor, onTooLarge: () => void) {
  const toast = useToast()
  const [state, setState] = useState<ImportState>(idle)
  const running = useRef<AbortController | undefined>(undefined)

  const importFile = useCallback(
    async (file: File): Promise<void> => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      setState({ ...idle, percent: 0 })
      const refuse = (refusal: string) => setState({ ...idle, refusal: `${file.name}: ${refusal}` })
      try {
        const outcome = await loadGpx(file, {
          meter: editor.meter,
          signal: controller.signal,
          onProgress: (share) => setState({ ...idle, percent: Math.floor(share * 100) }),
        })
        if (!outcome.ok) return refuse(outcome.detail)
        const { imported } = outcome
        if (imported.segments.length === 0 && imported.waypoints === undefined) return refuse(strings.noLines)
        editor.importRoute(imported)
        setState({ ...idle, warnings: imported.warnings })
        const count = pointCount(imported)
        toast({ message: strings.imported(count, formatCount(count)), undo: editor.undo })
        if (sizerOf(editor.settled())() > gpxLimits.maxBytes) onTooLarge()
        return undefined
      } catch (error) {
        if (controller.signal.aborted) return undefined
        return refuse(error instanceof Error ? error.message : strings.notGpx)
      }
    },
    [editor, onTooLarge, toast],
  )

  return {
    ...state,
    importFile,
    stop: () => {
      running.current?.abort()
      setState(idle)
    },
    dismiss: () => setState(idle),
  }
}
