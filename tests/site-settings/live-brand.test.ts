// The in-memory copy of the branding: never behind a commit for waiting readers, and unchanged if it cannot be read.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { byCommand } from '../../src/accounts/audit/audit.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createLiveBrand } from '../../src/site-settings/branding/live-brand.ts'
import { saveChoice } from '../../src/site-settings/site-settings.ts'
import { newFolder } from '../helpers/folders.ts'
import { plain } from './branding-helpers.ts'

async function open(t: TestContext) {
  const database = await openDatabase({ engine: 'sqlite', file: `${await newFolder(t)}/waymark.sqlite` })
  let isClosed = false
  const close = async (): Promise<void> => {
    if (!isClosed) await database.close()
    isClosed = true
  }
  t.after(close)
  await migrate(database)
  const { db, changes } = database
  const live = await createLiveBrand({ db, changes, siteName: 'Setting' })
  const call = (name: string) => saveChoice(db, 'branding', { ...plain, name }, { by: byCommand, at: 1 })
  return { live, call, close }
}

void test('a request that waits sees every earlier commit, even if it joins a read that started before the commit', async (t) => {
  const { live, call } = await open(t)
  assert.equal(live.brand().name, 'Setting')
  assert.equal(live.isPresent(), true)
  assert.equal(live.follow(), undefined)
  await call('One')
  assert.equal(live.isPresent(), false)
  const first = live.follow()
  const second = call('Two').then(async () => {
    await live.follow()
    return live.brand().name
  })
  assert.equal(await second, 'Two')
  await first
  assert.equal((await live.present()).name, 'Two')
  assert.equal(live.isPresent(), true)
})

void test('a notification starts a read and does not wait for it; if reading fails, the branding stays', async (t) => {
  const { live, call, close } = await open(t)
  await call('One')
  assert.equal(live.notice(), undefined)
  assert.equal(live.brand().name, 'Setting')
  await live.follow()
  assert.equal(live.brand().name, 'One')
  await call('Two')
  await close()
  live.notice()
  await assert.rejects(async () => live.follow())
  assert.equal(live.brand().name, 'One')
  assert.equal(live.isPresent(), false)
})
