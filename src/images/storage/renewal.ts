// Makes renditions of older versions anew, so that what is served of them holds no more than what is served of new ones.
import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../database/database.ts'
import { findReadOnly } from '../../database/read-only.ts'
import { Refusal } from '../../errors.ts'
import { countOutdated, listOutdated } from './rendition-table.ts'
import type { RenditionStore } from '../view/rendition-store.ts'

const contentsAtOnce = 100

export interface Renewed {
  readonly renewed: number
  /** Of which nothing new can be made: they are served as they are. */
  readonly notRenewable: number
  readonly outdated: number
}

export interface RenewalDependencies {
  readonly db: Db
  readonly store: Pick<RenditionStore, 'renew'>
  /** Photos of one pass, each some 0.1 seconds of a worker. */
  readonly maxPerPass: number
}

export function createRenewal({ db, store, maxPerPass }: RenewalDependencies) {
  const stopping = new AbortController()

  async function pass(counts: { renewed: number; notRenewable: number }): Promise<void> {
    for (let done = 0; done < maxPerPass;) {
      const contents = await listOutdated(db, Math.min(contentsAtOnce, maxPerPass - done))
      for (const sha256 of contents) {
        if (stopping.signal.aborted || (await findReadOnly(db))) return
        counts[(await store.renew(sha256)) ? 'renewed' : 'notRenewable'] += 1
        await setImmediate()
      }
      if (contents.length === 0) return
      done += contents.length
    }
  }

  return {
    /**
     * One pass; what is left is for the next one. It ends early where the workers are busy.
     * @throws what the system says where it does not answer.
     */
    catchUp: async (): Promise<Renewed> => {
      const counts = { renewed: 0, notRenewable: 0 }
      try {
        await pass(counts)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
      }
      return { ...counts, outdated: await countOutdated(db) }
    },

    /** From now on nothing more is begun. */
    stop: (): void => stopping.abort(),
  }
}

export type Renewal = ReturnType<typeof createRenewal>
