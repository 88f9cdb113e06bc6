// The result of each imported file; none disappears silently.
import { CloseButton, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck } from 'lucide-react'
import type { ImportResult } from '../../../../client/client.ts'
import { common } from '../../../strings/common.ts'
import { routeStrings as strings } from '../../../strings/routes.ts'
import styles from '../routes.module.css'

function textOf({ problem, duplicates = [], warnings = [] }: ImportResult): string {
  if (problem) return `${strings.resultFailed}: ${problem.detail}`
  if (duplicates.length > 0) return strings.resultDuplicate
  return warnings.length > 0 ? strings.resultWarnings(warnings.length) : strings.resultGood
}

interface ImportResultsProps {
  readonly results: readonly ImportResult[]
  readonly onClose: () => void
}

export function ImportResults({ results, onClose }: ImportResultsProps) {
  const bad = results.filter(({ problem }) => problem !== undefined).length
  return (
    <section className={styles.results} aria-label={strings.resultsTitle}>
      <div>
        <h2>{strings.resultsTitle}</h2>
        <CloseButton aria-label={common.close} onClick={onClose} />
      </div>
      <Text role="status">{strings.resultsSummary(results.length - bad, bad)}</Text>
      <ul>
        {results.map((result) => (
          <li
            key={`${result.file} ${result.routeID ?? result.problem?.detail}`}
            data-tone={result.problem ? 'bad' : 'good'}
          >
            {result.problem ? <CircleAlert size={18} aria-hidden /> : <CircleCheck size={18} aria-hidden />}
            <span>
              <strong>{result.file}</strong>
              <span>{textOf(result)}</span>
            </span>
            {result.routeID !== undefined && (
              <Link to="/routes/$routeId" params={{ routeId: String(result.routeID) }}>
                {result.name?.trim() || strings.unnamed}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
