// Link previews for URLs of the web app: only of public photos, trails and shared routes.
import type { Tag } from '../commits.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { Refusal } from '../errors.ts'
import type { Site } from '../site/site.ts'
import { altOf, type Listed, type ListedPhoto } from './listed.ts'
import type { Texts } from '../texts/texts.ts'
import type { Preview, ShellPage } from './shell.ts'
import { crumbs, photoData, trailData, type Crumb, type StructuredData } from './structured-data.ts'

export interface PreviewedPage {
  readonly about: ShellPage
  readonly status: 200 | 404
  /** The page exists for no one, signed in or not. */
  readonly isForNobody?: boolean
  /** What the cached page depends on; undefined if it may change without a commit, or is only provisional. */
  readonly dependsOn?: readonly Tag[] | undefined
}

export interface PreviewsDependencies {
  readonly listed: Listed
  readonly site: Pick<Site, 'name'>
  readonly publicUrl: string
  readonly imageHandlerUrl: string
  /** The current licence for photos, with the URL of its text; null for none. */
  readonly readLicence: () => Promise<{ readonly code: string; readonly url?: string | undefined } | null>
}

/** Sites that show it cut longer ones. */
const maxCharacters = 200

export function cut(text: string): string {
  const characters = Array.from(text.replaceAll(/\s+/g, ' ').trim())
  return characters.length <= maxCharacters
    ? characters.join('')
    : `${characters
        .slice(0, maxCharacters - 1)
        .join('')
        .trimEnd()}…`
}

const kept = (dependsOn: readonly Tag[] | undefined) => (dependsOn === undefined ? {} : { dependsOn })

/** The same page for everything that is not public, so that it does not reveal what exists. */
const missing: PreviewedPage = { about: 'missing', status: 404 }
/** Trails are always public, so a missing one is no secret. */
const noTrail: PreviewedPage = { ...missing, isForNobody: true }
const shown = (about: Preview, dependsOn?: readonly Tag[]): PreviewedPage => ({
  about,
  status: 200,
  ...kept(dependsOn),
})

export function createPreviews(dependencies: PreviewsDependencies) {
  const { listed, site, publicUrl, imageHandlerUrl, readLicence } = dependencies
  const imageOf = (imageId: number, size = '640'): string => `${imageHandlerUrl}?id=${imageId}&t=${size}`
  const trailAddress = (slug: string): string => `${publicUrl}/t/${encodeURIComponent(slug)}`

  const start = (): Crumb => ({ name: site.name, url: `${publicUrl}/` })

  async function dataOf(photo: ListedPhoto, { webApp }: Texts): Promise<readonly StructuredData[]> {
    const { id, title, caption, trailName, trailSlug, displayName, licence } = photo
    const trail = { name: trailName, url: trailAddress(trailSlug) }
    const name = title || webApp.photo.untitled(trailName)
    const known = licence === null ? null : await readLicence()
    const url = `${trail.url}/${id}`
    const facts = {
      name,
      caption,
      url,
      contentUrl: imageOf(id, 'lg'),
      thumbnailUrl: imageOf(id),
      author: displayName,
      licenceUrl: known?.code === licence ? known?.url : undefined,
      trail,
    }
    return [photoData(facts), crumbs([start(), trail, { name, url }])]
  }

  async function previewOf(photo: ListedPhoto, texts: Texts): Promise<Preview> {
    const { id, title, caption, trailName, trailSlug, displayName } = photo
    const { webApp } = texts
    return {
      title: cut(title || webApp.photo.untitled(trailName)),
      data: await dataOf(photo, texts),
      description: cut(
        [caption, webApp.photo.by(trailName, displayName)].filter((part) => part !== '').join(' – '),
      ),
      url: `${trailAddress(trailSlug)}/${id}`,
      image: { url: imageOf(id), alt: cut(altOf(photo, webApp)) },
    }
  }

  const pageOf = async (photo: ListedPhoto, texts: Texts): Promise<PreviewedPage> =>
    shown(await previewOf(photo, texts), [`image:${photo.id}`])

  async function photoAt(segment: string): Promise<ListedPhoto | undefined> {
    const imageId = parseId(segment)
    return imageId === undefined ? undefined : listed.photo(imageId)
  }

  return {
    front: async ({ webApp }: Texts): Promise<PreviewedPage> =>
      shown({ title: site.name, description: webApp.front, url: `${publicUrl}/` }, []),

    guide: async ({ webApp }: Texts): Promise<PreviewedPage> =>
      shown(
        {
          title: webApp.guide.title,
          description: webApp.guide.description(site.name),
          url: `${publicUrl}/docs`,
        },
        [],
      ),

    routes: async ({ webApp }: Texts): Promise<PreviewedPage> =>
      shown(
        {
          title: webApp.routes.title,
          description: webApp.routes.description(site.name),
          url: `${publicUrl}/routes`,
        },
        [],
      ),

    trail: async ({ webApp }: Texts, slug: string): Promise<PreviewedPage> => {
      const trail = await listed.trail(slug)
      if (!trail) return noTrail
      const { name, miles, images, cover } = trail
      const facts = [...(miles === null ? [] : [webApp.distance(miles)]), webApp.photos(images)]
      const image = cover === null ? undefined : { url: imageOf(cover), alt: cut(webApp.newestPhoto(name)) }
      const description = `${facts.join(', ')}.`
      const url = trailAddress(trail.slug)
      const data = [
        trailData({ name, url, description, image: image?.url }),
        crumbs([start(), { name, url }]),
      ]
      return shown({ title: cut(name), description, url, image, data }, [`trail:${trail.id}`])
    },

    /** A photo of the trail; one that is not public there looks as if it never existed. */
    photoOf: async (texts: Texts, slug: string, imageId: string): Promise<PreviewedPage> => {
      const trail = await listed.trail(slug)
      if (!trail) return noTrail
      const photo = await photoAt(imageId)
      return photo?.trailSlug === trail.slug ? pageOf(photo, texts) : missing
    },

    /** The current URL of a photo, below the path of PUBLIC_URL: it may have been moved to another trail. */
    pathOf: async (imageId: string): Promise<string | undefined> => {
      const photo = await photoAt(imageId)
      return photo && `/t/${encodeURIComponent(photo.trailSlug)}/${photo.id}`
    },

    /** A photo that is not public, by its ID alone: its submitter and staff may see it. */
    photo: async (): Promise<PreviewedPage> => missing,

    route: async ({ webApp }: Texts, routeId: string, token: string | undefined): Promise<PreviewedPage> => {
      try {
        const found = await listed.route(parseId(routeId), token)
        if (!found) return missing
        const { id, name, description, displayName, length, visibility } = found.route
        const facts = webApp.route.facts(webApp.distance(Number(length)), displayName)
        const isPublic = visibility === 'public'
        // A click on the preview must lead to the URL that it states.
        const query = isPublic ? '' : `?token=${encodeURIComponent(token ?? '')}`
        return shown(
          {
            title: cut(name || webApp.route.untitled),
            description: cut([facts, description].filter((part) => part !== '').join(' – ')),
            url: `${publicUrl}/routes/${id}${query}`,
            isUnlisted: !isPublic,
          },
          ['routes'],
        )
      } catch (error) {
        // Its public view is being derived again: the app waits for that, a preview does not.
        if (error instanceof Refusal) return { about: 'unlisted', status: 200 }
        throw error
      }
    },
  }
}

export type Previews = ReturnType<typeof createPreviews>
