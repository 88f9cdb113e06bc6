// Length, ascent and number of points of the current route, updated during a drag.
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import { formatCount, useFormat } from '../../../ui/format.ts'
import { ordinalOf } from '../../../route-editor/route-state.ts'
import { useEditor, useEditorView } from './use-editor.tsx'
import styles from './editor.module.css'

export function EditorFacts() {
  const editor = useEditor()
  const { state, selected } = useEditorView()
  const format = useFormat()
  const { lengthMiles, climbMetres, descentMetres, pointCount } = editor.measures()
  const stated = state.statedMiles
  return (
    <div className={styles.facts}>
      <dl>
        <div>
          <dt>{strings.length}</dt>
          <dd data-fact="length">{format.length(stated ?? lengthMiles)}</dd>
        </div>
        <div>
          <dt>{strings.climb}</dt>
          <dd>{climbMetres === undefined ? strings.noClimb : format.height(climbMetres)}</dd>
        </div>
        {descentMetres !== undefined && (
          <div>
            <dt>{strings.descent}</dt>
            <dd>{format.height(descentMetres)}</dd>
          </div>
        )}
        <div>
          <dt>{strings.pointCount}</dt>
          <dd data-fact="points">{formatCount(pointCount)}</dd>
        </div>
      </dl>
      <p role="status" className={styles.selection}>
        {selected
          ? strings.selectedPoint(formatCount(ordinalOf(state, selected) + 1), formatCount(pointCount))
          : strings.nothingSelected}
      </p>
    </div>
  )
}
