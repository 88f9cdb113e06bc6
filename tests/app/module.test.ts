// Modules: started in order, each with what those before it gave, and closed in reverse.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compose, type Module } from '../../src/app/module.ts'

function listed() {
  const seen: string[] = []
  const module = <Needs extends object, Gives>(
    name: string,
    give: (needs: Needs) => Gives,
  ): Module<Needs, Gives> => ({
    name,
    start: async (needs) => {
      const gives = give(needs)
      seen.push(`start ${name}`)
      return {
        gives,
        begin: () => void seen.push(`begin ${name}`),
        beginStop: () => void seen.push(`stop ${name}`),
        close: () => void seen.push(`close ${name}`),
      }
    },
  })
  return { seen, module }
}

void test('each module gets the results of those before it; they close in reverse order', async () => {
  const { seen, module } = listed()
  const running = await compose({ one: 1 })
    .add(module('two', ({ one }: { one: number }) => ({ two: one + 1 })))
    .add(module('three', ({ one, two }: { one: number; two: number }) => ({ three: one + two })))
    .start()
  assert.deepEqual(running.parts, { one: 1, two: 2, three: 3 })
  running.begin()
  running.beginStop()
  await running.close()
  const inOrder = ['start', 'begin', 'stop'].flatMap((step) => [`${step} two`, `${step} three`])
  assert.deepEqual(seen, [...inOrder, 'close three', 'close two'])
})

void test('if one cannot start, those before it are closed', async () => {
  const { seen, module } = listed()
  const failing = module('bad', () => {
    throw new Error('no start')
  })
  await assert.rejects(
    compose({})
      .add(module('good', () => ({})))
      .add(failing)
      .start(),
    /no start/,
  )
  assert.deepEqual(seen, ['start good', 'close good'])
})
