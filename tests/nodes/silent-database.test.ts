// Every endpoint while PostgreSQL is silent (issue 9): callers get an error in time, since no query is retried.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { fetchOf, labelOf, rowsOf } from '../auth/matrix/matrix.ts'
import { preparePeople, type ActorName } from '../auth/matrix/matrix-people.ts'
import { thingsOf, type Things } from '../auth/matrix/matrix-things.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { waitedMsOf } from '../helpers/waited.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

/** Issue 9. */
const maxMs = 3_500
/** More requests than connections, so that some wait for one. */
const atOnce = 48
const callers: readonly ActorName[] = ['none', 'key', 'all', 'sA']

interface Ask {
  readonly label: string
  readonly address: string
  readonly init: RequestInit
}

interface Reported extends Ask {
  readonly status: number
  readonly retryAfter: string | null
  /** Without the time in which other processes had the processor. */
  readonly milliseconds: number
}

void describe('an unresponsive PostgreSQL', { skip: whyNoPostgres() }, () => {
  let postgres: PostgresServer
  let proxy: TcpProxy
  let waymark: Waymark
  let webFolder = ''

  before(async () => {
    postgres = await startPostgres()
    proxy = await startTcpProxy({ port: postgres.port })
    const address = new URL(await postgres.createDatabase())
    address.port = String(proxy.port)
    webFolder = await makeTinyApp()
    waymark = await startWaymark({
      webFolder,
      environment: { WEB_APP: 'on', DATABASE_URL: address.href },
    })
  })

  after(async () => {
    await waymark?.close()
    await proxy?.end()
    await postgres?.end()
    await rm(webFolder, { recursive: true, force: true })
  })

  /** Every row of the matrix with these callers. Their data is created now, while that is possible. */
  async function askEverything(): Promise<Ask[]> {
    const people = await preparePeople(waymark)
    const asks: Ask[] = []
    for (const name of callers) {
      const caller = await people.as(name)
      const made = new Map<string, Things>()
      for (const row of rowsOf(waymark)) {
        const things =
          made.get(row.variant) ??
          (await thingsOf(waymark, people, row.variant, caller.accountId ?? people.member))
        made.set(row.variant, things)
        asks.push({ label: `${name}: ${labelOf(row)}`, ...fetchOf(row, things, caller) })
      }
    }
    return asks
  }

  /** Requests that are refused for their form before any query. */
  function askWhole(): Ask[] {
    const form = (label: string, address: string, fields: Record<string, string>): Ask => ({
      label,
      address,
      init: {
        method: 'POST',
        redirect: 'manual',
        headers: { 'sec-fetch-site': 'same-origin', origin: 'https://trails.example' },
        body: new URLSearchParams(fields),
      },
    })
    const client = { client_id: 'wmc_unknown', client_secret: 'unknown' }
    const callback = 'https://gallery.example/back'
    const code = { response_type: 'code', redirect_uri: callback, state: 'x', code_challenge: 'A'.repeat(43) }
    const query = new URLSearchParams({ ...client, ...code, code_challenge_method: 'S256' })
    return [
      { label: 'authorize', address: `/oauth/authorize?${query.toString()}`, init: { redirect: 'manual' } },
      form('token', '/oauth/token', { grant_type: 'client_credentials', ...client }),
      form('refresh', '/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x', ...client }),
      form('revoke', '/oauth/token/revocation', { token: 'x', ...client }),
      form('introspect', '/oauth/token/introspection', { token: 'x', ...client }),
      form('device', '/oauth/device/auth', client),
      form('sign in', '/sign-in', { email: 'ana@trails.example', password: 'a long password' }),
      form('forgotten', '/forgot', { email: 'ana@trails.example' }),
    ]
  }

  async function tell(ask: Ask): Promise<Reported> {
    const elapsed = () => performance.now() - waitedMsOf()
    const begun = elapsed()
    const answer = await fetch(waymark.url + ask.address, ask.init)
    await answer.arrayBuffer()
    const { status, headers } = answer
    return { ...ask, status, retryAfter: headers.get('retry-after'), milliseconds: elapsed() - begun }
  }

  void test('every endpoint with every kind of credential responds within 3.5 s, with 503 and Retry-After', async (t) => {
    const asks = [...(await askEverything()), ...askWhole()]
    proxy.trouble({ isSilent: true })
    const reported: Reported[] = []
    const left = asks.toReversed()
    const askOn = async (): Promise<void> => {
      for (let ask = left.pop(); ask !== undefined; ask = left.pop()) reported.push(await tell(ask))
    }
    await Promise.all(Array.from({ length: atOnce }, askOn))
    proxy.heal()

    const longest = Math.max(...reported.map(({ milliseconds }) => milliseconds))
    const refused = reported.filter(({ status }) => status === 503)
    t.diagnostic(
      `${reported.length} requests, ${refused.length} of them 503, longest answer ${longest.toFixed(0)} ms`,
    )
    const words = (those: readonly Reported[]) =>
      those.map(
        ({ label, status, milliseconds }) => `${status} after ${milliseconds.toFixed(0)} ms, ${label}`,
      )
    assert.deepEqual(words(reported.filter(({ milliseconds }) => milliseconds > maxMs)), [])
    assert.deepEqual(words(reported.filter(({ status }) => status >= 500 && status !== 503)), [])
    assert.deepEqual(words(refused.filter(({ retryAfter }) => retryAfter === null)), [])
    assert.ok(
      refused.length > reported.length / 4,
      `only ${refused.length} of ${reported.length} met the silence`,
    )
  })
})
