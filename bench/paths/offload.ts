// P1, size lg with offloading: Waymark authorises and nginx sends the file (OFFLOAD), compared with the same nginx
// serving plain files.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { askOnce } from '../parts/against-nginx.ts'
import type { Absent, BenchPath, Contender, Goal } from '../parts/bench.ts'
import { addPhotos } from '../parts/image-rows.ts'
import { startLoad, type Ask } from '../parts/load.ts'
import { nginxName, startNginx } from '../parts/nginx.ts'
import { oursName, prepareData, startOurs } from '../parts/ours.ts'
import { cameraSize, paintPhotos } from '../parts/photos.ts'

const largeCount = 8
const trailId = 4711
const connections = 8
const frontName = 'waymark behind nginx'
const environment = { OFFLOAD: 'x-accel:/offload/', TRUST_PROXY: '127.0.0.1' }

const goals: readonly Goal[] = [
  { what: 'size lg, handed over', of: frontName, to: nginxName, figure: 'cpu', atMost: 1 },
  { what: 'size lg, handed over, of what Waymark takes alone', of: frontName, to: oursName, figure: 'cpu' },
]

/** @throws Error if Waymark sends the photo itself although the proxy supports offloading. */
async function requireHandedOver(port: number, address: string): Promise<void> {
  const offer = { 'X-Forwarded-For': '192.0.2.1', 'X-Sendfile-Type': 'X-Accel-Redirect' }
  const { headers, body } = await askOnce(port, { path: address, headers: offer })
  if (headers['x-accel-redirect'] === undefined || body.length > 0)
    throw new Error(`${oursName} does not hand size lg over to the proxy.`)
}

/** As in docs/operations.md, without the names and headers of a complete site. */
const nginxLines = (port: number, dataDir: string): string[] => [
  'location /ImageHandler {',
  `  proxy_pass http://127.0.0.1:${port};`,
  '  proxy_http_version 1.1;',
  '  proxy_set_header Host $host;',
  '  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
  '  proxy_set_header X-Sendfile-Type X-Accel-Redirect;',
  '  proxy_request_buffering off;',
  '}',
  'location /offload/rendition/ {',
  '  internal;',
  `  alias "${path.join(dataDir, 'blobs/kept/rendition')}/";`,
  '  etag off;',
  '  if_modified_since off;',
  '  max_ranges 1;',
  '  add_header ETag $upstream_http_etag always;',
  '  add_header Last-Modified "" always;',
  '  add_header Vary $upstream_http_vary always;',
  '  add_header Content-Security-Policy $upstream_http_content_security_policy always;',
  '  add_header Cross-Origin-Resource-Policy $upstream_http_cross_origin_resource_policy always;',
  '  add_header X-Content-Type-Options $upstream_http_x_content_type_options always;',
  '  add_header Referrer-Policy $upstream_http_referrer_policy always;',
  '  add_header RateLimit $upstream_http_ratelimit always;',
  '  add_header RateLimit-Policy $upstream_http_ratelimit_policy always;',
  '}',
]

export const offloadPath: BenchPath = {
  name: 'offload',
  about: 'photos in size lg that nginx in front of Waymark sends, against nginx with plain files',
  prepare: async (ground) => {
    const dataDir = path.join(ground.folder, 'data')
    const photos = await paintPhotos(ground.isQuick ? 1 : largeCount, cameraSize, 90)
    const ids = await prepareData(dataDir, async (filling) => {
      await filling.addTrail(trailId, 'Appalachian Trail')
      const memberId = await filling.addAccount('Hannah Ridge')
      const into = { trailId, memberId, adminId: await filling.addAccount('Ann', 'admin') }
      return addPhotos(filling, into, photos)
    })
    const load = startLoad(ground)
    const ours = await startOurs(dataDir, environment)
    const nginx = await startNginx({
      folder: path.join(ground.folder, 'nginx'),
      lines: nginxLines(ours.port, dataDir),
    })
    const asks: { view: Ask; file: Ask }[] = []
    for (const id of ids) {
      const view = { path: `/ImageHandler?id=${id}&t=lg` }
      const { status, body } = await askOnce(ours.port, view)
      if (status !== 200) throw new Error(`${oursName} answered ${status} to a photo in size lg.`)
      await requireHandedOver(ours.port, view.path)
      const wanted = { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') }
      if (!('absent' in nginx)) await writeFile(path.join(nginx.root, `${id}.jpg`), body)
      asks.push({ view: { ...view, ...wanted }, file: { path: `/${id}.jpg`, ...wanted } })
    }
    const views = asks.map(({ view }) => view)
    const { port, pid, death } = ours
    const alone = { name: oursName, port, pids: [pid], death, connections, asks: views }
    const contenders: (Contender | Absent)[] = [await load.contender(alone)]
    if ('absent' in nginx) contenders.push({ name: frontName, absent: nginx.absent }, nginx)
    else {
      const front = { name: frontName, port: nginx.port, pids: [pid, nginx.pid], connections, asks: views }
      const files = { name: nginxName, port: nginx.port, pids: [nginx.pid], connections, death: nginx.death }
      contenders.push(
        await load.contender({ ...front, death: () => death() ?? nginx.death() }),
        await load.contender({ ...files, asks: asks.map(({ file }) => file) }),
      )
    }
    return {
      cases: [{ name: 'size lg', goals, contenders }],
      close: async () => {
        load.noteCosts(ground)
        const front = 'absent' in nginx ? undefined : nginx.close()
        await Promise.all([load.close(), ours.close(), front])
      },
    }
  },
}
