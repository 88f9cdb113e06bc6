// One tab of the browser uploads: the first one; when it closes, the next takes over.

const name = 'waymark.uploads'

/** Without Web Locks (plain http to a host name): an entry in localStorage, renewed while the tab lives. */
const leaseMs = 6_000
const renewMs = 2_000

interface Lease {
  readonly tab: string
  readonly until: number
}

function readLease(): Lease | undefined {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') as Lease | undefined
  } catch {
    return undefined
  }
}

function leadByLease(tab: string, onLead: () => void, signal: AbortSignal): void {
  let isLeading = false
  const renew = (): void => {
    const lease = readLease()
    const isFree = !lease || lease.tab === tab || lease.until < Date.now()
    if (!isFree) return
    try {
      localStorage.setItem(name, JSON.stringify({ tab, until: Date.now() + leaseMs }))
    } catch {
      // No storage, no other tab that could know: this one sends.
    }
    // Two tabs may write at the same time: the one whose entry is still there at the next turn leads. If both upload
    // once, the Idempotency-Key prevents a second image.
    if (lease?.tab === tab && !isLeading) {
      isLeading = true
      onLead()
    }
  }
  renew()
  const timer = setInterval(renew, renewMs)
  signal.addEventListener('abort', () => {
    clearInterval(timer)
    if (readLease()?.tab === tab) localStorage.removeItem(name)
  })
}

/** Calls `onLead` once this tab is the leader. */
export function lead(tab: string, onLead: () => void, signal: AbortSignal): void {
  if (!('locks' in navigator)) {
    leadByLease(tab, onLead, signal)
    return
  }
  const untilEnd = (): Promise<void> =>
    new Promise((resolve) => {
      onLead()
      signal.addEventListener('abort', () => resolve())
    })
  // Rejected if the page closes before its turn.
  void navigator.locks.request(name, { signal }, untilEnd).catch(() => undefined)
}
