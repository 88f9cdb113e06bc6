// Of one request to the authorization server: once its store has failed, it is asked nothing more until the answer is out.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Adapter, AdapterFactory } from 'oidc-provider'

interface Asking {
  failure?: unknown
}

const asking = new AsyncLocalStorage<Asking>()

/** What is asked of the store within `work` belongs to one request. */
export function asOneRequest<T>(work: () => Promise<T>): Promise<T> {
  return asking.run({}, work)
}

/**
 * Asks within a request: once one question has failed, any other fails at once.
 * @param isFailure tells a store that does not answer from one that answered no.
 */
export function createAsking(isFailure: (error: unknown) => boolean) {
  return async <Found>(ask: () => Promise<Found>): Promise<Found> => {
    const request = asking.getStore()
    if (request?.failure !== undefined) throw request.failure
    try {
      return await ask()
    } catch (error) {
      if (request && isFailure(error)) request.failure = error
      throw error
    }
  }
}

export type AskOnce = ReturnType<typeof createAsking>

/**
 * The store, which after a failure fails at once for the rest of the request. The provider looks for the client again to
 * tell an error, and swallows what then goes wrong: where a database is silent, everybody would wait for it twice.
 */
export function failingOnce(store: AdapterFactory, askOnce: AskOnce): AdapterFactory {
  const once =
    <Values extends unknown[], Found>(ask: (...values: Values) => Promise<Found>) =>
    (...values: Values): Promise<Found> =>
      askOnce(() => ask(...values))
  return (kind): Adapter => {
    const adapter = store(kind)
    return {
      upsert: once(adapter.upsert),
      find: once(adapter.find),
      findByUid: once(adapter.findByUid),
      findByUserCode: once(adapter.findByUserCode),
      consume: once(adapter.consume),
      destroy: once(adapter.destroy),
      revokeByGrantId: once(adapter.revokeByGrantId),
    }
  }
}
