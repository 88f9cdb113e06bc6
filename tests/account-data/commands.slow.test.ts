// waymark accounts takeout and accounts delete: output as JSON and text, and exit codes (contract D4).
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, it } from 'node:test'
import { renditionKey } from '../../src/images/storage/blob-keys.ts'
import { newFolder } from '../helpers/folders.ts'
import { addOwner, filesIn, furnish, jsonOf } from '../helpers/leaving.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { assertOneSentence, done, run, runJson } from '../cli/run-waymark.ts'

void describe('accounts takeout, accounts delete (issue 6)', () => {
  void it('write a ZIP, delete the account while a server runs, and refuse invalid arguments', async (t) => {
    const dataDir = await newFolder(t)
    const waymark = await startWaymark({ dataDir })
    t.after(() => waymark.close())
    await waymark.addTrail(4711, 'Rim Trail')
    const reviewer = await waymark.addPerson({ role: 'reviewer' })
    const owner = await addOwner(waymark)
    const has = await furnish(waymark, owner, { trailId: 4711, reviewer, mark: 'anns' })
    const options = { dataDir }
    const id = String(owner.accountId)
    const file = path.join(await newFolder(t), 'anns.zip')

    const taken = (await done(['accounts', 'takeout', id, file], options)) as Record<string, unknown>
    const zip = await readFile(file)
    assert.deepEqual(taken, {
      acctID: owner.accountId,
      file,
      photos: 3,
      routes: 2,
      missing: 0,
      bytes: zip.length,
    })
    const files = await filesIn(zip)
    for (const [imageId, original] of has.originals)
      assert.ok(files.get(`photos/${imageId}.jpg`)?.equals(original))
    assert.equal((jsonOf(files, 'account.json') as { email: string }).email, owner.email)

    const again = await run(['accounts', 'takeout', id, file], options)
    assert.equal(again.exitCode, 2)
    assertOneSentence(again.stderr)
    const { sha256 } = await waymark.installation.database.db
      .selectFrom('image')
      .select('sha256')
      .where('id', '=', has.images.pending)
      .executeTakeFirstOrThrow()
    await waymark.installation.blobs.remove(renditionKey(sha256, 'lg')) // which holds the original
    const short = await run(['accounts', 'takeout', id, file, '--force'], options)
    assert.equal(short.exitCode, 2)
    assert.match(short.stdout, /^Wrote 2 photos and 2 routes .*\n1 file could not be read; see MISSING\.txt/)

    for (const wrong of [
      ['accounts', 'delete', id],
      ['accounts', 'delete', id, '--photos', 'some'],
    ]) {
      const answer = await run(wrong, options)
      assert.equal(answer.exitCode, 1)
      assertOneSentence(answer.stderr)
    }
    const gone = await run(['accounts', 'delete', id, '--photos', 'keep'], options)
    assert.equal(gone.exitCode, 0, gone.stderr)
    assert.match(gone.stdout, /^Deleted account \d+ with 2 photos and 2 routes\./)
    assert.match(gone.stdout, /Still published, credited to a former member: 1 photo\./)
    assert.equal((await owner.call('GET', '/v2/me')).status, 401)
    for (const args of [
      ['delete', id, '--photos', 'keep'],
      ['takeout', id, `${file}.2`],
    ]) {
      const { exitCode, document } = await runJson(['accounts', ...args], options)
      assert.deepEqual(
        [exitCode, (document as { error: { code: string } }).error.code],
        [2, 'invalid-account-id'],
      )
    }
    const second = await addOwner(waymark)
    const report = await done(['accounts', 'delete', String(second.accountId), '--photos', 'delete'], options)
    assert.equal((report as { photosDeleted: number }).photosDeleted, 0)
  })
})
