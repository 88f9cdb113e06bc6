// Alternatives in tabs; the last choice applies to all tab groups.
import { Tabs } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { docs } from '../../strings/docs.ts'
import { CodeBlock } from './code-block.tsx'
import type { CodeSample } from './guide-list.ts'

let preferred = ''
const listeners = new Set<() => void>()

function prefer(label: string): void {
  preferred = label
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function CodeTabs({ samples }: { readonly samples: readonly CodeSample[] }) {
  const wanted = useSyncExternalStore(subscribe, () => preferred)
  const chosen = samples.find(({ label }) => label === wanted) ?? samples[0]
  if (!chosen) return null
  return (
    <Tabs value={chosen.label} onChange={(label) => prefer(label ?? '')}>
      <Tabs.List aria-label={docs.ways} mb="xs">
        {samples.map(({ label }) => (
          <Tabs.Tab key={label} value={label}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ label, text }) => (
        <Tabs.Panel key={label} value={label}>
          <CodeBlock text={text} label={`${docs.code}: ${label}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
