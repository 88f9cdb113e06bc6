// Makes the page of an address: looks up what is told of it, has the app rendered where it is public, and puts both together.
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
  /** Of others, from which the map comes at present. */
  readonly mapOrigins: () => Promise<readonly string[]>
  readonly rendering: ServerRendering
  readonly fetchFor: VisitorFetch
  readonly store: PageStore
}

export interface Wanted {
  readonly built: BuiltApp
  /** Whether that is still the app. */
  readonly isBuilt: () => boolean
  readonly page: AppPage
  readonly look: () => Promise<PreviewedPage>
}

interface Body {
  readonly rendered: (RenderedPage & { readonly isReadable: boolean }) | undefined
  /** Undefined where the page may be another without a commit, or is only a makeshift. */
  readonly tags: readonly Tag[] | undefined
  readonly isStill: () => boolean
}

/** Image views that the rendering of a page counts as: some 10 to 30 ms of the one thread, where a view takes 1. */
const costOfRendering = 10

/** What an endpoint answered, such as 429; anything else is a fault of the app, of which nobody else would tell. */
const isOfMoment = (error: unknown): boolean =>
  error instanceof Refusal || (error instanceof Error && 'status' in error)

/** On which the app begins, as it can everywhere. */
const emptyPage = { rendered: undefined, tags: undefined, isStill: () => true } as const

export function createPageMaker({ shell, mapOrigins, rendering, fetchFor, store }: PageMakerDependencies) {
  async function render(request: FastifyRequest<Named>, { built, page }: Wanted): Promise<Body> {
    const language = languageOf(request.headers)
    const { fetch, noted } = fetchFor(request, language)
    try {
      request.charge(costOfRendering)
      const url = addressOf(page, request)
      const locale = localeOf(request.headers, language)
      const { html, state } = await rendering.render(built, language, { url, locale, fetch })
      return {
        // The frame of another page shows nothing that the app could go on from, or that anybody could read.
        rendered:
          page.isPublic === true
            ? { html, state, isReadable: true }
            : { html, state: undefined, isReadable: false },
        tags: noted.isKept ? [...noted.tags] : undefined,
        isStill: () => noted.isStill.every((isStill) => isStill()),
      }
    } catch (error) {
      request.log[isOfMoment(error) ? 'debug' : 'warn']({ err: error }, 'a page could not be rendered')
      return emptyPage
    }
  }

  async function make(request: FastifyRequest<Named>, wanted: Wanted): Promise<MadePage> {
    const { built, isBuilt, page } = wanted
    const language = languageOf(request.headers)
    const { about, status, dependsOn } = await wanted.look()
    const isAnybodys = about !== 'unlisted' || page.isPublicIfTold !== true
    const { rendered, tags, isStill } = isAnybodys ? await render(request, wanted) : emptyPage
    const locale = localeOf(request.headers, language)
    return {
      status,
      headers: shell.headersOf(about, await mapOrigins()),
      text: shell.page(built, about, language, {
        locale,
        chunk: page.chunk,
        early: page.early,
        ...rendered,
      }),
      dependsOn: dependsOn && tags && [...new Set([...dependsOn, ...tags])],
      isStill: () => isBuilt() && isStill(),
    }
  }

  return (request: FastifyRequest<Named>, wanted: Wanted): Promise<CodedPage> => {
    const language = languageOf(request.headers)
    const name = `${language}\n${localeOf(request.headers, language)}\n${addressOf(wanted.page, request)}`
    const acceptEncoding = request.headers['accept-encoding']?.toString()
    return store.find({ name, since: request.commitsBefore, acceptEncoding }, () => make(request, wanted))
  }
}

export type PageMaker = ReturnType<typeof createPageMaker>
