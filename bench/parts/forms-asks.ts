// The same requests as users, clients and proxies send them: every URL spelling with every set of headers, by row of the
// goals.
import type { Ask } from './load.ts'
import { quietTrail, type FormsData } from './forms-data.ts'
import { headerSets, type Headers, type HeaderSet } from './request-forms.ts'

export interface Form {
  readonly name: string
  readonly set: HeaderSet
  readonly ask: Ask
  /** The response changes with any other trail, so it is not requested while writes happen. */
  readonly isOfAllTrails?: boolean
}

export interface FormsRow {
  readonly name: string
  readonly atMost: number
  readonly stretch?: number
  readonly forms: readonly Form[]
}

type Rest = Omit<Ask, 'path' | 'headers'> & { readonly headers?: Headers }

function form(name: string, set: HeaderSet, path: string, { headers, ...rest }: Rest = {}): Form {
  return { name: `${name}, ${set}`, set, ask: { path, ...rest, headers: { ...headerSets[set], ...headers } } }
}

const ofAllTrails = (of: Form): Form => ({ ...of, isOfAllTrails: true })
const json = { headers: { Accept: 'application/json' } }
const xml = { headers: { Accept: 'text/xml' } }
const gzip = { headers: { Accept: 'application/json', 'Accept-Encoding': 'gzip' } }
const brotli = { headers: { Accept: 'application/json', 'Accept-Encoding': 'br' } }

/** @param etags of the list and the view. */
export function rowsOfForms(data: FormsData, etags: { readonly list: string; readonly view: string }) {
  const { memberId, token } = data
  const key = data.keys[0] ?? ''
  const image = data.imageIds[0] ?? 0
  const route = data.routeIds[0] ?? 0
  const withKey = `api_key=${key}`
  const view = `/ImageHandler?id=${image}&t=sm`
  const list = `/Trails/${quietTrail}/Images`
  const details = `${list}/${image}`
  const ownRoute = `/Accounts/${memberId}/Routes/${route}`
  const bearer = { headers: { Authorization: `Bearer ${token}` } }
  const unless = (etag: string) => ({ headers: { 'If-None-Match': etag }, status: 304 })
  const preflight = (method: string) => ({
    method: 'OPTIONS',
    status: 204,
    headers: {
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  })

  const reads: readonly FormsRow[] = [
    {
      name: 'view',
      atMost: 1.8,
      stretch: 1.6,
      forms: [
        form('exact', 'plain', view),
        form('exact', 'chromeImage', view),
        form('exact', 'chromeOfTraefik', view),
        form('exact', 'chromeOfCloudflare', view),
        form('exact', 'chromeWithCookies', view),
        form('exact', 'chromeOfLoadBalancer', view),
        form('t before id, lower case', 'curl', `/imagehandler?t=sm&id=${image}`),
        form('HEAD', 'curlOfTraefik', view, { method: 'HEAD' }),
      ],
    },
    {
      name: 'list',
      atMost: 1.8,
      stretch: 1.6,
      forms: [
        form('exact, JSON', 'plain', `${list}?${withKey}`, json),
        form('slash', 'curl', `${list}/?${withKey}`),
        form('slash, XML', 'curl', `${list}/?${withKey}`, xml),
        form('lower case', 'axiosOfLoadBalancer', `${list.toLowerCase()}?${withKey}`),
        form('slash', 'axiosOfCloudflare', `${list}/?${withKey}`),
        form('of another origin', 'chromeFetch', `${list}?${withKey}`),
        form('gzip', 'plain', `${list}/?${withKey}`, gzip),
        form('br', 'plain', `${list}/?${withKey}`, brotli),
        form('token', 'axios', list, bearer),
        form('cookies', 'chromeWithCookies', `${list}?${withKey}`, json),
      ],
    },
    {
      name: '304',
      atMost: 1.8,
      stretch: 1.6,
      forms: [
        form('list', 'plain', `${list}/?${withKey}`, {
          ...unless(etags.list),
          headers: { ...json.headers, 'If-None-Match': etags.list },
        }),
        form('view', 'chromeOfCloudflare', view, unless(etags.view)),
        form('view', 'chromeWithCookies', view, unless(etags.view)),
      ],
    },
    {
      name: 'details',
      atMost: 1.8,
      stretch: 1.6,
      forms: [
        form('exact', 'curlOfTraefik', `${details}?${withKey}`),
        form('slash', 'axiosOfLoadBalancer', `${details}/?${withKey}`),
        form('lower case', 'chromeFetch', `${details.toLowerCase()}?${withKey}`),
        form('token', 'axiosOfCloudflare', details, bearer),
      ],
    },
    {
      name: 'route',
      atMost: 1.8,
      stretch: 1.6,
      forms: [
        form('exact', 'plain', ownRoute, bearer),
        form('slash, lower case', 'axiosOfCloudflare', `${ownRoute.toLowerCase()}/`, bearer),
        form('cookies', 'chromeWithCookies', ownRoute, bearer),
      ],
    },
    {
      name: 'v2',
      atMost: 2.2,
      forms: [
        form('image, key', 'curlOfTraefik', `/v2/images/${image}?${withKey}`),
        form('image, token', 'axiosOfLoadBalancer', `/v2/images/${image}`, bearer),
        form('trail', 'chromeFetch', `/v2/trails/${quietTrail}?${withKey}`),
        form("trail's images, 20", 'axios', `/v2/trails/${quietTrail}/images?limit=20&${withKey}`),
        form("trail's images, 50", 'chromeFetch', `/v2/trails/${quietTrail}/images?limit=50&${withKey}`),
        ofAllTrails(form('images, 20', 'axiosOfCloudflare', '/v2/images?limit=20', bearer)),
        ofAllTrails(form('changes', 'curl', '/v2/changes?limit=20', bearer)),
        ofAllTrails(form('tile z6', 'chromeFetch', `/v2/tiles/6/19/23.mvt?${withKey}`)),
      ],
    },
  ]
  const refusals: FormsRow = {
    name: 'refusals',
    atMost: 2.5,
    forms: [
      form('401, list', 'curl', list, { status: 401 }),
      form('401, v2', 'chromeFetch', '/v2/images', { status: 401 }),
      form('404', 'chromePageOfCloudflare', '/nothing/here', { status: 404 }),
      form('404', 'curl', '/wp-login.php', { status: 404 }),
      form('preflight', 'chromeFetch', `${list}/`, preflight('GET')),
      form('preflight, v2', 'chromeFetch', `/v2/images/${image}`, preflight('GET')),
    ],
  }
  const pages: FormsRow = {
    name: 'public page',
    atMost: 4,
    forms: [
      form('trail', 'chromePage', '/t/appalachian-trail'),
      form('front', 'chromePageOfCloudflare', '/'),
      form('photo', 'chromePageOfCloudflare', `/i/${image}`),
    ],
  }
  return { reads, refusals, pages }
}

/** Each has a different URL and key. */
export const differentAsks = ({ keys, others }: FormsData): Ask[] =>
  keys.map((key, index) => {
    const { trailId = 0, imageIds = [] } = others[index % others.length] ?? {}
    const image = index % 2 === 0 ? '' : `/${imageIds[index % imageIds.length]}`
    return {
      path: `/Trails/${trailId}/Images${image}?api_key=${key}`,
      headers: headerSets.axios,
      isOfAnyLength: true,
    }
  })

const captions = ['Mist on the ridge, at dawn', 'Snow on the ridge, at noon']

/**
 * Each changes the caption.
 * @param round a number that differs each time.
 */
export const changesOf = (data: FormsData, method: 'PUT' | 'PATCH', round: number): Ask[] =>
  data.others.map(({ trailId, imageIds: [id = 0] }) => ({
    path: method === 'PUT' ? `/Trails/${trailId}/Images/${id}` : `/v2/images/${id}`,
    method,
    headers: {
      ...headerSets.axios,
      Authorization: `Bearer ${data.token}`,
      'Content-Type': 'application/json',
    },
    body: Buffer.from(JSON.stringify({ caption: captions[round % 2] })),
    isOfAnyLength: true,
  }))
