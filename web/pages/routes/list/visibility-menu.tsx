// Changes the visibility of a route in place. Leaving "with the link" revokes the link permanently, so it asks first.
import { Button, Group, Menu, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ChevronDown, Globe, Link as LinkIcon, Lock } from 'lucide-react'
import { useState } from 'react'
import type { RouteSummary } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { common } from '../../../strings/common.ts'
import { routeStrings as strings } from '../../../strings/routes.ts'
import { tellProblem } from '../../../ui/notices/problem-notice.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'

type Visibility = RouteSummary['visibility']

/** The value when the change was requested: by the time of the response the page may show the new one. */
interface Change {
  readonly from: Visibility
  readonly to: Visibility
}

const icons = { private: Lock, link: LinkIcon, public: Globe } as const
const choices = ['private', 'link', 'public'] as const

interface VisibilityMenuProps {
  readonly route: Pick<RouteSummary, 'routeID' | 'name' | 'visibility'>
}

export function VisibilityMenu({ route }: VisibilityMenuProps) {
  const { routeID, visibility } = route
  const name = route.name || strings.unnamed
  const waymark = useWaymark()
  const queries = useQueryClient()
  const toast = useToast()
  const [asked, setAsked] = useState<Visibility>()
  const change = useMutation({
    mutationFn: ({ to }: Change) => waymark.routes.change(routeID, { visibility: to }),
    onSuccess: async (_, { from, to }) => {
      const isEnded = from === 'link'
      toast({
        message: strings.visibilityChanged[to],
        // The old link cannot be restored.
        ...(isEnded ? {} : { undo: () => change.mutate({ from: to, to: from }) }),
      })
      await queries.invalidateQueries({ queryKey: keys.routes })
    },
    onError: (error) => {
      const { title, detail } = tellProblem(error)
      toast({ message: `${title}. ${detail}`, tone: 'bad' })
    },
  })
  const choose = (value: string) => {
    const to = choices.find((choice) => choice === value)
    if (to === undefined || to === visibility) return
    if (visibility === 'link') setAsked(to)
    else change.mutate({ from: visibility, to })
  }
  const Icon = icons[visibility]
  return (
    <>
      <Menu position="bottom-start" shadow="md">
        <Menu.Target>
          <Button
            variant="default"
            size="sm"
            loading={change.isPending}
            aria-label={`${strings.visibilityOf(name)}: ${strings.visibility[visibility]}`}
            leftSection={<Icon size={15} aria-hidden />}
            rightSection={<ChevronDown size={14} aria-hidden />}
          >
            {strings.visibility[visibility]}
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label={strings.visibilityOf(name)}>
          <Menu.RadioGroup value={visibility} onChange={choose}>
            {choices.map((choice) => {
              const ChoiceIcon = icons[choice]
              return (
                <Menu.RadioItem key={choice} value={choice} closeMenuOnClick>
                  <Group gap="xs" wrap="nowrap">
                    <ChoiceIcon size={15} aria-hidden />
                    {strings.visibility[choice]}
                  </Group>
                </Menu.RadioItem>
              )
            })}
          </Menu.RadioGroup>
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={strings.endLinkTitle}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <Stack>
          <Text>{strings.endLinkDetail}</Text>
          <Group>
            <Button
              color="red"
              onClick={() => {
                if (asked) change.mutate({ from: visibility, to: asked })
                setAsked(undefined)
              }}
            >
              {strings.endLink}
            </Button>
            <Button variant="default" onClick={() => setAsked(undefined)}>
              {common.cancel}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
