// /v2/accounts/{acctID}/routes and its import: the account's routes for the owner, its public ones for others (Part D).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isOwner, isStaff, permit, permitOwner } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { ImportResults, NewRoute, RouteSet, RouteSummary } from '../shared/v2/route-schemas.ts'
import type { Db } from '../database/database.ts'
import { filesOf } from '../http/bodies/multipart.ts'
import { makesOnce, v2Operation } from '../http/openapi/openapi.ts'
import { queryWord, sendPage } from '../http/paging.ts'
import { secretly } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import type { ImportFiles } from './gpx/import.ts'
import { findNearDuplicates, listOwnRoutes } from './route-table.ts'
import { digestOf } from './gpx/prepared-gpx.ts'
import type { Routes } from './routes.ts'
import { findEqualPublicView, listPublicViews } from './public-view/public-view-table.ts'
import type { PublicViews } from './public-view/public-views.ts'
import { fieldsOf } from './v2-fields.ts'
import { nearDuplicatesOf, hashesOf, type V2Present } from './v2-present.ts'
import { cursorOf, listQuery, readListQuery } from './v2-query.ts'
import { languageOf } from '../texts/request-language.ts'

export interface V2RoutesDependencies {
  readonly db: Db
  readonly routes: Routes
  readonly publicViews: PublicViews
  readonly present: V2Present
  readonly importFiles: ImportFiles
  /** @throws refusal `invalid-account-id`. */
  readonly requireAccount: (
    accountId: number | undefined,
  ) => Promise<{ readonly id: number; readonly displayName: string }>
  readonly publicUrl: string
  readonly maxImportBytes: number
  readonly maxGpxBytes: number
}

type OnAccount = { Params: { acctID: string } }

const maxFiles = 100
/** A file may be in UTF-16, which takes up to twice the bytes of UTF-8. */
const maxBytesOfCharacter = 2

export function registerV2RouteSet(app: FastifyInstance, dependencies: V2RoutesDependencies): void {
  const { db, routes, publicViews, present, importFiles, requireAccount, publicUrl } = dependencies
  const readNew = createBodyReader(NewRoute, 'large')
  const { maxImportBytes, maxGpxBytes } = dependencies
  const importLimits = {
    maxBytes: maxImportBytes,
    maxFileBytes: maxBytesOfCharacter * maxGpxBytes,
    maxFiles,
  }

  /** @throws refusals `invalid-account-id`, `insufficient-scope`, `forbidden`. */
  async function ownAccount(request: FastifyRequest<OnAccount>) {
    const account = await requireAccount(parseId(request.params.acctID))
    permitOwner(request.actor, 'create-route', { accountId: account.id })
    const key = readIdempotencyKey(request.raw.headersDistinct['idempotency-key'])
    return { account, target: { accountId: account.id, path: `/v2/accounts/${account.id}/routes`, key } }
  }

  app.get<OnAccount>(
    '/v2/accounts/:acctID/routes',
    {
      config: { access: { credential: 'bearer', action: 'list-routes' } },
      schema: v2Operation({
        ids: ['acctID'],
        summary: "List an account's routes",
        description:
          'Newest first. All of your own routes; of other accounts, the public view of public routes, with privacy zones applied.',
        query: listQuery,
        answer: RouteSet,
        refusals: ['invalid-account-id', 'insufficient-scope', 'invalid-query', 'busy'],
      }),
    },
    async (request, reply) => {
      const { id: accountId, displayName } = await requireAccount(parseId(request.params.acctID))
      permit(request.actor, 'list-routes')
      const { filters, limit } = readListQuery(request)
      // One more than the page size shows whether there is a next page.
      const asOthers = queryWord(request, 'as', ['others']) !== undefined
      if (isOwner(request.actor, { accountId }) && !asOthers) {
        const rows = await listOwnRoutes(db, accountId, filters, limit + 1)
        const alike = nearDuplicatesOf(await findNearDuplicates(db, accountId, hashesOf(rows)))
        const show = (route: (typeof rows)[number]) => present.own(route, displayName, alike)
        return sendPage(request, reply, { rows, limit, show, cursorOf, publicUrl })
      }
      await publicViews.requireAll(accountId)
      const isForStaff = isStaff(request.actor)
      const rows = await listPublicViews(db, { accountId, isForStaff }, filters, limit + 1)
      const alike = nearDuplicatesOf(await findEqualPublicView(db, accountId, hashesOf(rows)))
      const show = (route: (typeof rows)[number]) => present.shown(route, alike)
      return sendPage(request, reply, { rows, limit, show, cursorOf, publicUrl })
    },
  )

  app.post<OnAccount>(
    '/v2/accounts/:acctID/routes',
    {
      config: { access: { credential: 'bearer', action: 'create-route' }, hasLargeBody: true },
      schema: {
        ...v2Operation({
          ids: ['acctID'],
          summary: 'Add a route',
          description: 'Private unless visibility is given. Without a name, it takes the name from the GPX.',
          body: NewRoute,
          status: 201,
          isLocated: true,
          answer: RouteSummary,
          refusals: [
            'invalid-account-id',
            'insufficient-scope',
            'forbidden',
            'quota-reached',
            'invalid-header',
            'idempotency-key-reused',
            'read-only',
          ],
        }),
        ...makesOnce,
      },
    },
    async (request, reply) => {
      const { account, target } = await ownAccount(request)
      await routes.requireRoom(target)
      const body = await readNew(request)
      const { gpx = '', ...rest } = body
      const sent = (): Buffer => Buffer.from(`${JSON.stringify(rest)}\n${gpx}`)
      const bodySha256 = target.key === undefined ? '' : await digestOf(sent())
      const fields = { ...fieldsOf(body), fallbackName: '' }
      const { routeId } = await routes.create(target, fields, bodySha256)
      const route = await routes.requireIn(account.id, routeId)
      const alike = nearDuplicatesOf(await findNearDuplicates(db, account.id, hashesOf([route])))
      return secretly(reply)
        .code(201)
        .header('Location', present.addressOf(routeId))
        .send(present.own(route, account.displayName, alike))
    },
  )

  app.post<OnAccount>(
    '/v2/accounts/:acctID/routes/import',
    {
      config: { access: { credential: 'bearer', action: 'create-route' }, hasLargeBody: true },
      schema: {
        ...v2Operation({
          ids: ['acctID'],
          summary: 'Import GPX files',
          description: `Up to ${maxFiles} files as multipart/form-data; each becomes a private route, or reports why not. Any encoding that the file declares is accepted.`,
          answer: ImportResults,
          refusals: [
            'invalid-account-id',
            'insufficient-scope',
            'forbidden',
            'malformed-body',
            'invalid-field',
            'invalid-header',
            'unsupported-media-type',
            'body-too-large',
            'request-timeout',
            'read-only',
          ],
        }),
        ...makesOnce,
        body: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  file: { type: 'array', items: { type: 'string', format: 'binary' }, minItems: 1 },
                },
                required: ['file'],
              },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { target } = await ownAccount(request)
      const files = filesOf(request, importLimits)
      const path = `${target.path}/import`
      const inTurn = <T>(bytes: number, work: () => Promise<T>): Promise<T> =>
        app.largeBodies.inTurn(request, bytes, work)
      const results = await importFiles(files, inTurn, {
        ...target,
        path,
        requestId: request.id,
        language: languageOf(request.headers),
      })
      return secretly(reply).send({ results })
    },
  )
}
