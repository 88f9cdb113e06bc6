// A server without the web app: not built, or turned off.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { startWaymark } from '../helpers/waymark.ts'

void describe('a server whose web app was not built', () => {
  it('says so on every page, and its API keeps working', async () => {
    const folder = await makeTinyApp()
    await rm(folder, { recursive: true })
    const waymark = await startWaymark({ webFolder: folder, environment: { WEB_APP: 'on' } })
    try {
      for (const address of ['/', '/t/rim', '/admin']) {
        const answer = await waymark.fetch(address)
        assert.equal(answer.status, 503)
        assert.equal(answer.headers.get('cache-control'), 'no-store')
        assert.match(await answer.text(), /The web app has not been built: run npm run build\./)
      }
      assert.equal((await waymark.fetch('/app/main-Aa1_-b2C.js')).status, 404)
      assert.equal((await waymark.fetch('/v2/site')).status, 200)
    } finally {
      await waymark.close()
    }
  })

  it('WEB_APP=off leaves the API, the embeds and a front page of links', async () => {
    const waymark = await startWaymark({ environment: { WEB_APP: 'off' } })
    try {
      assert.match(await (await waymark.fetch('/')).text(), /openapi/)
      assert.equal((await waymark.fetch('/upload')).status, 404)
      assert.equal((await waymark.fetch('/app/main-Aa1_-b2C.js')).status, 404)
    } finally {
      await waymark.close()
    }
  })
})
