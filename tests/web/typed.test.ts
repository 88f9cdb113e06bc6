// A field bound to the URL: it follows the URL, and loses nothing while the user types.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, typedFrom, type Typed } from '../../web/ui/fields/typed.ts'

const type = (typed: Typed, text: string): Typed => ({ ...typed, text })
const tell = (typed: Typed): Typed => ({ ...typed, reported: typed.text.trim() })

void test('when the field’s own value comes back, text typed in the meantime stays', () => {
  const reported = tell(type(typedFrom(''), 'rim '))
  const typedOn = type(reported, 'rim t')
  const followed = follow(typedOn, 'rim')
  assert.equal(followed.text, 'rim t')
  assert.equal(follow(followed, 'rim'), followed)
})

void test('an address changed outside the field is shown, even if it is one that the field set before', () => {
  const searched = follow(tell(type(typedFrom(''), 'rim')), 'rim')
  const cleared = follow(searched, '')
  assert.equal(cleared.text, '')
  const back = follow(cleared, 'rim')
  assert.equal(back.text, 'rim')
})
