// Notices that the database may have gone back to what was before: what it has lost may not be remembered here.

/**
 * A standby that was promoted may never have heard of what was read here. And where transactions work side by side, a reader
 * sees what is not on disk yet (decision 0121), which a crash takes back. Either ends all connections: so each new
 * connection that listens, but for the first, counts as one.
 */
export function createFailoverWatch() {
  let connections = 0
  return {
    /** To be called on each new connection that listens, before it is trusted. */
    look: (): void => {
      connections += 1
    },

    /** Since the start. */
    count: (): number => Math.max(connections - 1, 0),
  }
}
