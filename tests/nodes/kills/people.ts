// Admins with different accounts who write at the same time, with tokens that are renewed.
import { createAccounts } from '../../../src/accounts/accounts.ts'
import { registerClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { hashPassword } from '../../../src/auth/passwords.ts'
import { scopes } from '../../../src/auth/scopes.ts'
import { requestToken, withInstallation } from '../../faults/harness/installation.ts'
import { until } from '../../faults/harness/server.ts'
import type { Cluster } from '../../helpers/cluster.ts'
import type { Person } from './writers.ts'

/** A token lives for 15 minutes. */
const tokenForMs = 300_000

interface Client {
  readonly accountId: number
  readonly authorization: string
}

const addClients = (cluster: Cluster, count: number): Promise<Client[]> =>
  withInstallation(
    cluster.folder,
    async ({ database: { db }, system }) => {
      const accounts = createAccounts({ db, system, hashPassword })
      const made: Client[] = []
      for (let at = 0; at < count; at += 1) {
        const accountId = await accounts.create({
          email: `writer${at}@trails.example`,
          displayName: `Writer ${at}`,
          role: 'admin',
          id: undefined,
          password: undefined,
        })
        const { clientId, clientSecret = '' } = await registerClient(db, {
          accountId,
          name: 'kills',
          scope: scopes.join(' '),
          now: system.now(),
          isPublic: false,
          redirectUris: [],
        })
        const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
        made.push({ accountId, authorization: `Basic ${basic}` })
      }
      return made
    },
    cluster.settings,
  )

/** Creates this many accounts. Call `renew` from time to time. */
export async function preparePeople(cluster: Cluster, count: number) {
  const clients = await addClients(cluster, count)
  const tokens = new Map<number, string>()
  let renewedAt = 0

  async function renewOne({ accountId, authorization }: Client): Promise<void> {
    let at = 0
    await until(async () => {
      const url = cluster.nodeUrls[(at += 1) % cluster.nodeUrls.length] ?? ''
      const answer = await requestToken(url, authorization).catch(() => undefined)
      if (answer?.status !== 200) return false
      tokens.set(accountId, ((await answer.json()) as { access_token: string }).access_token)
      return true
    }, 'a token')
  }

  async function renew(): Promise<void> {
    if (renewedAt > 0 && performance.now() - renewedAt < tokenForMs) return
    renewedAt = performance.now()
    for (const client of clients) await renewOne(client)
  }

  await renew()
  const people = clients.map(({ accountId }): Person => ({
    accountId,
    get token() {
      return tokens.get(accountId) ?? ''
    },
  }))
  return { people, renew }
}
