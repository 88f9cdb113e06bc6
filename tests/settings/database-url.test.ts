// DATABASE_URL: what of PostgreSQL's own forms is not supported is refused by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/settings/config.ts'

for (const url of [
  'postgres://waymark@db1.example,db2.example/waymark',
  'postgres://waymark:secret@db1.example:5432,db2.example:5432/waymark',
  'postgresql://db1.example,db2.example/waymark',
  'postgres:///waymark?host=db1.example,db2.example',
  'postgres://db1.example/waymark?sslmode=require&host=a%2Cb',
])
  void test(`several hosts are refused: ${url}`, () => {
    assert.throws(() => readConfig({ DATABASE_URL: url }), {
      message: /^DATABASE_URL must name one host, since several are not supported: use an address .*\.$/,
    })
  })

for (const url of [
  'postgres://waymark:a,b@db.example/waymark',
  'postgres://db.example/way,mark',
  'postgres://db.example/waymark?application_name=a,b',
])
  void test(`one host is accepted: ${url}`, () => {
    assert.deepEqual(readConfig({ DATABASE_URL: url }).databasePlace, { engine: 'postgres', url })
  })
