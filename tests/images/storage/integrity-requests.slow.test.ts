// Requests of `waymark check` to an S3 store: one per blob, HEAD or GET.
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { test } from 'node:test'
import { createIntegrity, type CheckDepth } from '../../../src/images/storage/integrity.ts'
import { isOfOriginal, nameIn, originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { digestOf } from '../../../src/images/storage/named-bytes.ts'
import { storeAsBefore } from '../../helpers/older-store.ts'
import { bmpStoredWhole, jpegPicture } from '../../helpers/pictures.ts'
import { startSwift, whyNoSwift } from '../../helpers/swift.ts'
import { startWaymark } from '../../helpers/waymark.ts'

void test(
  'a check reads each blob once, in every form in which a photo can be stored',
  { skip: whyNoSwift() },
  async (t) => {
    const swift = await startSwift()
    t.after(() => swift.end())
    Object.assign(process.env, swift.environment)
    const waymark = await startWaymark({ environment: { BLOB_URL: swift.blobUrl } })
    t.after(() => waymark.close())
    await waymark.addTrail(4711, 'Trail')
    const ann = await waymark.addPerson()
    const photos = [
      await jpegPicture({ seed: 1 }),
      await jpegPicture({ seed: 2 }),
      bmpStoredWhole({ seed: 3 }),
    ]
    for (const photo of photos) await waymark.upload(ann, 4711, photo)
    const { installation } = waymark
    const { database, blobs } = installation
    const [, older = '', whole = ''] = photos.map(digestOf)
    await storeAsBefore(installation, older)
    const keys = (await Array.fromAsync(blobs.list(''))).map(({ key }) => key)
    assert.ok(keys.includes(originalKey(older)) && keys.includes(originalKey(whole)))

    const asked: string[] = []
    const note = (message: unknown): void => {
      const { request } = message as { readonly request: ClientRequest }
      if (request.getHeader('host') === `127.0.0.1:${swift.port}`)
        asked.push(`${request.method} ${request.path.split('?')[0]?.slice('/waymark/'.length)}`)
    }
    subscribe('http.client.request.start', note)
    t.after(() => unsubscribe('http.client.request.start', note))
    const ask = async (depth: CheckDepth): Promise<string[]> => {
      asked.length = 0
      const { contents } = await createIntegrity({ database, blobs }).check(depth, ({ detail }) =>
        assert.fail(detail),
      )
      assert.equal(contents, 3)
      return asked.toSorted()
    }
    assert.deepEqual(await ask('bytes'), keys.map((key) => `GET ${key}`).toSorted())
    // The originals, and what they are rebuilt from.
    const ofOriginals = keys.filter((key) => {
      if (key === originalKey(older) || key === originalKey(whole)) return true
      const isTwice = key === renditionKey(older, 'lg') || key === renditionKey(whole, 'lg')
      return !isTwice && isOfOriginal(nameIn(key) ?? '')
    })
    assert.deepEqual(await ask('lengths'), ofOriginals.map((key) => `HEAD ${key}`).toSorted())
  },
)
