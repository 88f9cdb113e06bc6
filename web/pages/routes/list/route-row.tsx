// One route in the list: a sketch of its line, its details, and its actions.
import { ActionIcon, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Copy, Ellipsis, FileDown, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { RouteSummary } from '../../../../client/client.ts'
import { baseUrl } from '../../../data/base.ts'
import { common } from '../../../strings/common.ts'
import { routeStrings as strings } from '../../../strings/routes.ts'
import { copyText } from '../../../ui/fields/copy-text.ts'
import { formatCount, formatDay, useFormat } from '../../../ui/format.ts'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { DeleteRoute } from '../delete-route.tsx'
import { LineSketch } from '../line-sketch.tsx'
import { isLinkUnknown, pageAddress } from '../route-links.ts'
import styles from '../routes.module.css'
import { useRouteDownload } from '../use-route-download.ts'
import { VisibilityMenu } from './visibility-menu.tsx'

function RouteMenu({ route }: { readonly route: RouteSummary }) {
  const name = route.name || strings.unnamed
  const [isDeleting, setDeleting] = useState(false)
  const download = useRouteDownload()
  const toast = useToast()
  const params = { routeId: String(route.routeID) }
  const copyLink = async (): Promise<void> => {
    const isCopied = await copyText(pageAddress(baseUrl, route))
    toast(isCopied ? { message: common.copied } : { message: common.notCopied, tone: 'bad' })
  }
  return (
    <>
      <Menu position="bottom-end" width={220} shadow="md">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={strings.actionsOf(name)}>
            <Ellipsis size={20} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown aria-label={strings.actionsOf(name)}>
          <Menu.Item
            leftSection={<Pencil size={16} aria-hidden />}
            renderRoot={(props) => <Link to="/routes/$routeId/edit" params={params} {...props} />}
          >
            {strings.edit}
          </Menu.Item>
          {route.visibility !== 'private' && !isLinkUnknown(route) && (
            <Menu.Item leftSection={<Copy size={16} aria-hidden />} onClick={() => void copyLink()}>
              {strings.copyLink}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<FileDown size={16} aria-hidden />}
            onClick={() => void download(route, 'gpx')}
          >
            {strings.downloadGpx}
          </Menu.Item>
          <Menu.Item
            leftSection={<FileDown size={16} aria-hidden />}
            onClick={() => void download(route, 'geojson')}
          >
            {strings.downloadGeoJson}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<Trash2 size={16} aria-hidden />}
            onClick={() => setDeleting(true)}
          >
            {strings.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <DeleteRoute route={route} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </>
  )
}

export function RouteRow({ route }: { readonly route: RouteSummary }) {
  const format = useFormat()
  const { name, length, climb, createdAt, pointCount, duplicates, unreadable } = route
  return (
    <li className={styles.row}>
      <LineSketch route={route} />
      <div className={styles.about}>
        <h2>
          <Link to="/routes/$routeId" params={{ routeId: String(route.routeID) }}>
            {name.trim() || strings.unnamed}
          </Link>
        </h2>
        <p>
          <strong>{format.length(length)}</strong>
          {climb !== null && <span>{strings.climb(format.height(climb))}</span>}
          <span>{strings.points(pointCount, formatCount(pointCount))}</span>
          <span>{formatDay(createdAt)}</span>
        </p>
        {duplicates.length > 0 && <p className={styles.note}>{strings.duplicate}</p>}
        {unreadable !== undefined && <p className={styles.note}>{strings.unreadable}</p>}
      </div>
      <div className={styles.doing}>
        <VisibilityMenu route={route} />
        <RouteMenu route={route} />
      </div>
    </li>
  )
}
