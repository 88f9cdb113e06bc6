// Where several nodes answer at one address: how a client of a test waits until each has heard of what it changed.

const settling = new Map<string, () => Promise<void>>()

/** @returns what ends it. */
export function settleAt(url: string, settle: () => Promise<void>): () => void {
  settling.set(url, settle)
  return () => void settling.delete(url)
}

/** After a request that may have changed something; at once where one node answers, which knows what it did. */
export async function settled(url: string, method: string): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') await settling.get(url)?.()
}
