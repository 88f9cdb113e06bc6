// Creates a new link for a route whose current link can no longer be shown.
import { Button, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link as LinkIcon } from 'lucide-react'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { routeStrings as strings } from '../../strings/routes.ts'
import { tellProblem } from '../../ui/notices/problem-notice.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'

export function NewLink({ routeId }: { readonly routeId: number }) {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const toast = useToast()
  const make = useMutation({
    mutationFn: () => waymark.routes.change(routeId, { newLink: true }),
    onSuccess: async () => {
      toast({ message: strings.newLinkMade })
      await queries.invalidateQueries({ queryKey: keys.routes })
    },
    onError: (error) => {
      const { title, detail } = tellProblem(error)
      toast({ message: `${title}. ${detail}`, tone: 'bad' })
    },
  })
  return (
    <>
      <Text size="sm" mb="xs">
        {strings.linkUnknown}
      </Text>
      <Button
        variant="default"
        leftSection={<LinkIcon size={16} aria-hidden />}
        loading={make.isPending}
        onClick={() => make.mutate()}
      >
        {strings.newLink}
      </Button>
    </>
  )
}
