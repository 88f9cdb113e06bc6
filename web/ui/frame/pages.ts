// The pages that lead everywhere, by who may use them: for the bar, the palette and the `g` keys.
import {
  BookOpen,
  Camera,
  Images,
  ListChecks,
  Map as MapIcon,
  PencilRuler,
  Route,
  Settings,
  UserRound,
} from 'lucide-react'
import { isAdmin, isStaff, type Viewer } from '../../data/site.ts'
import { common } from '../../strings/common.ts'

const { pages } = common

const all = [
  { to: '/', label: pages.trails, key: 't', icon: MapIcon, isFor: () => true },
  { to: '/routes', label: pages.publicRoutes, key: 'o', icon: Route, isFor: () => true },
  { to: '/upload', label: pages.upload, key: 'u', icon: Camera, isFor: () => true },
  {
    to: '/photos',
    label: pages.photos,
    key: 'p',
    icon: Images,
    isFor: (viewer: Viewer | null) => viewer !== null,
  },
  {
    to: '/routes/mine',
    label: pages.routes,
    key: 'r',
    icon: PencilRuler,
    isFor: (viewer: Viewer | null) => viewer !== null,
  },
  { to: '/review', label: pages.review, key: 'q', icon: ListChecks, isFor: isStaff },
  {
    to: '/account',
    label: pages.account,
    key: 'a',
    icon: UserRound,
    isFor: (viewer: Viewer | null) => viewer !== null,
  },
  { to: '/admin', label: pages.admin, key: 'm', icon: Settings, isFor: isAdmin },
  { to: '/docs', label: pages.docs, key: 'd', icon: BookOpen, isFor: () => true },
] as const

export type AppPage = (typeof all)[number]

export const pagesFor = (viewer: Viewer | null): readonly AppPage[] =>
  all.filter(({ isFor }) => isFor(viewer))
