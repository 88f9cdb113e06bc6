// The admin area: one section at a time, by URL.
import { useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { admin } from '../../strings/admin.ts'
import { Gate } from '../../ui/frame/gate.tsx'
import { PageMissing } from '../../ui/notices/route-states.tsx'
import { AccountsSection } from './sections/accounts-section.tsx'
import { AuditSection } from './sections/audit-section.tsx'
import { BrandingSection } from './sections/branding-section.tsx'
import { ClientsSection } from './sections/clients-section.tsx'
import { HealthSection } from './sections/health-section.tsx'
import { MapSection } from './sections/map-section.tsx'
import { OverviewSection } from './sections/overview-section.tsx'
import { ReasonsSection } from './sections/reasons-section.tsx'
import type { SectionName } from './sections.ts'
import { SettingsSection } from './sections/settings-section.tsx'
import { StorageSection } from './sections/storage-section.tsx'
import { TermsSection } from './sections/terms-section.tsx'
import { TrailsSection } from './sections/trails-section.tsx'

const parts: Readonly<Record<SectionName, ComponentType>> = {
  overview: OverviewSection,
  trails: TrailsSection,
  accounts: AccountsSection,
  applications: ClientsSection,
  terms: TermsSection,
  branding: BrandingSection,
  reasons: ReasonsSection,
  map: MapSection,
  storage: StorageSection,
  settings: SettingsSection,
  audit: AuditSection,
  health: HealthSection,
}

export function AdminPage() {
  const { section = 'overview' } = useParams({ strict: false })
  const Part = Object.hasOwn(parts, section) ? parts[section as SectionName] : undefined
  return (
    <Gate title={admin.title} who="admin">
      {Part ? <Part /> : <PageMissing />}
    </Gate>
  )
}
