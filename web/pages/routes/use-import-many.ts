// Imports many GPX files at once, in as few requests as the service takes, and tells the end of each.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ImportResult } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useViewer } from '../../data/site.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { batchesOf } from './import-batches.ts'

export function useImportMany() {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const accountId = useViewer()?.acctID
  const [results, setResults] = useState<readonly ImportResult[]>([])
  const importing = useMutation({
    mutationFn: async (files: readonly File[]) => {
      if (accountId === undefined) return
      setResults([])
      const { batches, refused } = batchesOf(files)
      setResults(refused)
      for (const batch of batches) {
        const answer = await waymark.routes.import(accountId, batch)
        setResults((before) => [...before, ...answer.results])
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keys.routes }),
  })
  return { ...importing, results, clear: () => setResults([]) }
}
