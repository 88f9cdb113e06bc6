// The name of an opened editor among what is fetched: a route that was just made keeps its editor.
export const editorKey = (routeId: number | undefined) => ['route-editor', routeId ?? 'new'] as const
