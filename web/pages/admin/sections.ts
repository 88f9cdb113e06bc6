// The admin sections, in the order of the navigation and of their shortcuts.
import {
  Activity,
  AppWindow,
  Gauge,
  HardDrive,
  ListChecks,
  Map as MapIcon,
  MapPinned,
  Palette,
  Scale,
  ScrollText,
  SlidersHorizontal,
  Users,
} from 'lucide-react'
import { admin } from '../../strings/admin.ts'

const { sections: strings } = admin

export const sections = [
  { name: 'overview', key: '1', icon: Gauge, ...strings.overview },
  { name: 'trails', key: '2', icon: MapIcon, ...strings.trails },
  { name: 'accounts', key: '3', icon: Users, ...strings.accounts },
  { name: 'applications', key: '4', icon: AppWindow, ...strings.applications },
  { name: 'terms', key: '5', icon: Scale, ...strings.terms },
  { name: 'branding', key: 'b', icon: Palette, ...strings.branding },
  { name: 'reasons', key: '6', icon: ListChecks, ...strings.reasons },
  { name: 'map', key: 'm', icon: MapPinned, ...strings.map },
  { name: 'storage', key: '7', icon: HardDrive, ...strings.storage },
  { name: 'settings', key: '8', icon: SlidersHorizontal, ...strings.settings },
  { name: 'audit', key: '9', icon: ScrollText, ...strings.audit },
  { name: 'health', key: '0', icon: Activity, ...strings.health },
] as const

export type SectionName = (typeof sections)[number]['name']
