// The keys of the editor, all registered for the shortcut list under `?`.
import { pointAt } from '../../../route-editor/route-state.ts'
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import { useEditor } from './use-editor.tsx'

/** A step with Shift and an arrow: a metre. */
const degreesOfMetre = 1 / 111_195

export interface EditorActions {
  readonly onImport: () => void
  readonly onSimplify: () => void
  readonly onReverse: () => void
  readonly onSave: () => void
}

export function useEditorKeys({ onImport, onSimplify, onReverse, onSave }: EditorActions): void {
  const editor = useEditor()
  const nudge = (north: number, east: number) => () => {
    const { state, selected } = editor.view()
    const at = selected && pointAt(state, selected)
    if (!at) return
    const shrink = Math.max(0.01, Math.cos((at.lat * Math.PI) / 180))
    editor.nudge(north * degreesOfMetre, (east * degreesOfMetre) / shrink)
  }
  useShortcuts(strings.shortcuts, [
    { keys: 'd', label: strings.draw, run: () => editor.setMode('draw') },
    { keys: 'o', label: strings.import, run: onImport },
    {
      keys: 'Escape',
      label: strings.endDrawing,
      run: () => {
        if (editor.view().mode === 'draw') editor.setMode('select')
        else editor.select(undefined)
      },
    },
    { keys: 'Mod+Z', label: strings.undo, run: editor.undo },
    { keys: 'Mod+Shift+Z', label: strings.redo, run: editor.redo },
    { keys: 'Mod+S', label: strings.save, isAllowedInText: true, run: onSave },
    { keys: 'ArrowRight', label: strings.nextPoint, run: () => editor.selectNext(1) },
    { keys: 'ArrowLeft', label: strings.previousPoint, run: () => editor.selectNext(-1) },
    { keys: 'Shift+ArrowUp', label: strings.move.up, run: nudge(1, 0) },
    { keys: 'Shift+ArrowDown', label: strings.move.down, run: nudge(-1, 0) },
    { keys: 'Shift+ArrowLeft', label: strings.move.left, run: nudge(0, -1) },
    { keys: 'Shift+ArrowRight', label: strings.move.right, run: nudge(0, 1) },
    { keys: 'i', label: strings.insertPoint, run: editor.insertAfterSelected },
    { keys: 'Delete', label: strings.deletePoint, run: editor.deleteSelected },
    { keys: 'r', label: strings.reverse, run: onReverse },
    { keys: 's', label: strings.simplify, run: onSimplify },
  ])
}
