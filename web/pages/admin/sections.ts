// The parts of the administration, in the order of the bar and of their keys.
import {
  Activity,
  AppWindow,
  Gauge,
  HardDrive,
  ListChecks,
  Map as MapIcon,
  Scale,
  ScrollText,
  SlidersHorizontal,
  Users,
} from 'lucide-react'
import { admin } from '../../strings/admin.ts'

const { sections: words } = admin

export const sections = [
  { name: 'overview', key: '1', icon: Gauge, ...words.overview },
  { name: 'trails', key: '2', icon: MapIcon, ...words.trails },
  { name: 'accounts', key: '3', icon: Users, ...words.accounts },
  { name: 'applications', key: '4', icon: AppWindow, ...words.applications },
  { name: 'terms', key: '5', icon: Scale, ...words.terms },
  { name: 'reasons', key: '6', icon: ListChecks, ...words.reasons },
  { name: 'storage', key: '7', icon: HardDrive, ...words.storage },
  { name: 'settings', key: '8', icon: SlidersHorizontal, ...words.settings },
  { name: 'audit', key: '9', icon: ScrollText, ...words.audit },
  { name: 'health', key: '0', icon: Activity, ...words.health },
] as const

export type SectionName = (typeof sections)[number]['name']
