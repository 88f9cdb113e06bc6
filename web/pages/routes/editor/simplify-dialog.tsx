// Simplifies the route with a preview: the map shows the simplified line while the tolerance is chosen.
import '@mantine/core/styles/Slider.css'
import { Button, Group, Slider, Stack, Text } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { gpxLimits } from '../../../../src/shared/gpx/gpx.ts'
import { replaceLines } from '../../../route-editor/edits.ts'
import { createSimplifier, type Simplifier } from '../../../route-editor/gpx-loader.ts'
import { sizerOf } from '../../../route-editor/route-file.ts'
import { pointCount } from '../../../route-editor/route-state.ts'
import { tolerancesMetres } from '../../../route-editor/simplify.ts'
import { common } from '../../../strings/common.ts'
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import { formatBytes, formatCount, useFormat } from '../../../ui/format.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import styles from './editor.module.css'
import { useEditor } from './use-editor.tsx'

/** At this tolerance a recording stays very similar, but loses most of its points. */
const usualTolerance = tolerancesMetres.indexOf(5)
const { maxBytes } = gpxLimits

/** The result of the chosen tolerance: a preview on the map, and an undoable step once applied. */
function useSimplifier() {
  const editor = useEditor()
  const state = useMemo(() => editor.settled(), [editor])
  const bytesOf = useMemo(() => sizerOf(state), [state])
  const simplifier = useRef<Simplifier | undefined>(undefined)
  const [counts, setCounts] = useState<readonly number[]>()
  const [error, setError] = useState<unknown>()
  const [chosen, setChosen] = useState(usualTolerance)
  const lines = useRef<{ readonly tolerance: number; readonly lines: Parameters<typeof replaceLines>[1] }>(
    undefined,
  )
  const [readyFor, setReadyFor] = useState<number>()

  useEffect(() => {
    const made = createSimplifier(state.segments, editor.meter, (simpler, tolerance) => {
      lines.current = { tolerance, lines: simpler }
      setReadyFor(tolerance)
      editor.drag(replaceLines(state, simpler))
    })
    simplifier.current = made
    const begin = async (): Promise<void> => {
      const weighed = await made.counts
      setCounts(weighed)
      const fitting = weighed.findIndex((count) => bytesOf(count) <= maxBytes)
      const isTooLarge = bytesOf() > maxBytes
      setChosen(isTooLarge && fitting > usualTolerance ? fitting : usualTolerance)
    }
    begin().catch(setError)
    return () => {
      made.close()
      editor.drag(undefined)
    }
  }, [editor, state, bytesOf])

  const tolerance = tolerancesMetres[chosen] ?? 0
  useEffect(() => {
    if (counts) simplifier.current?.simplify(tolerance)
  }, [counts, tolerance])

  return {
    state,
    bytesOf,
    counts,
    error,
    chosen,
    setChosen,
    tolerance,
    isReady: readyFor === tolerance,
    apply: () => {
      const found = lines.current
      if (found?.tolerance !== tolerance) return
      editor.drag(undefined)
      editor.simplify(found.lines)
    },
  }
}

export function SimplifyPanel({ onClose }: { readonly onClose: () => void }) {
  const { state, bytesOf, counts, error, chosen, setChosen, tolerance, isReady, apply } = useSimplifier()
  const format = useFormat()
  const before = pointCount(state)
  const left = counts?.[chosen] ?? before
  const bytes = bytesOf(left)
  const isLarge = bytesOf() > maxBytes
  const most = formatBytes(maxBytes)
  return (
    <section className={styles.simplify} aria-label={strings.simplifyTitle}>
      <Stack gap="sm">
        <h2>{strings.simplifyTitle}</h2>
        <Text size="sm">{strings.simplifyDetail}</Text>
        {error !== undefined && <ProblemNotice error={error} order={3} />}
        <Text size="sm" fw={600}>
          {strings.tolerance}: {tolerance < 1 ? `${tolerance} m` : format.metres(tolerance)}
        </Text>
        <Slider
          thumbLabel={strings.tolerance}
          min={0}
          max={tolerancesMetres.length - 1}
          value={chosen}
          onChange={setChosen}
          label={null}
          disabled={!counts}
          thumbProps={{ 'aria-valuetext': format.metres(tolerance) }}
        />
        <Text size="sm" role="status">
          {counts
            ? strings.simplifyResult(formatCount(left), formatCount(before), formatBytes(bytes))
            : strings.simplifyWorking}{' '}
          {counts &&
            isLarge &&
            (bytes <= maxBytes ? strings.simplifyFits(most) : strings.simplifyTooLarge(most))}
        </Text>
        <Group gap="sm">
          <Button
            disabled={!isReady}
            onClick={() => {
              apply()
              onClose()
            }}
          >
            {strings.simplifyApply}
          </Button>
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
        </Group>
      </Stack>
    </section>
  )
}
