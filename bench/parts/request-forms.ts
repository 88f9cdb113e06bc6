// Realistic headers of browsers, clients, proxies and CDNs.

export type Headers = Readonly<Record<string, string>>

const chrome: Headers = {
  'sec-ch-ua': '"Chromium";v="148", "Not A(Brand";v="24"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Linux"',
  'User-Agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-US,en;q=0.9',
}

/** For an `img` on one of our pages. */
const chromeImage: Headers = {
  ...chrome,
  Accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Dest': 'image',
  Referer: 'https://trails.example/t/appalachian-trail',
}

/** For a page. */
const chromePage: Headers = {
  ...chrome,
  Accept:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  'Cache-Control': 'max-age=0',
  'Upgrade-Insecure-Requests': '1',
  'Sec-Fetch-Site': 'none',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-User': '?1',
  'Sec-Fetch-Dest': 'document',
}

/** For fetch() on a page of another origin. */
const chromeFetch: Headers = {
  ...chrome,
  Accept: '*/*',
  Origin: 'https://app.example',
  Referer: 'https://app.example/',
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
}

const axios: Headers = {
  Accept: 'application/json, text/plain, */*',
  'User-Agent': 'axios/1.12.2',
  'Accept-Encoding': 'gzip, compress, deflate, br',
}

const curl: Headers = { 'User-Agent': 'curl/8.14.1', Accept: '*/*' }

const traefik: Headers = {
  'X-Forwarded-For': '203.0.113.9',
  'X-Forwarded-Host': 'trails.example',
  'X-Forwarded-Port': '443',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Server': '3f1c0a9d7b52',
  'X-Real-Ip': '203.0.113.9',
}

const loadBalancer: Headers = {
  'X-Forwarded-For': '203.0.113.9',
  'X-Forwarded-Port': '443',
  'X-Forwarded-Proto': 'https',
  'X-Amzn-Trace-Id': 'Root=1-67891233-abcdef012345678912345678',
}

const cloudflare: Headers = {
  'Accept-Encoding': 'gzip, br',
  'CDN-Loop': 'cloudflare; loops=1',
  'CF-Connecting-IP': '203.0.113.9',
  'CF-IPCountry': 'DE',
  'CF-Ray': '8f1c0a9d7b52aaaa-FRA',
  'CF-Visitor': '{"scheme":"https"}',
  'X-Forwarded-For': '203.0.113.9',
  'X-Forwarded-Proto': 'https',
}

const doNotTrack: Headers = { DNT: '1', 'Sec-GPC': '1' }

/** Set by other applications on the same domain. */
const cookies: Headers = {
  Cookie: `_ga=GA1.1.1234567890.1712345678; consent=${'eyJhbGwiOnRydWV9'.repeat(124)}`,
}

/** Each is one client, directly or behind one proxy. */
export const headerSets = {
  plain: {},
  curl,
  axios,
  chromeImage,
  chromePage,
  chromeFetch,
  chromeOfTraefik: { ...chromeImage, ...traefik },
  chromeOfLoadBalancer: { ...chromeFetch, ...loadBalancer },
  chromeOfCloudflare: { ...chromeImage, ...cloudflare },
  chromePageOfCloudflare: { ...chromePage, ...cloudflare },
  chromeWithCookies: { ...chromeImage, ...doNotTrack, ...cookies },
  curlOfTraefik: { ...curl, ...traefik },
  axiosOfLoadBalancer: { ...axios, ...loadBalancer },
  axiosOfCloudflare: { ...axios, ...cloudflare },
} as const satisfies Record<string, Headers>

export type HeaderSet = keyof typeof headerSets
