// A request or response body in each of its media types.
import { Tabs } from '@mantine/core'
import { useState } from 'react'
import { apiStrings as strings } from '../../../strings/docs.ts'
import type { Schema } from './api-document.ts'
import styles from './api.module.css'
import { SchemaView } from './schema-view.tsx'

interface ContentViewProps {
  readonly content: Readonly<Record<string, { readonly schema?: Schema }>>
  readonly label: string
}

function One({ schema }: { readonly schema: Schema | undefined }) {
  const isBytes = schema === undefined || schema.format === 'binary' || Object.keys(schema).length === 0
  return isBytes ? <p className={styles.about}>{strings.bytes}</p> : <SchemaView schema={schema} />
}

export function ContentView({ content, label }: ContentViewProps) {
  const types = Object.keys(content)
  const [chosen, setChosen] = useState(types[0] ?? '')
  if (types.length === 0) return <p className={styles.about}>{strings.emptyAnswer}</p>
  if (types.length === 1) {
    return (
      <>
        <code className={styles.media}>{chosen}</code>
        <One schema={content[chosen]?.schema} />
      </>
    )
  }
  return (
    <Tabs value={chosen} onChange={(type) => setChosen(type ?? chosen)}>
      <Tabs.List aria-label={label}>
        {types.map((type) => (
          <Tabs.Tab key={type} value={type}>
            <code>{type}</code>
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {types.map((type) => (
        <Tabs.Panel key={type} value={type} pt="xs">
          <One schema={content[type]?.schema} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
