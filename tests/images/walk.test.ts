// The life of one image: upload, details, review, list in both formats, five sizes (contract A1–A5).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'

void test('an image is uploaded, described, reviewed, listed and viewed in five sizes', async (t) => {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail', 'rim-trail')
  const member = await waymark.addPerson({ name: 'Ana' })
  const reviewer = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
  const key = await waymark.addKey(member.accountId)
  const list = async (accept: string) => {
    const answer = await waymark.fetch(`/V1/Trails/4711/Images/?api_key=${key}`, { headers: { accept } })
    return answer.text()
  }

  const imageId = await waymark.upload(member, 4711, await jpegPicture({ width: 1200, height: 800 }))
  assert.equal(await list('application/json'), '[]')

  const details = await waymark.fetch(`/Trails/4711/Images/${imageId}`, {
    method: 'PUT',
    token: member.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Bridge / north', caption: '', lat: '45.5231', lon: '-122.6765' }),
  })
  assert.equal(details.status, 200)
  assert.equal(await details.text(), 'true')

  const approved = await waymark.review(reviewer, imageId, 'approve')
  assert.equal(approved.status, 200)
  assert.equal(((await approved.json()) as { status: string }).status, 'approved')

  const json = JSON.parse(await list('application/json')) as {
    imageID: number
    title: string
    caption: string
  }[]
  assert.deepEqual(
    json.map(({ imageID, title, caption }) => ({ imageID, title, caption })),
    [{ imageID: imageId, title: 'Bridge / north', caption: ' ' }],
  )
  assert.match(await list('application/xml'), new RegExp(`<imageID>${imageId}</imageID>`))

  const sizes = { sm: [100, 67], 150: [150, 150], md: [300, 200], 640: [640, 427], lg: [1200, 800] } as const
  for (const [size, [width, height]] of Object.entries(sizes)) {
    const view = await waymark.fetch(`/ImageHandler?id=${imageId}&t=${size}`)
    assert.equal(view.status, 200)
    assert.equal(view.headers.get('content-type'), 'image/jpeg')
    const seen = await sharp(Buffer.from(await view.arrayBuffer())).metadata()
    assert.deepEqual([seen.width, seen.height], [width, height], size)
  }
})
