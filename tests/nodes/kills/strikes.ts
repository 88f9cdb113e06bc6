// What strikes a cluster under load: nodes that die, and the end of the very session that holds what all writers wait for.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { lockSpace, writeLock } from '../../../src/database/postgres/locks.ts'
import { processesOf } from '../../hostile/service.ts'
import type { Cluster } from '../../helpers/cluster.ts'

/**
 * Sessions that write alone, and those that give numbers to what others have committed: both keep all nodes waiting. A
 * session is among them from the moment at which it has its lock until its commit is done.
 */
const leaders = `from pg_stat_activity a where a.application_name = 'waymark' and a.state <> 'idle'
  and (a.query ilike '%outbox_pending%' or exists (
    select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.granted
      and l.mode = 'ExclusiveLock' and l.classid = ${lockSpace} and l.objid = ${writeLock}))`

export interface Struck {
  /** What it was about when it was found. */
  readonly query: string
  /** Of the node's end of its connection. */
  readonly port: number
}

const toStruck = ({ query, port }: Record<string, unknown>): Struck => ({
  query: String(query),
  port: Number(port),
})

const lookMs = 3

/** The inodes of the sockets that a process has open; none of one that has just ended. */
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

/** The inode of the socket of loopback that has this port of its own. */
function inodeOf(port: number): string | undefined {
  const own = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return lines.map((line) => line.trim().split(/\s+/)).find(([, local]) => local === own)?.[9]
}

export function createStrikes(cluster: Cluster) {
  const nodes = cluster.nodeUrls.map((_, at) => at)
  const starting = new Map<number, Promise<void>>()
  const faults: string[] = []

  /** Ends it at once; its start goes on beside. */
  function crash(at: number): void {
    const started = cluster
      .crash(at)
      .catch((error: unknown) => faults.push(String(error)))
      .then(() => void starting.delete(at))
    starting.set(at, started)
  }

  /** Those that run, of which one at least must go on. */
  async function someToStrike(): Promise<number[]> {
    for (;;) {
      const running = nodes.filter((at) => !starting.has(at))
      if (running.length > 1) return running
      await pause(lookMs)
    }
  }

  /** Asks until a session is found at it. */
  async function findLeader(select: string): Promise<Struck> {
    for (;;) {
      const [found] = await cluster.postgres.query(`select ${select} ${leaders} limit 1`)
      if (found !== undefined) return toStruck(found)
      await pause(lookMs)
    }
  }

  return {
    faults,

    /** A node that runs, whatever it does. */
    killNode: async (): Promise<void> => {
      const running = await someToStrike()
      crash(running[Math.floor(Math.random() * running.length)] ?? 0)
    },

    /** The session alone: PostgreSQL ends it in the middle of what it does, as an operator or a lost connection would. */
    endLeader: (): Promise<Struck> =>
      findLeader('a.query, a.client_port as port, pg_terminate_backend(a.pid) as ended'),

    /** The node whose session it is. */
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

    /** Waits until all nodes run again. */
    settle: async (): Promise<void> => {
      await Promise.all(starting.values())
    },
  }
}

export type Strikes = ReturnType<typeof createStrikes>
