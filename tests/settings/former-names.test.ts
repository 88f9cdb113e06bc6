// Settings that were renamed: both names are read, the former one with a warning, and a contradiction is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeRenamed, describeSettings, readConfig, settings } from '../../src/settings/config.ts'
import type { Setting } from '../../src/settings/setting-kinds.ts'

const renamed = Object.values(settings).filter(
  (setting: Setting<unknown>) => setting.formerName !== undefined,
) as Setting<unknown>[]

const lineOf = (environment: Readonly<Record<string, string>>, name: string) => {
  const line = describeSettings(environment).find(({ variable }) => variable === name)
  return line && { value: line.value, isDefault: line.isDefault }
}

void test('the former name is read, with its former values too', () => {
  assert.equal(readConfig({ EDITS: 'pend' }).edits, 'pend')
  assert.equal(readConfig({ EDITS: ' list ' }).edits, 'list')
  assert.equal(readConfig({ EDITED_PHOTOS: 'require-review' }).edits, 'pend')
  assert.equal(readConfig({ UPLOAD_FLOOR: '7' }).uploadFloorBytes, 7)
  assert.equal(readConfig({ DOWNLOAD_FLOOR: '8' }).downloadFloorBytes, 8)
  assert.equal(readConfig({ DISK_LOW: '0' }).diskLowMegabytes, 0)
  assert.throws(
    () => readConfig({ EDITS: 'constructor' }),
    /^RangeError: EDITED_PHOTOS must be keep-listed or/,
  )
})

void test('settings are listed under the new name, and count as set if the former one is', () => {
  assert.deepEqual(lineOf({ EDITS: 'pend' }, 'EDITED_PHOTOS'), { value: 'require-review', isDefault: false })
  assert.deepEqual(lineOf({}, 'EDITED_PHOTOS'), { value: 'keep-listed', isDefault: true })
  assert.deepEqual(lineOf({ EDITS: ' ' }, 'EDITED_PHOTOS'), { value: 'keep-listed', isDefault: true })
  assert.equal(lineOf({ EDITS: 'pend' }, 'EDITS'), undefined)
})

void test('the warning names both, once for each former name in use', () => {
  assert.deepEqual(describeRenamed({ EDITED_PHOTOS: 'require-review', EDITS: '' }), [])
  assert.deepEqual(describeRenamed({ EDITS: 'pend', PORT: '1' }), [
    'EDITS is now called EDITED_PHOTOS: set EDITED_PHOTOS=require-review instead. The former name will stop working in the next minor version.',
  ])
})

void test('both names with the same value are accepted, and with different ones refused in one sentence', () => {
  assert.equal(readConfig({ EDITS: 'pend', EDITED_PHOTOS: 'require-review' }).edits, 'pend')
  assert.throws(() => readConfig({ EDITS: 'pend', EDITED_PHOTOS: 'keep-listed' }), {
    name: 'RangeError',
    message: 'EDITED_PHOTOS must not differ from EDITS, its former name: remove EDITS from the environment.',
  })
  assert.equal(renamed.length, 4)
  for (const { variable, formerName = '' } of renamed) {
    const both = variable === 'EDITED_PHOTOS' ? ['keep-listed', 'pend'] : ['1', '2']
    assert.throws(
      () => readConfig({ [variable]: both[0], [formerName]: both[1] }),
      (error: Error) => error.message.startsWith(`${variable} must not differ from ${formerName}`),
    )
  }
})

void test('no former name is also the name of a setting, and each is used once', () => {
  const variables = new Set(Object.values(settings).map(({ variable }) => variable))
  const former = renamed.map(({ formerName }) => formerName ?? '')
  assert.deepEqual(
    former.filter((name) => variables.has(name)),
    [],
  )
  assert.equal(new Set(former).size, former.length)
})
