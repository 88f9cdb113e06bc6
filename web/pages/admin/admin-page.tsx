// The administration: one part of it at a time, by the address.
import { useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { admin } from '../../strings/admin.ts'
import { Gate } from '../../ui/gate.tsx'
import { PageMissing } from '../../ui/route-states.tsx'
import { AccountsSection } from './accounts-section.tsx'
import { AuditSection } from './audit-section.tsx'
import { ClientsSection } from './clients-section.tsx'
import { HealthSection } from './health-section.tsx'
import { OverviewSection } from './overview-section.tsx'
import { ReasonsSection } from './reasons-section.tsx'
import type { SectionName } from './sections.ts'
import { SettingsSection } from './settings-section.tsx'
import { StorageSection } from './storage-section.tsx'
import { TermsSection } from './terms-section.tsx'
import { TrailsSection } from './trails-section.tsx'

const parts: Readonly<Record<SectionName, ComponentType>> = {
  overview: OverviewSection,
  trails: TrailsSection,
  accounts: AccountsSection,
  applications: ClientsSection,
  terms: TermsSection,
  reasons: ReasonsSection,
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
