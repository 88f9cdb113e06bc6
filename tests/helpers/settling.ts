// If several nodes share a URL, a test client waits until each of them has seen its changes.

const settling = new Map<string, () => Promise<void>>()

/** @returns a function that removes it. */
export function settleAt(url: string, settle: () => Promise<void>): () => void {
  settling.set(url, settle)
  return () => void settling.delete(url)
}

/** Call after a request that may have changed something. Returns at once for a single node. */
export async function settled(url: string, method: string): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') await settling.get(url)?.()
}
