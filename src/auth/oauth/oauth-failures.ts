// Per request to the authorization server: once its store has failed, it is not queried again until the response is
// sent.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Adapter, AdapterFactory } from 'oidc-provider'

interface Asking {
  failure?: unknown
}

const asking = new AsyncLocalStorage<Asking>()

/** All store calls within `work` belong to one request. */
export function asOneRequest<T>(work: () => Promise<T>): Promise<T> {
  return asking.run({}, work)
}

/**
 * Runs a query within a request: after one has failed, any other fails at once.
 * @param isFailure tells an unavailable store from one that refused.
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
 * The store, which fails at once for the rest of a request after its first failure. To report an error, the provider
 * looks the client up again and swallows what then fails: with an unresponsive database, everyone would wait for it
 * twice.
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
