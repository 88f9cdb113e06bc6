// Notices that the database may have lost its last writes, which must not stay cached here.

/**
 * A promoted standby may not have received what was read here. And a reader may see writes of parallel transactions that are
 * not on disk yet (decision 0121), which a crash loses. Both end all connections, so each new listening connection except
 * the first counts as a loss.
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
