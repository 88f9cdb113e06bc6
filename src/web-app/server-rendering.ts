// The server build of the app: loaded once per language, and again when the app is rebuilt.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { languages } from '../shared/languages.ts'
import type { PageLanguage } from '../texts/request-language.ts'
import type { BuiltApp } from './built-app.ts'

export interface RenderedPage {
  /** The content of the page's #root. */
  readonly html: string
  /** JSON state to continue from in the browser; undefined if the browser has to start over. */
  readonly state: string | undefined
}

export interface RenderRequest {
  /** Path and query, below that of PUBLIC_URL. */
  readonly url: string
  readonly locale: string
  readonly fetch: (input: string | URL | Request) => Promise<Response>
}

/** The exports of web/server.tsx. */
interface ServerApp {
  readonly render: (request: RenderRequest) => Promise<RenderedPage>
}

/** Longer than any step takes, unless the server is overloaded. */
const usualMaxMs = 2_000

async function within<T>(promise: Promise<T>, maxMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not rendered within ${maxMs} ms`)), maxMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export function createServerRendering({
  folder,
  publicUrl,
  maxMs = usualMaxMs,
}: {
  readonly folder: string
  readonly publicUrl: string
  readonly maxMs?: number | undefined
}) {
  const file = pathToFileURL(path.join(folder, 'server', 'server.js')).href
  let known: { readonly built: BuiltApp; readonly apps: Map<PageLanguage, Promise<ServerApp>> } | undefined

  /** Imports it by URL: a different query creates another instance, with its own catalogues. */
  const load = (built: BuiltApp, language: PageLanguage): Promise<ServerApp> => {
    const query = new URLSearchParams({ language, publicUrl, build: built.version })
    return import(`${file}?${query.toString()}`) as Promise<ServerApp>
  }

  function appIn(built: BuiltApp, language: PageLanguage): Promise<ServerApp> {
    if (known?.built !== built) known = { built, apps: new Map() }
    const { apps } = known
    const app = apps.get(language) ?? load(built, language)
    apps.set(language, app)
    // Try again next time: this file is the last one that a build writes.
    app.catch(() => void apps.delete(language))
    return app
  }

  return {
    /** Loads in advance what the first visitors would have to wait for. */
    warm: (built: BuiltApp): void => {
      for (const language of languages) void appIn(built, language).catch(() => undefined)
    },

    /** @throws if the page cannot be rendered now. */
    render: async (
      built: BuiltApp,
      language: PageLanguage,
      request: RenderRequest,
    ): Promise<RenderedPage> => {
      const { render } = await appIn(built, language)
      return within(render(request), maxMs)
    },
  }
}

export type ServerRendering = ReturnType<typeof createServerRendering>
