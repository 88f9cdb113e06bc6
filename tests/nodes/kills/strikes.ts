// Attacks on a cluster under load: kills nodes, and ends the session that all writers wait for.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { lockSpace, writeLock } from '../../../src/database/postgres/locks.ts'
import { processesOf } from '../../hostile/service.ts'
import type { Cluster } from '../../helpers/cluster.ts'

/**
 * Sessions with the exclusive write lock, and those that number commits: all nodes wait for both. A session counts from
 * the time it has its lock until its commit is done.
 */
const leaders = `from pg_stat_activity a where a.application_name = 'waymark' and a.state <> 'idle'
  and (a.query ilike '%outbox_pending%' or exists (
    select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.granted
      and l.mode = 'ExclusiveLock' and l.classid = ${lockSpace} and l.objid = ${writeLock}))`

export interface Struck {
  /** Its statement when it was found. */
  readonly query: string
  /** Of the node's end of its connection. */
  readonly port: number
}

const toStruck = ({ query, port }: Record<string, unknown>): Struck => ({
  query: String(query),
  port: Number(port),
})

const lookMs = 3

/** Inodes of a process's open sockets; empty if it has just ended. */
function socketsOf(pid: number): Set<string> {
  try {
    const links = readdirSync(`/proc/${pid}/fd`).map((name) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${name}`)
      } catch {
        return ''
      }
    })
    return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
  } catch {
    return new Set()
  }
}

/** The inode of the loopback socket with this local port. */
function inodeOf(port: number): string | undefined {
  const own = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return lines.map((line) => line.trim().split(/\s+/)).find(([, local]) => local === own)?.[9]
}

export function createStrikes(cluster: Cluster) {
  const nodes = cluster.nodeUrls.map((_, at) => at)
  const starting = new Map<number, Promise<void>>()
  const faults: string[] = []

  /** Kills it immediately, and restarts it in the background. */
  function crash(at: number): void {
    const started = cluster
      .crash(at)
      .catch((error: unknown) => faults.push(String(error)))
      .then(() => void starting.delete(at))
    starting.set(at, started)
  }

  /** Running nodes. At least one must survive. */
  async function someToStrike(): Promise<number[]> {
    for (;;) {
      const running = nodes.filter((at) => !starting.has(at))
      if (running.length > 1) return running
      await pause(lookMs)
    }
  }

  /** Polls until such a session is found. */
  async function findLeader(select: string): Promise<Struck> {
    for (;;) {
      const [found] = await cluster.postgres.query(`select ${select} ${leaders} limit 1`)
      if (found !== undefined) return toStruck(found)
      await pause(lookMs)
    }
  }

  return {
    faults,

    /** Kills any running node. */
    killNode: async (): Promise<void> => {
      const running = await someToStrike()
      crash(running[Math.floor(Math.random() * running.length)] ?? 0)
    },

    /** Ends only the session in the middle of its work, like an operator or a lost connection. */
    endLeader: (): Promise<Struck> =>
      findLeader('a.query, a.client_port as port, pg_terminate_backend(a.pid) as ended'),

    /** Kills the node of the session. */
    killLeader: async (): Promise<Struck> => {
      for (;;) {
        const running = await someToStrike()
        const leader = await findLeader('a.query, a.client_port as port')
        const inode = inodeOf(leader.port)
        const at = running.find(
          (node) =>
            inode !== undefined &&
            processesOf(cluster.node(node).pid).some((pid) => socketsOf(pid).has(inode)),
        )
        if (at === undefined) continue
        crash(at)
        return leader
      }
    },

    /** Waits until all nodes are running again. */
    settle: async (): Promise<void> => {
      await Promise.all(starting.values())
    },
  }
}

export type Strikes = ReturnType<typeof createStrikes>
