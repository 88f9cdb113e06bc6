// Imports many GPX files at once, in as few requests as the service takes, and tells the end of each.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { randomKey, type ImportResult } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { batchesOf } from './import-batches.ts'

/** Files of one request; by its key it is done once, however often it is sent. */
interface Batch {
  readonly files: readonly File[]
  readonly key: string
}

export function useImportMany() {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const accountId = useViewer()?.acctID
  const [results, setResults] = useState<readonly ImportResult[]>([])
  /** What has no result yet: where a request fails, these are sent again, and none of those before. */
  const [left, setLeft] = useState<readonly Batch[]>([])
  const [error, setError] = useState<unknown>()
  const sending = useMutation({
    mutationFn: async (batches: readonly Batch[]) => {
      if (accountId === undefined) return
      for (const batch of batches) {
        const { files, key } = batch
        const answer = await waymark.routes.import(accountId, files, { idempotencyKey: key })
        setResults((before) => [...before, ...answer.results])
        setLeft((before) => before.filter((other) => other !== batch))
      }
    },
    onError: setError,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.routes }),
    // Files that are dropped meanwhile wait for their turn.
    scope: { id: 'import routes' },
  })
  return {
    isPending: sending.isPending,
    /** Undefined where nothing failed; else `goOn` sends what is left. */
    error,
    results,
    /** How many files are on their way, or were when it failed. */
    filesLeft: left.reduce((sum, { files }) => sum + files.length, 0),
    importFiles: (files: readonly File[]): void => {
      const { batches, refused } = batchesOf(files)
      const keyed = batches.map((batch): Batch => ({ files: batch, key: randomKey() }))
      setResults((before) => [...(left.length > 0 ? before : []), ...refused])
      setLeft((before) => [...before, ...keyed])
      sending.mutate(keyed)
    },
    goOn: (): void => {
      setError(undefined)
      sending.mutate(left)
    },
    clear: (): void => setResults([]),
  }
}
