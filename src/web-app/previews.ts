// What others may show of an address of the web app: of listed photos, trails and shared routes, and of nothing else.
import { parseId } from '../shared/classic/classic-paths.ts'
import { Refusal } from '../errors.ts'
import { altOf, type Listed, type ListedPhoto } from './listed.ts'
import type { Texts } from '../texts/texts.ts'
import type { Preview, ShellPage } from './shell.ts'

export interface PreviewedPage {
  readonly about: ShellPage
  readonly status: 200 | 404
}

export interface PreviewsDependencies {
  readonly listed: Listed
  readonly siteName: string
  readonly publicUrl: string
  readonly imageHandlerUrl: string
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

const unlisted: PreviewedPage = { about: 'unlisted', status: 200 }
const shown = (about: Preview): PreviewedPage => ({ about, status: 200 })

export function createPreviews({ listed, siteName, publicUrl, imageHandlerUrl }: PreviewsDependencies) {
  const imageOf = (imageId: number): string => `${imageHandlerUrl}?id=${imageId}&t=640`
  const trailAddress = (slug: string): string => `${publicUrl}/t/${encodeURIComponent(slug)}`

  function previewOf(photo: ListedPhoto, { webApp }: Texts): Preview {
    const { id, title, caption, trailName, trailSlug, displayName } = photo
    return {
      title: cut(title || webApp.photo.untitled(trailName)),
      description: cut(
        [caption, webApp.photo.by(trailName, displayName)].filter((part) => part !== '').join(' – '),
      ),
      url: `${trailAddress(trailSlug)}/${id}`,
      image: { url: imageOf(id), alt: cut(altOf(photo, webApp)) },
    }
  }

  async function photoAt(segment: string): Promise<ListedPhoto | undefined> {
    const imageId = parseId(segment)
    return imageId === undefined ? undefined : listed.photo(imageId)
  }

  return {
    front: async ({ webApp }: Texts): Promise<PreviewedPage> =>
      shown({
        title: siteName,
        description: webApp.front,
        url: `${publicUrl}/`,
      }),

    guide: async ({ webApp }: Texts): Promise<PreviewedPage> =>
      shown({
        title: webApp.guide.title,
        description: webApp.guide.description(siteName),
        url: `${publicUrl}/docs`,
      }),

    trail: async ({ webApp }: Texts, slug: string): Promise<PreviewedPage> => {
      const trail = await listed.trail(slug)
      if (!trail) return { about: 'unlisted', status: 404 }
      const { name, miles, images, cover } = trail
      const facts = [...(miles === null ? [] : [webApp.distance(miles)]), webApp.photos(images)]
      return shown({
        title: cut(name),
        description: `${facts.join(', ')}.`,
        url: trailAddress(trail.slug),
        image: cover === null ? undefined : { url: imageOf(cover), alt: cut(webApp.newestPhoto(name)) },
      })
    },

    /** A photo of the trail; one that is not listed there is no more told of than one that never was. */
    photoOf: async (texts: Texts, slug: string, imageId: string): Promise<PreviewedPage> => {
      const trail = await listed.trail(slug)
      if (!trail) return { about: 'unlisted', status: 404 }
      const photo = await photoAt(imageId)
      return photo?.trailSlug === trail.slug ? shown(previewOf(photo, texts)) : unlisted
    },

    photo: async (texts: Texts, imageId: string): Promise<PreviewedPage> => {
      const photo = await photoAt(imageId)
      return photo ? shown(previewOf(photo, texts)) : unlisted
    },

    route: async ({ webApp }: Texts, routeId: string, token: string | undefined): Promise<PreviewedPage> => {
      try {
        const found = await listed.route(parseId(routeId), token)
        if (!found) return unlisted
        const { id, name, description, displayName, length, visibility } = found.route
        const facts = webApp.route.facts(webApp.distance(Number(length)), displayName)
        const isPublic = visibility === 'public'
        // Whoever follows the preview comes to the address that it tells.
        const query = isPublic ? '' : `?token=${encodeURIComponent(token ?? '')}`
        return shown({
          title: cut(name || webApp.route.untitled),
          description: cut([facts, description].filter((part) => part !== '').join(' – ')),
          url: `${publicUrl}/routes/${id}${query}`,
          isUnlisted: !isPublic,
        })
      } catch (error) {
        // What is shown of it is being made anew: the app waits for that, a preview does not.
        if (error instanceof Refusal) return unlisted
        throw error
      }
    },
  }
}

export type Previews = ReturnType<typeof createPreviews>
