// A minimal server build of the app, so that page rendering can be tested without the real one.

/** Replaces web/server.tsx with the same interface. It counts renders and prints its input. */
export const serverApp = (build: string): string => `
const asked = new URL(import.meta.url).searchParams
let renders = 0
export async function render({ url, locale, fetch }) {
  renders += 1
  if (url === '/not-found') return { html: '<p>missing ' + renders + '</p>', state: '[]' }
  const read = async (path) => {
    const answer = await fetch(asked.get('publicUrl') + path)
    if (!answer.ok) throw new Error(path + ': ' + answer.status)
    return answer.json()
  }
  if (url.includes('q=fail')) await read('/v2/me')
  if (url.includes('cursor=wrong')) throw Object.assign(new Error('invalid-parameter'), { status: 400 })
  if (url.includes('q=outside')) await fetch('http://127.0.0.1:9/')
  if (url.includes('q=limit')) throw Object.assign(new Error('Too Many Requests'), { status: 429 })
  if (url.includes('q=slow')) await new Promise(() => undefined)
  const site = await read('/v2/site')
  const trail = url.startsWith('/t/') ? await read('/v2/trails/7') : undefined
  const list = await read(url.startsWith('/t/') ? '/v2/trails/7/images' : '/v2/trails')
  const reported = {
    build: '${build}', renders, url, locale, language: asked.get('language'), viewer: site.viewer,
    name: trail?.name, photos: list.items.map(({ imageID, images }) => imageID ?? images),
  }
  return { html: '<p>rendered</p>', state: JSON.stringify(reported).replaceAll('<', '\\\\u003c') }
}
`
