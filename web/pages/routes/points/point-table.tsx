// Every point as a row of numbers, for keyboard and screen reader users. Only visible rows are rendered.
import { ActionIcon, Button } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { useEffect, useRef, type KeyboardEvent, type RefObject } from 'react'
import { ordinalOf, pointAt, pointCount, refAt, type PointRef } from '../../../route-editor/route-state.ts'
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import { formatCount } from '../../../ui/format.ts'
import { NumberCell } from './number-cell.tsx'
import styles from './table.module.css'
import { useEditor, useEditorView } from '../editor/use-editor.tsx'
import { useRows } from '../list/use-rows.ts'

const rowHeight = 40
/** 24 rem, as in the style sheet. */
const viewHeight = 384
const columns = ['lat', 'lon', 'ele'] as const
type Column = (typeof columns)[number]

const ranges: Readonly<Record<Column, readonly [min: number, max: number]>> = {
  lat: [-90, 90],
  lon: [-180, 180],
  ele: [-100_000, 100_000],
}

interface RowProps {
  readonly refOfRow: PointRef
  readonly ordinal: number
  readonly top: number
  readonly onInserted: (ordinal: number) => void
}

function PointRow({ refOfRow, ordinal, top, onInserted }: RowProps) {
  const editor = useEditor()
  const { state, selected } = useEditorView()
  const position = pointAt(state, refOfRow)
  if (!position) return null
  const number = ordinal + 1
  const isSelected = selected?.segment === refOfRow.segment && selected.index === refOfRow.index
  const change = (column: Column, value: number | null) => {
    if (column === 'ele') editor.changePoint(refOfRow, { ele: value }, strings.steps.changeHeight)
    else if (value !== null) editor.changePoint(refOfRow, { [column]: value })
  }
  return (
    <div
      role="row"
      aria-rowindex={number + 1}
      aria-selected={isSelected}
      className={styles.row}
      data-begins={refOfRow.index === 0 && refOfRow.segment > 0}
      style={{ transform: `translateY(${top}px)` }}
      onFocus={() => !isSelected && editor.select(refOfRow)}
    >
      <span role="rowheader" className={styles.number}>
        {formatCount(number)}
      </span>
      {columns.map((column) => (
        <span role="gridcell" key={column}>
          <NumberCell
            label={strings.cell(strings.column[column], number)}
            value={position[column]}
            range={ranges[column]}
            isOptional={column === 'ele'}
            wrong={strings.wrong[column]}
            cell={`${column} ${ordinal}`}
            onChange={(value) => change(column, value)}
          />
        </span>
      ))}
      <span role="gridcell" className={styles.actions}>
        <ActionIcon
          variant="subtle"
          aria-label={strings.insertAfterRow(number)}
          onClick={() => {
            editor.insertAfter(refOfRow)
            onInserted(ordinal + 1)
          }}
        >
          <Plus size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={strings.deleteRow(number)}
          onClick={() => editor.deletePoint(refOfRow)}
        >
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      </span>
    </div>
  )
}

/** The field of that row and column, once it is rendered. */
function focusCell(grid: RefObject<HTMLElement | null>, cell: string, attempts = 20): void {
  const field = grid.current?.querySelector<HTMLInputElement>(`[data-cell="${cell}"]`)
  if (field) field.focus()
  else if (attempts > 0) requestAnimationFrame(() => focusCell(grid, cell, attempts - 1))
}

export function PointTable() {
  const editor = useEditor()
  const { state, selected } = useEditorView()
  const place = useRef<HTMLDivElement>(null)
  const count = pointCount(state)
  const { indexes, onScroll, scrollTo } = useRows({ place, count, rowHeight, viewHeight })
  const seeRow = useRef(scrollTo)
  useEffect(() => {
    seeRow.current = scrollTo
  })
  const shownOrdinal = selected === undefined ? undefined : ordinalOf(state, selected)
  useEffect(() => {
    const isInside = place.current?.contains(document.activeElement) === true
    if (shownOrdinal !== undefined && !isInside) seeRow.current(shownOrdinal)
  }, [shownOrdinal])

  const goTo = (column: string, ordinal: number) => {
    if (ordinal < 0 || ordinal >= pointCount(editor.view().state)) return
    scrollTo(ordinal)
    focusCell(place, `${column} ${ordinal}`)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const [column, ordinal] = ((event.target as HTMLElement).dataset['cell'] ?? '').split(' ')
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    if (step === undefined || column === undefined || ordinal === undefined) return
    event.preventDefault()
    const to = Number(ordinal) + step
    goTo(column, Math.min(count - 1, Math.max(0, to)))
  }
  const addAtEnd = () => {
    const last = refAt(editor.view().state, count - 1)
    const at = last && pointAt(editor.view().state, last)
    editor.select(last)
    editor.addPoint({ lat: at?.lat ?? 0, lon: at?.lon ?? 0 })
    goTo('lat', count)
  }

  return (
    <div className={styles.frame}>
      {count === 0 ? (
        <p className={styles.none}>{strings.noPoints}</p>
      ) : (
        <div
          role="grid"
          tabIndex={-1}
          aria-label={strings.table}
          aria-rowcount={count + 1}
          className={styles.grid}
          onKeyDown={onKeyDown}
        >
          <div role="row" aria-rowindex={1} className={styles.head}>
            {(['number', 'lat', 'lon', 'ele', 'actions'] as const).map((column) => (
              <span role="columnheader" key={column}>
                {strings.column[column]}
              </span>
            ))}
          </div>
          <div ref={place} role="rowgroup" className={styles.body} onScroll={onScroll}>
            <div role="presentation" style={{ height: count * rowHeight }} className={styles.all}>
              {indexes.map((index) => {
                const ref = refAt(state, index)
                return (
                  ref && (
                    <PointRow
                      key={index}
                      refOfRow={ref}
                      ordinal={index}
                      top={index * rowHeight}
                      onInserted={(ordinal) => goTo('lat', ordinal)}
                    />
                  )
                )
              })}
            </div>
          </div>
        </div>
      )}
      <Button variant="default" leftSection={<Plus size={16} aria-hidden />} onClick={addAtEnd}>
        {count === 0 ? strings.addFirst : strings.addAtEnd}
      </Button>
      {count > 0 && <p className={styles.hint}>{strings.tableHint}</p>}
    </div>
  )
}
