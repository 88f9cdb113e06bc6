// The editor as a React context: one per page, whose state is read after each change.
import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react'
import type { Editor, EditorView } from '../../../route-editor/editor.ts'

const Context = createContext<Editor | undefined>(undefined)

export function EditorProvider({
  editor,
  children,
}: {
  readonly editor: Editor
  readonly children: ReactNode
}) {
  return <Context value={editor}>{children}</Context>
}

export function useEditor(): Editor {
  const editor = useContext(Context)
  if (!editor) throw new Error('no EditorProvider above')
  return editor
}

export function useEditorView(): EditorView {
  const { subscribe, view } = useEditor()
  return useSyncExternalStore(subscribe, view)
}
