// Signed-in users at URLs without public content: that a trail does not exist is no secret.
import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { serverApp } from '../helpers/server-app.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const folder = await makeTinyApp()
await mkdir(path.join(folder, 'server'))
await writeFile(path.join(folder, 'server', 'server.js'), serverApp('one'))
const waymark = await startWaymark({ webFolder: folder, environment: { WEB_APP: 'on' } })
after(async () => {
  await waymark.close()
  await rm(folder, { recursive: true })
})
await waymark.addTrail(7, 'Rim Trail', 'rim')
const pending = await waymark.upload(await waymark.addPerson(), 7, await jpegPicture())
const member = await addSignedIn(waymark, 'member')

void test('an unknown trail returns 404 with the page that visitors get, and so does a photo on it', async () => {
  for (const address of ['/t/nothing', '/t/999', `/t/nothing/${pending}`]) {
    const { status, text } = await member.get(address)
    assert.equal(status, 404, address)
    assert.equal(text, await (await waymark.fetch(address)).text(), address)
    assert.match(text, /<title>Page not found · [\s\S]*<p>missing \d+<\/p>/)
  }
  assert.equal((await member.get('/t/rim')).status, 200)
})

void test('a photo or a route that is not visible to a member gets the same status as one that does not exist', async () => {
  const answers = await Promise.all(
    [`/t/rim/${pending}`, '/t/rim/999', '/routes/999', '/i/999'].map((at) => member.get(at)),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
})
