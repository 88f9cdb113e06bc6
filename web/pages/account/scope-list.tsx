// The permissions of an application, in the words of the consent page.
import { Text } from '@mantine/core'
import { account } from '../../strings/account.ts'
import { scopeSentences } from '../../strings/scopes.ts'
import styles from './account.module.css'

export const isScope = (word: string): word is keyof typeof scopeSentences =>
  Object.hasOwn(scopeSentences, word)

export function ScopeList({ scopes }: { readonly scopes: readonly string[] }) {
  const known = scopes.filter(isScope)
  if (known.length === 0) return <Text c="dimmed">{account.apps.identity}</Text>
  return (
    <ul className={styles.sentences}>
      {known.map((scope) => (
        <li key={scope}>{scopeSentences[scope]}</li>
      ))}
    </ul>
  )
}
