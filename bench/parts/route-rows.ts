// Many routes: one is created by the service, the others are copies of its rows.
import { gpxOf } from './gpx.ts'
import type { Filling } from './ours.ts'

const rowsOfInsert = 250

/** @returns the ids. */
export async function addRoutes(
  { services, installation }: Pick<Filling, 'services' | 'installation'>,
  accountId: number,
  { count, gpxBytes }: { readonly count: number; readonly gpxBytes: number },
): Promise<number[]> {
  const { db } = installation.database
  const fields = { name: 'Route', gpx: gpxOf(gpxBytes, 1) }
  const { routeId } = await services.accountRoutes.routes.create(
    { accountId, path: '', key: undefined },
    fields,
    '',
  )
  const route = await db.selectFrom('route').selectAll().where('id', '=', routeId).executeTakeFirstOrThrow()
  const { gpx } = await db
    .selectFrom('route_gpx')
    .select('gpx')
    .where('route_id', '=', routeId)
    .executeTakeFirstOrThrow()
  const ids = [routeId]
  for (let index = 1; index < count; index += 1) ids.push(installation.system.newId())
  await db.transaction().execute(async (tx) => {
    for (let first = 1; first < count; first += rowsOfInsert) {
      const copied = ids.slice(first, first + rowsOfInsert)
      await tx
        .insertInto('route')
        .values(copied.map((id) => ({ ...route, id, revision: `${route.revision}-${id}` })))
        .execute()
      await tx
        .insertInto('route_gpx')
        .values(copied.map((id) => ({ route_id: id, gpx })))
        .execute()
    }
  })
  return ids
}
