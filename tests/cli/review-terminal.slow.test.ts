// waymark review at a terminal.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { until } from '../faults/harness/server.ts'
import { newFolder } from '../helpers/folders.ts'
import { startOauthSite } from '../helpers/oauth-site.ts'
import { sendJson, sendPhoto } from '../helpers/review-desk.ts'
import { atTerminal, skip } from './at-terminal.ts'

/** CSI as one character, which XML allows and terminals obey. */
const escape = '\u009B'

void test(
  'texts of a photo cannot control the terminal of its reviewer',
  { skip, timeout: 90_000 },
  async (t) => {
    const site = await startOauthSite(t)
    const { waymark } = site
    await waymark.addTrail(4711, 'Rim Trail')
    const member = await waymark.addPerson()
    const reviewer = await waymark.addPerson({ role: 'reviewer' })
    const imageId = await sendPhoto(waymark, member, 4711)
    const body = { title: `Lake${escape}2J`, caption: `North${escape}8m\nof the ford` }
    const { status } = await sendJson(waymark, 'PATCH', `/v2/images/${imageId}`, { body, person: member })
    assert.equal(status, 200)

    const dataDir = await newFolder(t)
    const settings = {
      WAYMARK_URL: site.url,
      WAYMARK_TOKEN: reviewer.token,
      XDG_CONFIG_HOME: path.join(dataDir, 'config'),
    }
    const { screen } = atTerminal(t, ['review'], dataDir, settings)
    // This terminal has no width, so lines break after every character.
    const text = (): string => screen.text.replaceAll(/\s|│/g, '')
    await until(() => text().includes('Approve'), 'the choice')
    assert.ok(text().includes('Lake?2J'), text())
    assert.ok(text().includes('North?8m?oftheford'), text())
    assert.ok(!text().includes(escape))
  },
)
