// Every XML answer, with awkward titles in it, before a judge that is not our code: xmllint.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { countCharacters } from '../../../src/shared/text/characters.ts'
import { corpusUrl, corpusAbsent } from '../../helpers/corpus.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const run = promisify(execFile)
const stringsFile = corpusUrl('strings/blns.json')

/** What xmllint says of the document under an XPath, or its complaint. */
async function ask(xml: string, expression: string): Promise<string> {
  const judged = run('xmllint', ['--xpath', expression, '-'])
  judged.child.stdin?.end(xml)
  return (await judged).stdout.replace(/\n$/, '')
}

async function awkwardTitles(): Promise<string[]> {
  const own = ['a & b < c > d', ']]>', 'line\nbreak\r\nand\ttab', 'é漢字🥾', '<![CDATA[x]]>', '&amp;&#65;']
  if (corpusAbsent !== undefined) return own
  const all = JSON.parse(await readFile(stringsFile, 'utf8')) as string[]
  return [...own, ...all.filter((text) => text.trim() !== '' && countCharacters(text) <= 256).slice(0, 60)]
}

test('C8: XML responses are well-formed, and contain the title that was set', async (t) => {
  const hasXmllint = await run('xmllint', ['--version']).then(Boolean, () => false)
  if (!hasXmllint) return t.skip('xmllint is not installed')
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  await waymark.addTrail(1, 'Trail & <Path>', 'trail')
  const member = await waymark.addPerson({ name: 'Ann & "Bob"' })
  const imageId = await waymark.upload(member, 1, await jpegPicture())
  const address = `/Trails/1/Images/${imageId}`
  const xml = { accept: 'application/xml' }

  for (const title of await awkwardTitles()) {
    const put = await waymark.fetch(address, {
      method: 'PUT',
      token: member.token,
      headers: { 'content-type': 'application/json', ...xml },
      body: JSON.stringify({ title }),
    })
    const answer = await put.text()
    if (put.status === 400) {
      assert.match(await ask(answer, 'local-name(/*)'), /^problem$/, 'a refusal is well-formed too')
      continue
    }
    assert.equal(await ask(answer, 'string(/boolean)'), 'true')
    const got = await waymark.fetch(address, { token: member.token, headers: xml })
    const body = await got.text()
    assert.equal(await ask(body, 'string(/TrailImageDetails/title)'), title.replace(/\n$/, ''))
    assert.equal(await ask(body, 'string(/TrailImageDetails/trailName)'), 'Trail & <Path>')
  }
  const missing = await waymark.fetch('/Trails/x/Images', { token: member.token, headers: xml })
  assert.equal(await ask(await missing.text(), 'string(/*/*[local-name()="title"])'), 'Invalid Trail ID')
})
