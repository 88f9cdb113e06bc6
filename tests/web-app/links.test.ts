// Links into the web app: back after signing in, and from emails about photos.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeNext } from '../../src/sign-in/page-parts.ts'

void test('after signing in, people return to the address of the app they came from, including its query', () => {
  for (const address of [
    '/',
    '/t/rim',
    '/t/%C3%B6sterleden/7032948306857665?from=map&bbox=-122.5,45.1,-122,45.9',
    '/review?status=pending&trail=7',
    '/routes/new?',
    '/admin/accounts?q=ann%40trails.example',
    '/?q=rim',
  ])
    assert.equal(safeNext(address), address)
})

void test('trust 50: no address that a browser could take for another site is followed', () => {
  for (const address of [
    '',
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    '/a//evil.example',
    '/.evil.example',
    '/%2fevil.example',
    '/@evil.example',
    'javascript:alert(1)',
    '/a#b',
    '/a?b=<script>',
    '/a?b=c d',
    '/a\r\nSet-Cookie: x=y',
    '/a?x=\n',
    ['/t/rim'],
    undefined,
  ])
    assert.equal(safeNext(address), '/', String(address))
})
