// Deletes a route permanently, so it asks first.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import type { RouteSummary } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { common } from '../../strings/common.ts'
import { routeStrings as strings } from '../../strings/routes.ts'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'
import { useRouteDownload } from './use-route-download.ts'

const deletionKey = (routeId: number) => ['delete route', routeId] as const

/** Until its page is left. The event of the deletion may come before the response, and must not fetch the route again. */
export const useIsBeingDeleted = (routeId: number): boolean =>
  useIsMutating({ mutationKey: deletionKey(routeId) }) > 0

interface DeleteRouteProps {
  readonly route: Pick<RouteSummary, 'routeID' | 'name'>
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDeleted?: () => Promise<void>
}

export function DeleteRoute({ route, isOpen, onClose, onDeleted }: DeleteRouteProps) {
  const { routeID } = route
  const name = route.name || strings.unnamed
  const waymark = useWaymark()
  const queries = useQueryClient()
  const toast = useToast()
  const download = useRouteDownload()
  const remove = useMutation({
    mutationKey: deletionKey(routeID),
    mutationFn: () => waymark.routes.remove(routeID),
    onSuccess: async () => {
      onClose()
      await onDeleted?.()
      toast({ message: strings.deleted(name) })
      queries.removeQueries({ queryKey: keys.route(routeID) })
      await queries.invalidateQueries({ queryKey: keys.routes })
    },
  })
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={strings.deleteTitle(name)}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <Stack>
        <Text>{strings.deleteDetail}</Text>
        {remove.error !== null && <ProblemNotice error={remove.error} />}
        <Group>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {strings.delete}
          </Button>
          <Button variant="default" onClick={() => void download({ routeID, name }, 'gpx')}>
            {strings.downloadGpx}
          </Button>
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
