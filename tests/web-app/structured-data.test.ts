// Structured data of trails and photos for search engines, which no text can break out of.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { startWaymark } from '../helpers/waymark.ts'

const nasty = `<script>alert("1")</script>&'`

test('describes photos and trails to search engines, in blocks that no text in them can end', async (t) => {
  const folder = await makeTinyApp()
  const waymark = await startWaymark({ webFolder: folder, environment: { WEB_APP: 'on' } })
  t.after(async () => {
    await waymark.close()
    await rm(folder, { recursive: true })
  })
  const reviewer = await waymark.addPerson({ role: 'reviewer' })
  const pageAt = async (address: string) => ({ text: await (await waymark.fetch(address)).text() })
  await waymark.addTrail(10, `Told ${nasty}`, 'told')
  const image = await waymark.upload(reviewer, 10, await jpegPicture({ width: 33 }))
  await waymark.fetch(`/v2/images/${image}`, {
    method: 'PATCH',
    token: reviewer.token,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: nasty, caption: '<img src=x onerror=alert(1)></script><!--' }),
  })
  await waymark.review(reviewer, image, 'approve')
  type Graph = { '@graph': { '@type': string; name?: string; caption?: string; contentUrl?: string }[] }
  const graphAt = async (address: string): Promise<Graph['@graph']> => {
    const { text } = await pageAt(address)
    assert.doesNotMatch(text, /<img src=x|<script>alert/)
    const [, found = ''] = /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(text) ?? []
    return (JSON.parse(found) as Graph)['@graph']
  }
  const [photo, way] = await graphAt(`/t/told/${image}`)
  assert.deepEqual([photo?.['@type'], way?.['@type']], ['ImageObject', 'BreadcrumbList'])
  assert.deepEqual([photo?.name, photo?.caption], [nasty, '<img src=x onerror=alert(1)></script><!--'])
  assert.match(photo?.contentUrl ?? '', new RegExp(`\\?id=${image}&t=lg$`))
  const [trail] = await graphAt('/t/told')
  assert.deepEqual([trail?.['@type'], trail?.name], ['TouristAttraction', `Told ${nasty}`])
})
