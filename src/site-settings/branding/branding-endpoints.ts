// GET and PUT /v2/admin/branding, and PUT and DELETE of its logo and favicon.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { auditActorOf, permit } from '../../auth/guard.ts'
import { refuse } from '../../errors.ts'
import { createBodyReader } from '../../http/bodies/v2-body.ts'
import { declaredType, readBody } from '../../http/codec.ts'
import { v2Operation } from '../../http/openapi/openapi.ts'
import { requireMatch, secretly, sendRepresentation } from '../../http/representation.ts'
import { uploadFormatOf } from '../../shared/formats/converted-formats.ts'
import { maxFaviconBytes, maxLogoBytes } from '../../shared/branding-limits.ts'
import { Branding, NewBranding } from '../../shared/v2/branding-schemas.ts'
import type { DrawnMark } from './brand-file-table.ts'
import type { BrandingPrecondition, BrandingService, PictureName } from './branding.ts'

export interface BrandingEndpointsDependencies {
  readonly branding: BrandingService
  /** Decodes an upload outside the server process, and encodes it again. */
  readonly drawMarks: (upload: Uint8Array) => Promise<readonly DrawnMark[]>
}

const formats: Readonly<Record<string, string>> = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' }
const mediaTypes = Object.values(formats)
/** An SVG can contain scripts and load other files, so the app converts it to PNG before sending it. */
const wrongType = 'The picture must be a PNG, JPEG or WebP; save a drawing (SVG) as a PNG first.'

const maxBytes: Readonly<Record<PictureName, number>> = { logo: maxLogoBytes, favicon: maxFaviconBytes }

type Named = { Params: { picture: string } }

/** @throws refusal `not-found`. */
function pictureOf({ params: { picture } }: FastifyRequest<Named>): PictureName {
  if (picture === 'logo' || picture === 'favicon') return picture
  throw refuse('not-found')
}

/** @throws refusal `unsupported-media-type`. */
function requirePicture(request: FastifyRequest): void {
  if (!mediaTypes.includes(declaredType(request).essence ?? ''))
    throw refuse('unsupported-media-type', { detail: wrongType })
}

/** @throws refusals `unsupported-image-type`, `body-too-large`. */
async function readPicture(request: FastifyRequest<Named>, name: PictureName): Promise<Uint8Array> {
  const bytes = await readBody(request, maxBytes[name])
  // Whatever type was declared.
  if (!Object.hasOwn(formats, uploadFormatOf(bytes) ?? ''))
    throw refuse('unsupported-image-type', { detail: wrongType })
  return bytes
}

export function registerBrandingEndpoints(
  app: FastifyInstance,
  { branding, drawMarks }: BrandingEndpointsDependencies,
): void {
  const readNew = createBodyReader(NewBranding)
  /** Checked before the body is read and again in the transaction, so that one of two changes with the same If-Match wins. */
  const preconditionOf =
    ({ headers }: FastifyRequest): BrandingPrecondition =>
    (current) =>
      requireMatch(headers['if-match'], () => [JSON.stringify(current)])

  async function checkFirst(request: FastifyRequest): Promise<void> {
    if (request.headers['if-match'] !== undefined) preconditionOf(request)(await branding.read())
  }

  const config = { access: { credential: 'bearer', action: 'administer' } } as const

  app.get(
    '/v2/admin/branding',
    {
      config,
      schema: v2Operation({
        summary: 'Get the branding',
        description: 'For admins with a browser session. Most of it is public in /v2/site.',
        answer: Branding,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const body = JSON.stringify(await branding.read())
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )

  app.put(
    '/v2/admin/branding',
    {
      config,
      schema: v2Operation({
        summary: 'Set the name, colour and footer of the site',
        description:
          'For admins with a browser session. Pages, emails, embeds and link previews use it from the next request on.',
        body: NewBranding,
        answer: Branding,
        refusals: ['forbidden', 'precondition-failed', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      await checkFirst(request)
      const wanted = await readNew(request)
      const chosen = await branding.choose(auditActorOf(request.actor), wanted, preconditionOf(request))
      return secretly(reply).send(chosen)
    },
  )

  const binary = { schema: { type: 'string', format: 'binary' } }
  const address = '/v2/admin/branding/:picture'
  const params = {
    type: 'object',
    properties: { picture: { type: 'string', enum: ['logo', 'favicon'] } },
    required: ['picture'],
  }

  app.put<Named>(
    address,
    {
      config: { ...config, hasLargeBody: true },
      schema: {
        ...v2Operation({
          summary: 'Set the logo, or the icon of browser tabs',
          description: `For admins with a browser session. PNG, JPEG or WebP of at most ${maxBytes.logo / 1024} KiB (logo) or ${maxBytes.favicon / 1024} KiB (favicon), converted to PNG.`,
          answer: Branding,
          refusals: [
            'not-found',
            'forbidden',
            'precondition-failed',
            'read-only',
            'unsupported-media-type',
            'unsupported-image-type',
            'body-too-large',
            'request-timeout',
            'image-dimensions-too-large',
            'broken-image',
          ],
        }),
        params,
        body: { content: Object.fromEntries(mediaTypes.map((type) => [type, binary])) },
      },
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const name = pictureOf(request)
      requirePicture(request)
      await checkFirst(request)
      const marks = await drawMarks(await readPicture(request, name))
      const by = auditActorOf(request.actor)
      return secretly(reply).send(await branding.setPicture(by, { name, marks }, preconditionOf(request)))
    },
  )

  app.delete<Named>(
    address,
    {
      config,
      schema: {
        ...v2Operation({
          summary: 'Remove the logo, or the icon of browser tabs',
          description: 'For admins with a browser session. The one of Waymark is then used.',
          answer: Branding,
          refusals: ['not-found', 'forbidden', 'precondition-failed', 'read-only'],
        }),
        params,
      },
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const by = auditActorOf(request.actor)
      const wanted = { name: pictureOf(request), marks: null }
      return secretly(reply).send(await branding.setPicture(by, wanted, preconditionOf(request)))
    },
  )
}
