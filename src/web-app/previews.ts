// What others may show of an address of the web app: of listed photos, trails and shared routes, and of nothing else.
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
  /** The page exists for nobody, signed in or not. */
  readonly isForNobody?: boolean
  /** What keeps it in memory; undefined where it may be another without a commit, or is only provisional. */
  readonly dependsOn?: readonly Tag[] | undefined
}

export interface PreviewsDependencies {
  readonly listed: Listed
  readonly site: Pick<Site, 'name'>
  readonly publicUrl: string
  readonly imageHandlerUrl: string
  /** The licence that photos are given under now, with the address of its text; null for none. */
  readonly readLicence: () => Promise<{ readonly code: string; readonly url?: string | undefined } | null>
}

/** Longer ones are cut by whoever shows them. */
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

/** Of what is not there for everybody: one page for all of them, which tells nothing of what is there for some. */
const missing: PreviewedPage = { about: 'missing', status: 404 }
/** Trails are there for everybody: one that is not is no secret. */
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

    /** A photo of the trail; one that is not listed there is no more told of than one that never was. */
    photoOf: async (texts: Texts, slug: string, imageId: string): Promise<PreviewedPage> => {
      const trail = await listed.trail(slug)
      if (!trail) return noTrail
      const photo = await photoAt(imageId)
      return photo?.trailSlug === trail.slug ? pageOf(photo, texts) : missing
    },

    /** Where a photo is shown at present, below the path of PUBLIC_URL: it may be moved to another trail. */
    pathOf: async (imageId: string): Promise<string | undefined> => {
      const photo = await photoAt(imageId)
      return photo && `/t/${encodeURIComponent(photo.trailSlug)}/${photo.id}`
    },

    /** Of a photo by its number alone that is not listed: its submitter and staff may see it. */
    photo: async (): Promise<PreviewedPage> => missing,

    route: async ({ webApp }: Texts, routeId: string, token: string | undefined): Promise<PreviewedPage> => {
      try {
        const found = await listed.route(parseId(routeId), token)
        if (!found) return missing
        const { id, name, description, displayName, length, visibility } = found.route
        const facts = webApp.route.facts(webApp.distance(Number(length)), displayName)
        const isPublic = visibility === 'public'
        // Whoever follows the preview comes to the address that it tells.
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
        // What is shown of it is being made anew: the app waits for that, a preview does not.
        if (error instanceof Refusal) return { about: 'unlisted', status: 200 }
        throw error
      }
    },
  }
}

export type Previews = ReturnType<typeof createPreviews>
