// The track for locating photos, from files or a route; it stays while the dialog is closed.
import { useCallback, useRef, useState } from 'react'
import { placingStrings } from '../../../strings/placing.ts'
import { pageLanguage } from '../../../strings/language.ts'
import type { NamedTrack, TrackFault, TrackSource } from '../../../upload/read-track-file.ts'

const { track: strings } = placingStrings

function sentenceOf({ name, why, detail }: TrackFault): string {
  if (why === 'no-times') return strings.noTimes(name)
  return strings.unreadable(name, pageLanguage() === 'en' ? detail : '').trim()
}

interface State {
  readonly isReading: boolean
  readonly track: NamedTrack | undefined
  /** One sentence each. */
  readonly faults: readonly string[]
}

const none: State = { isReading: false, track: undefined, faults: [] }

export interface TrackState extends State {
  readonly readFiles: (files: readonly File[]) => void
  readonly read: (load: () => Promise<readonly TrackSource[]>) => void
  readonly forget: () => void
}

export function useTrack(): TrackState {
  const [state, setState] = useState<State>(none)
  const latest = useRef(0)
  const readNow = useCallback(async (load: () => Promise<readonly TrackSource[]>): Promise<void> => {
    latest.current += 1
    const turn = latest.current
    setState({ ...none, isReading: true })
    let next: State
    try {
      const [{ readTrackFiles }, sources] = await Promise.all([
        import('../../../upload/read-track-file.ts'),
        load(),
      ])
      const { track, faults } = await readTrackFiles(sources)
      next = { isReading: false, track, faults: faults.map(sentenceOf) }
    } catch {
      next = { ...none, faults: [strings.notLoaded] }
    }
    // Another may have been chosen in the meantime.
    if (turn === latest.current) setState(next)
  }, [])
  const read: TrackState['read'] = useCallback((load) => void readNow(load), [readNow])
  const readFiles: TrackState['readFiles'] = useCallback(
    (files) => read(() => Promise.resolve(files.map((file) => ({ name: file.name, gpx: file })))),
    [read],
  )
  const forget = useCallback(() => setState(none), [])
  return { ...state, read, readFiles, forget }
}
