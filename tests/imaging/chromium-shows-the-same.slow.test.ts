// Chromium as an independent check: lg has the same pixels as the file itself, and CMYK pictures match the small sizes.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { examine } from '../../src/imaging/examine.ts'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import { makeBase } from '../../src/imaging/resize.ts'
import { openBrowser } from '../browser/harness.ts'
import { inkJpeg, mixtures, type AdobeTransform } from '../helpers/cmyk-fixtures.ts'
import { inspect } from '../helpers/imaging.ts'
import { corpusUrl } from '../helpers/corpus.ts'

const corpus = corpusUrl()
const folders = ['pngsuite/', 'gif/', 'bmp/g/', 'bmp/b/', 'found/']
/** Chromium animates them although they claim more frames than they have; the still picture is served. */
const damagedAnimations: ReadonlySet<string> = new Set([
  'chunk_multi_actl.png',
  'chunk_no_fctl.png',
  'syntax_num_frames_high.png',
])

/** Runs in the page: the pixels as a hash or as they are; undefined if no picture is shown. */
const readPixels = `async (address, isHashed) => {
  const image = new Image()
  image.src = address
  try { await image.decode() } catch { return undefined }
  const canvas = document.createElement('canvas')
  canvas.width = image.naturalWidth
  canvas.height = image.naturalHeight
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
  if (!isHashed) return Array.from(data)
  const digest = await crypto.subtle.digest('SHA-256', data)
  return canvas.width + 'x' + canvas.height + ' ' + new Uint8Array(digest).toHex()
}`

/** Chromium's result for a picture; undefined if Chromium is not installed. */
async function openJudge(t: TestContext) {
  const browser = await openBrowser(t)
  if (browser === undefined) return undefined
  const { page } = await browser.visit({ origins: ['http://localhost'] })
  // Digests are only available on secure origins.
  await page.route('http://localhost/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>' }),
  )
  await page.goto('http://localhost/')
  return (bytes: Uint8Array, mimeType: string, isHashed = true): Promise<unknown> => {
    const address = `data:${mimeType};base64,${Buffer.from(bytes).toString('base64')}`
    return page.evaluate(`(${readPixels})(${JSON.stringify(address)}, ${isHashed})`)
  }
}

test('C25: Chromium shows lg of each PNG, GIF and BMP of the corpus the same as the original file', async (t) => {
  if (!existsSync(corpus)) {
    t.skip(`no corpus at ${corpus.pathname}`)
    return
  }
  const show = await openJudge(t)
  if (show === undefined) return
  let compared = 0
  const different: string[] = []
  for (const folder of folders) {
    for (const name of readdirSync(new URL(folder, corpus))) {
      if (!/\.(png|gif|bmp)$/.test(name) || damagedAnimations.has(name)) continue
      const bytes = readFileSync(new URL(folder + name, corpus))
      const outcome = await examine(bytes, standardLimits)
      if (!outcome.ok) continue
      const { mimeType, renditions } = outcome.examined
      const large = renditions.find((one) => one.name === 'lg')?.bytes ?? new Uint8Array()
      const before = await show(bytes, mimeType)
      if (before === undefined) continue
      const after = await show(large, mimeType)
      if (after !== before) different.push(`${folder}${name}: ${JSON.stringify([before, after])}`)
      compared += 1
    }
  }
  t.diagnostic(`${compared} files compared`)
  assert.deepEqual(different, [])
  assert.ok(compared > 200, `${compared}`)
})

test('C25: Chromium shows CMYK without a profile like the small sizes', async (t) => {
  const show = await openJudge(t)
  if (show === undefined) return
  const transforms: readonly AdobeTransform[] = [0, undefined, 2]
  const files = transforms.map((transform): Uint8Array => inkJpeg(mixtures, { transform }))
  const found = new URL('found/jpg-cmyk-1.jpg', corpus)
  if (existsSync(found)) files.push(readFileSync(found))
  for (const file of files) {
    const { large, mimeType, source } = await inspect(file)
    const { data } = await makeBase(source)
    const shown = (await show(large, mimeType, false)) as readonly number[]
    const colours = Buffer.from(shown.filter((_, at) => at % 4 < 3))
    assert.ok(colours.equals(data))
  }
})
