// Imports many GPX files in as few requests as possible, and reports the result of each.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { randomKey, type ImportResult } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { batchesOf } from './import-batches.ts'

/** The files of one request; with its idempotency key it is processed only once. */
interface Batch {
  readonly files: readonly File[]
  readonly key: string
}

export function useImportMany() {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const accountId = useViewer()?.acctID
  const [results, setResults] = useState<readonly ImportResult[]>([])
  /** Files without a result yet: if a request fails, only these are sent again. */
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
    // Files dropped in the meantime are queued.
    scope: { id: 'import routes' },
  })
  return {
    isPending: sending.isPending,
    /** Undefined if nothing failed; otherwise `goOn` sends the rest. */
    error,
    results,
    /** How many files are being sent, or were when it failed. */
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
