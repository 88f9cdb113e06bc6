// The colour profile of a PNG: kept if valid, without additional data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync, inflateSync } from 'node:zlib'
import { cleanProfile } from '../../../../src/imaging/formats/png/png-profile.ts'
import { makeProfile } from '../../../helpers/bmp-builder.ts'

const profile = Buffer.from(makeProfile())
const chunk = (compressed: Uint8Array, name = 'Display'): Buffer =>
  Buffer.concat([Buffer.from(`${name}\0\0`, 'latin1'), compressed])

/** The served profile; undefined if there is none. */
function servedOf(data: Uint8Array): Buffer | undefined {
  const cleaned = cleanProfile(data)
  if (cleaned === undefined) return undefined
  assert.equal(Buffer.from(cleaned.subarray(0, 5)).toString('latin1'), 'ICC\0\0')
  return inflateSync(cleaned.subarray(5))
}

void test('C25: a profile is kept byte for byte, without its name', () => {
  assert.deepEqual(servedOf(chunk(deflateSync(profile), 'C:\\Users\\jane')), profile)
  for (const level of [0, 1, 9]) assert.deepEqual(servedOf(chunk(deflateSync(profile, { level }))), profile)
})

void test('C25: bytes after a profile are dropped, inside its compressed stream and after it', () => {
  const inside = Buffer.concat([profile, Buffer.from('SECRET')])
  const after = Buffer.concat([deflateSync(profile), Buffer.from('SECRET')])
  assert.deepEqual(servedOf(chunk(deflateSync(inside))), profile)
  assert.deepEqual(servedOf(chunk(after)), profile)
})

void test('an invalid profile is dropped', () => {
  const unsigned = Buffer.from(profile).fill(0, 36, 40)
  const short = Buffer.from(profile.subarray(0, 120))
  const others: Readonly<Record<string, Uint8Array>> = {
    'no signature': chunk(deflateSync(unsigned)),
    'shorter than it says': chunk(deflateSync(profile.subarray(0, -1))),
    'shorter than a header': chunk(deflateSync(short)),
    'a length shorter than a header': chunk(deflateSync(Buffer.from(profile).fill(0, 0, 4))),
    'no compressed stream': chunk(profile),
    'a cut stream': chunk(deflateSync(profile).subarray(0, -8)),
    'no name': chunk(deflateSync(profile), ''),
    'a name of 80 letters': chunk(deflateSync(profile), 'x'.repeat(80)),
    'another compression': Buffer.concat([Buffer.from('a\0\x01', 'latin1'), deflateSync(profile)]),
    'nothing at all': Buffer.alloc(0),
    'a bomb': chunk(deflateSync(Buffer.alloc(40_000_000))),
  }
  for (const [name, data] of Object.entries(others)) assert.equal(servedOf(data), undefined, name)
})
