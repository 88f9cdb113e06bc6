// The tools of the editor; on a phone they are at the bottom, within reach of a thumb.
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core'
import {
  ChevronsLeft,
  ChevronsRight,
  Ellipsis,
  FileDown,
  FileUp,
  Merge,
  Pencil,
  Plus,
  Redo2,
  Repeat2,
  RotateCcw,
  Scissors,
  Spline,
  Trash2,
  Undo2,
  Waypoints,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { pointCount } from '../../../route-editor/route-state.ts'
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import styles from './editor.module.css'
import { useEditor, useEditorView } from './use-editor.tsx'

interface ToolProps {
  readonly label: string
  readonly icon: ReactNode
  readonly onClick: () => void
  readonly isDisabled?: boolean
}

function Tool({ label, icon, onClick, isDisabled = false }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size={42}
        aria-label={label}
        aria-disabled={isDisabled}
        {...(isDisabled && { 'data-disabled': true })}
        onClick={() => !isDisabled && onClick()}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}

interface EditorToolbarProps {
  readonly onImport: () => void
  readonly onSimplify: () => void
  readonly onReverse: () => void
  readonly onExport: (kind: 'gpx' | 'geojson') => void
}

function LineMenu({ onSimplify, onReverse, onExport }: EditorToolbarProps) {
  const editor = useEditor()
  const { state, selected } = useEditorView()
  const hasLine = pointCount(state) > 1
  const hasNext = selected !== undefined && selected.segment < state.segments.length - 1
  return (
    <Menu position="bottom-end" width={290} shadow="md">
      <Menu.Target>
        <ActionIcon variant="default" size={42} aria-label={strings.more}>
          <Ellipsis size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label={strings.more}>
        <Menu.Item leftSection={<RotateCcw size={16} aria-hidden />} disabled={!hasLine} onClick={onReverse}>
          {strings.reverse}
        </Menu.Item>
        <Menu.Item leftSection={<Spline size={16} aria-hidden />} disabled={!hasLine} onClick={onSimplify}>
          {strings.simplify}
        </Menu.Item>
        <Menu.Item
          leftSection={<Repeat2 size={16} aria-hidden />}
          disabled={!hasLine}
          onClick={editor.outAndBack}
        >
          {strings.outAndBack}
        </Menu.Item>
        <Menu.Item
          leftSection={<Waypoints size={16} aria-hidden />}
          disabled={!hasLine}
          onClick={editor.closeLoop}
        >
          {strings.closeLoop}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<ChevronsLeft size={16} aria-hidden />}
          disabled={!selected}
          onClick={editor.trimBefore}
        >
          {strings.trimBefore}
        </Menu.Item>
        <Menu.Item
          leftSection={<ChevronsRight size={16} aria-hidden />}
          disabled={!selected}
          onClick={editor.trimAfter}
        >
          {strings.trimAfter}
        </Menu.Item>
        <Menu.Item
          leftSection={<Scissors size={16} aria-hidden />}
          disabled={!selected}
          onClick={editor.split}
        >
          {strings.split}
        </Menu.Item>
        <Menu.Item
          leftSection={<Merge size={16} aria-hidden />}
          disabled={!hasNext}
          onClick={() => selected && editor.join(selected.segment)}
        >
          {strings.join}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<FileDown size={16} aria-hidden />}
          disabled={!hasLine}
          onClick={() => onExport('gpx')}
        >
          {strings.exportGpx}
        </Menu.Item>
        <Menu.Item
          leftSection={<FileDown size={16} aria-hidden />}
          disabled={!hasLine}
          onClick={() => onExport('geojson')}
        >
          {strings.exportGeoJson}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<Trash2 size={16} aria-hidden />}
          disabled={state.segments.length === 0}
          onClick={editor.clear}
        >
          {strings.clear}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

export function EditorToolbar(props: EditorToolbarProps) {
  const editor = useEditor()
  const { mode, selected, undoLabel, redoLabel } = useEditorView()
  const isDrawing = mode === 'draw'
  return (
    <div role="toolbar" aria-label={strings.shortcuts} className={styles.tools}>
      <Button
        variant={isDrawing ? 'filled' : 'default'}
        aria-pressed={isDrawing}
        leftSection={<Pencil size={18} aria-hidden />}
        className={styles.wide ?? ''}
        onClick={() => editor.setMode(isDrawing ? 'select' : 'draw')}
      >
        {isDrawing ? strings.drawOn : strings.draw}
      </Button>
      <Button
        variant="default"
        leftSection={<FileUp size={18} aria-hidden />}
        className={`${styles.wide} ${styles.shrinks}`}
        aria-label={strings.import}
        onClick={props.onImport}
      >
        {strings.import}
      </Button>
      <span className={styles.gap} />
      <Tool
        label={undoLabel === undefined ? strings.undo : strings.undoWhat(undoLabel)}
        icon={<Undo2 size={20} aria-hidden />}
        isDisabled={undoLabel === undefined}
        onClick={editor.undo}
      />
      <Tool
        label={redoLabel === undefined ? strings.redo : strings.redoWhat(redoLabel)}
        icon={<Redo2 size={20} aria-hidden />}
        isDisabled={redoLabel === undefined}
        onClick={editor.redo}
      />
      <Tool
        label={strings.insertPoint}
        icon={<Plus size={20} aria-hidden />}
        isDisabled={!selected}
        onClick={editor.insertAfterSelected}
      />
      <Tool
        label={strings.deletePoint}
        icon={<Trash2 size={20} aria-hidden />}
        isDisabled={!selected}
        onClick={editor.deleteSelected}
      />
      <LineMenu {...props} />
    </div>
  )
}
