// The query key of an open editor: a newly created route keeps its editor.
export const editorKey = (routeId: number | undefined) => ['route-editor', routeId ?? 'new'] as const
