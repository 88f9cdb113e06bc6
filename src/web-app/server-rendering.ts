// The app as vite built it for the server: loaded once for each language, and anew whenever the app is built anew.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { languages } from '../shared/languages.ts'
import type { PageLanguage } from '../texts/request-language.ts'
import type { BuiltApp } from './built-app.ts'

export interface RenderedPage {
  /** What goes into the page's #root. */
  readonly html: string
  /** JSON from which the browser goes on; undefined where it begins anew. */
  readonly state: string | undefined
}

export interface RenderRequest {
  /** Path and query, below that of PUBLIC_URL. */
  readonly url: string
  readonly locale: string
  readonly fetch: (input: string | URL | Request) => Promise<Response>
}

/** What web/server.tsx gives. */
interface ServerApp {
  readonly render: (request: RenderRequest) => Promise<RenderedPage>
}

/** Longer than any step takes unless the server is too busy. */
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

  /** Imports it by its address: a different query makes another instance, with its own catalogues. */
  const load = (built: BuiltApp, language: PageLanguage): Promise<ServerApp> => {
    const query = new URLSearchParams({ language, publicUrl, build: built.version })
    return import(`${file}?${query.toString()}`) as Promise<ServerApp>
  }

  function appIn(built: BuiltApp, language: PageLanguage): Promise<ServerApp> {
    if (known?.built !== built) known = { built, apps: new Map() }
    const { apps } = known
    const app = apps.get(language) ?? load(built, language)
    apps.set(language, app)
    // Try again next time: this file is the last that a build writes.
    app.catch(() => void apps.delete(language))
    return app
  }

  return {
    /** Loads what the first visitors would otherwise wait for. */
    warm: (built: BuiltApp): void => {
      for (const language of languages) void appIn(built, language).catch(() => undefined)
    },

    /** @throws where the page cannot be made here and now. */
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
