// Checks of requests for a trail's list: formats, conditions, and a trail that does not exist.
import { tell } from './asker.ts'
import { failed, passed, skipped, verdictOf, type Check } from './check.ts'

export const listWaysChecks: readonly Check[] = [
  {
    id: 'list-any-accept',
    about: ['C6'],
    title: 'Accept: */* gets JSON, and a client that accepts neither JSON nor XML gets 406',
    needs: ['trail', 'key'],
    look: async ({ ask, setPath, list }) => {
      const known = await list()
      if (!known.ok) return skipped(known.why)
      const any = await ask({ path: setPath, credential: 'key', accept: '*/*' })
      if (any.type !== 'application/json') return failed(any, `the response to Accept: */* was ${any.type}`)
      const none = await ask({ path: setPath, credential: 'key', accept: 'text/plain' })
      return verdictOf(
        none,
        none.status === 406 ? undefined : `the response to Accept: text/plain was ${none.status}`,
      )
    },
  },
  {
    id: 'list-etag',
    about: ['C39', 'C6'],
    title: 'The list has an ETag, If-None-Match gets 304, and Vary contains Accept',
    needs: ['trail', 'key'],
    look: async ({ ask, setPath, list }) => {
      const known = await list()
      if (!known.ok) return skipped(known.why)
      const { answer } = known.value
      const etag = answer.headers.get('etag')
      if (etag === null) return failed(answer, 'it has no ETag')
      if (!/\baccept\b/i.test(answer.headers.get('vary') ?? ''))
        return failed(answer, 'Vary does not contain Accept')
      const again = await ask({ path: setPath, credential: 'key', headers: { 'if-none-match': etag } })
      return again.status === 304 ? passed : failed(again, `If-None-Match with that ETag got ${again.status}`)
    },
  },
  {
    id: 'unknown-trail',
    about: ['C4'],
    title: 'A trail that does not exist returns 404 Invalid Trail ID',
    needs: ['key'],
    look: async ({ ask, isPrefixed }) => {
      const path = `${isPrefixed ? '/V1' : ''}/Trails/9007199254740991/Images/`
      const answer = await ask({ path, credential: 'key' })
      const isRefused = answer.status === 404 && answer.text.includes('Invalid Trail ID')
      return verdictOf(answer, isRefused ? undefined : `the response was ${tell(answer)}`)
    },
  },
]
