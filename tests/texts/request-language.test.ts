// The language of a request: the cookie if it names an available one, else Accept-Language, else English.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageOf, realLanguage } from '../../src/texts/request-language.ts'

const byHeader: readonly (readonly [string, string])[] = [
  ['', 'en'],
  ['*', 'en'],
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE-ch, en;q=0.5', 'de'],
  ['de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7', 'de'],
  ['en-GB,en;q=0.9,de;q=0.8', 'en'],
  ['fr-CH, fr;q=0.9, de;q=0.3', 'de'],
  ['fr', 'en'],
  ['de;q=0', 'en'],
  ['en-XA', 'en'],
  [';;,=,q', 'en'],
]

void test('the language is chosen by Accept-Language', () => {
  assert.equal(languageOf({}), 'en')
  for (const [header, language] of byHeader)
    assert.equal(languageOf({ 'accept-language': header }), language, header)
})

void test('the cookie takes precedence if it names an available language or the pseudo-locale', () => {
  const of = (value: string) =>
    languageOf({ cookie: `a=b; waymark_language=${value}`, 'accept-language': 'de' })
  assert.equal(of('en'), 'en')
  assert.equal(of('de'), 'de')
  assert.equal(of('en-XA'), 'en-XA')
  for (const value of ['', 'fr', 'DE', 'constructor', '%', '"de', '<script>'])
    assert.equal(of(value), 'de', value)
  assert.equal(languageOf({ cookie: 'other_language=de' }), 'en')
})

void test('the pseudo-locale is only for pages', () => {
  assert.equal(realLanguage('en-XA'), 'en')
  assert.equal(realLanguage('de'), 'de')
})
