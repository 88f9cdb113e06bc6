// Creates the page for a URL: finds its link preview, renders the app if the page is public, and combines both.
import type { FastifyRequest } from 'fastify'
import type { Tag } from '../commits.ts'
import { Refusal } from '../errors.ts'
import { languageOf, localeOf } from '../texts/request-language.ts'
import { addressOf, type AppPage, type Named } from './app-addresses.ts'
import type { BuiltApp } from './built-app.ts'
import type { CodedPage, MadePage, PageStore } from './page-store.ts'
import type { PreviewedPage } from './previews.ts'
import type { RenderedPage, ServerRendering } from './server-rendering.ts'
import type { Shell } from './shell.ts'
import type { VisitorFetch } from './visitor-fetch.ts'

export interface PageMakerDependencies {
  readonly shell: Shell
  /** Other origins from which the map is loaded at present. */
  readonly mapOrigins: () => Promise<readonly string[]>
  readonly rendering: ServerRendering
  readonly fetchFor: VisitorFetch
  readonly store: PageStore
}

export interface Wanted {
  readonly built: BuiltApp
  /** Whether it is still the current build. */
  readonly isBuilt: () => boolean
  readonly page: AppPage
  readonly look: () => Promise<PreviewedPage>
}

interface Body {
  readonly rendered: (RenderedPage & { readonly isReadable: boolean }) | undefined
  /** Undefined if the page can change without a commit, or is only provisional. */
  readonly tags: readonly Tag[] | undefined
  readonly isStill: () => boolean
}

/** Rendering a page costs as much as this many image views: it takes 10 to 30 ms of the main thread, and a view 1 ms. */
const costOfRendering = 10

/** The response of an endpoint, such as 429. Anything else is a bug in the app, which must be logged here. */
const isOfMoment = (error: unknown): boolean =>
  error instanceof Refusal || (error instanceof Error && 'status' in error)

/** A page without content, in which the app renders on its own. */
const emptyPage = { rendered: undefined, tags: undefined, isStill: () => true } as const

/** The URL of the server's "not found" page. The app has no page for it in the browser. */
const missingPath = '/not-found'
/** Represents the "not found" page, which is rendered once, so that made-up URLs do not fill the cache. */
const noPage: MadePage = {
  status: 404,
  headers: {},
  text: '',
  dependsOn: undefined,
  isStill: () => true,
}

/** No link preview, and not cached. */
const unlisted: PreviewedPage = { about: 'unlisted', status: 200 }

/** The URL is invalid, for example with a cursor that the server never issued. */
const isWrong = (error: unknown): boolean => (error as { readonly status?: unknown }).status === 400

const isPlaceInList = ({ query }: FastifyRequest<Named>): boolean => query['cursor'] !== undefined

export function createPageMaker({ shell, mapOrigins, rendering, fetchFor, store }: PageMakerDependencies) {
  /** @returns 'wrong' if the URL is invalid. */
  async function render(
    request: FastifyRequest<Named>,
    { built, page }: Wanted,
    url: string,
  ): Promise<Body | 'wrong'> {
    const language = languageOf(request.headers)
    const { fetch, noted } = fetchFor(request, language)
    try {
      request.charge(costOfRendering)
      const locale = localeOf(request.headers, language)
      const { html, state } = await rendering.render(built, language, { url, locale, fetch })
      return {
        // The shell of another page has no data for the app and no text to read. A page that is missing for visitors
        // may exist for signed-in users.
        rendered: {
          html,
          state: page.isPublic === true && url !== missingPath ? state : undefined,
          isReadable: page.isPublic === true || url === missingPath,
        },
        tags: noted.isKept ? [...noted.tags] : undefined,
        isStill: () => noted.isStill.every((isStill) => isStill()),
      }
    } catch (error) {
      if (isWrong(error)) return 'wrong'
      request.log[isOfMoment(error) ? 'debug' : 'warn']({ err: error }, 'a page could not be rendered')
      return emptyPage
    }
  }

  async function put(
    request: FastifyRequest<Named>,
    { built, isBuilt, page }: Wanted,
    { about, status, dependsOn }: PreviewedPage,
    { rendered, tags, isStill }: Body,
  ): Promise<MadePage> {
    const language = languageOf(request.headers)
    return {
      status,
      headers: shell.headersOf(about, await mapOrigins()),
      text: shell.page(built, about, language, {
        locale: localeOf(request.headers, language),
        chunk: page.chunk,
        early: page.early,
        ...rendered,
      }),
      dependsOn: dependsOn && tags && [...new Set([...dependsOn, ...tags])],
      isStill: () => isBuilt() && isStill(),
    }
  }

  async function make(request: FastifyRequest<Named>, wanted: Wanted): Promise<MadePage> {
    const looked = await wanted.look()
    if (looked.about === 'missing') return { ...noPage, isForNobody: looked.isForNobody === true }
    const isAnybodys = looked.about !== 'unlisted' || wanted.page.isPublicIfTold !== true
    const body = isAnybodys ? await render(request, wanted, addressOf(wanted.page, request)) : emptyPage
    if (body === 'wrong') return noPage
    // There are unlimited positions in a list, and most are visited only once.
    return put(request, wanted, isPlaceInList(request) ? { ...looked, dependsOn: undefined } : looked, body)
  }

  async function makeMissing(request: FastifyRequest<Named>, wanted: Wanted): Promise<MadePage> {
    const body = await render(request, wanted, missingPath)
    const missing = { about: 'missing', status: 404, dependsOn: [] } as const
    return put(request, wanted, missing, body === 'wrong' ? emptyPage : body)
  }

  return async (request: FastifyRequest<Named>, wanted: Wanted): Promise<CodedPage> => {
    const language = languageOf(request.headers)
    const find = (name: string, made: () => Promise<MadePage>): Promise<CodedPage> =>
      store.find(
        {
          name: `${language}\n${localeOf(request.headers, language)}\n${name}`,
          since: request.commitsBefore,
          acceptEncoding: request.headers['accept-encoding']?.toString(),
        },
        made,
      )
    const page = await find(addressOf(wanted.page, request), () => make(request, wanted))
    if (page.status !== 404) return page
    // Signed-in users may see more than visitors, so the app requests the data as them and reports what is missing.
    if (request.actor.kind === 'account' && page.isForNobody !== true)
      return find(`own ${wanted.page.chunk}`, () => put(request, wanted, unlisted, emptyPage))
    const missing = await find(`404 ${wanted.page.chunk}`, () => makeMissing(request, wanted))
    return { ...missing, dependsOn: undefined }
  }
}

export type PageMaker = ReturnType<typeof createPageMaker>
