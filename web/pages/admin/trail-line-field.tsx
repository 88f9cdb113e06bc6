// The line in the trail form: the current one on a map, and a file to replace it.
import { Button, FileButton, Group, Text } from '@mantine/core'
import { FileUp, Trash2 } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { MapLine } from '../../map/kinds.ts'
import { MapView } from '../../map/map-view.tsx'
import { adminTrails } from '../../strings/admin-things.ts'
import { useFormat } from '../../ui/format.ts'
import styles from './admin.module.css'
import type { MeasuredLine, Place } from './line-file.ts'

const strings = adminTrails.form

interface TrailLineFieldProps {
  readonly line: MeasuredLine | undefined
  readonly onChange: (line: MeasuredLine | undefined) => void
}

/** Around all points; lines across the antimeridian are shown on the whole world. */
function boundsOf(lines: readonly (readonly Place[])[]) {
  const places = lines.flat()
  const [west, south, east, north] = places.reduce(
    ([w, s, e, n], [lon, lat]) => [Math.min(w, lon), Math.min(s, lat), Math.max(e, lon), Math.max(n, lat)],
    [180, 90, -180, -90],
  )
  return [west, south, east, north] as const
}

/** In the form that the map takes: without elevations. */
const linesOf = (line: MeasuredLine | undefined): readonly MapLine[] =>
  line === undefined
    ? []
    : [
        {
          id: 'line',
          tone: 'trail',
          coordinates: line.geometry.coordinates.map((part) => part.map(([lon, lat]) => [lon, lat] as const)),
        },
      ]

export function TrailLineField({ line, onChange }: TrailLineFieldProps) {
  const { length } = useFormat()
  const [fault, setFault] = useState('')
  const [version, setVersion] = useState(0)
  const drawn = useMemo(() => linesOf(line), [line])
  const forget = useRef<() => void>(null)
  const choose = async (file: File | null) => {
    if (!file) return
    // The corrected file may be chosen again: without this the browser sees no change.
    forget.current?.()
    try {
      const { readLineFile } = await import('./line-file.ts')
      onChange(await readLineFile(file.name, await file.text()))
      setVersion((before) => before + 1)
      setFault('')
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <fieldset className={`${styles.form} ${styles.decisions}`}>
      <legend>
        <Text fw={500} size="sm">
          {strings.line}
        </Text>
      </legend>
      {line === undefined ? (
        <p className={styles.hint}>{strings.lineNone}</p>
      ) : (
        <>
          <MapView
            className={styles.map ?? ''}
            label={strings.preview}
            lines={drawn}
            fitTo={{ key: String(version), bounds: boundsOf(line.geometry.coordinates) }}
            letsPageScroll
          />
          <p className={styles.hint}>{strings.lineOf(line.points, length(line.miles))}</p>
        </>
      )}
      {fault !== '' && (
        <Text c="red" role="alert" size="sm">
          {fault}
        </Text>
      )}
      <Group gap="sm">
        <FileButton
          resetRef={forget}
          accept=".geojson,.json,.gpx,application/geo+json"
          onChange={(file) => void choose(file)}
        >
          {(props) => (
            <Button {...props} variant="default" leftSection={<FileUp size={16} aria-hidden />}>
              {line === undefined ? strings.lineChoose : strings.lineReplace}
            </Button>
          )}
        </FileButton>
        {line !== undefined && (
          <Button
            variant="subtle"
            color="red"
            leftSection={<Trash2 size={16} aria-hidden />}
            onClick={() => onChange(undefined)}
          >
            {strings.lineRemove}
          </Button>
        )}
      </Group>
      <p className={styles.hint}>{strings.lineHint}</p>
    </fieldset>
  )
}
