// Admin operations: accounts, invitations, applications, audit, settings, terms, branding, reasons and the map.
import { pagesOf, wholeSet, type Page, type Pages } from './paging.ts'
import type { ChangeOptions } from './trails.ts'
import type { CallOptions, Transport } from './transport.ts'
import type {
  AccountDeletion,
  AccountPatch,
  AdminAccount,
  AdminClient,
  AuditEntry,
  Branding,
  ClientPatch,
  ClientSecret,
  Invitation,
  LeavingReport,
  Link,
  MadeClient,
  MadeInvitation,
  NewAccount,
  NewAdminClient,
  NewBranding,
  NewInvitation,
  NewPhotoTerms,
  PhotoTerms,
  ReviewReasons,
  ReviewReason,
  Role,
  Setting,
  SiteMap,
  SiteMapChoice,
  JobReport,
  StorageReport,
} from './types.ts'

export interface AccountFilters {
  /** Part of the name or email address, or the acctID. */
  readonly q: string
  readonly role: Role
  readonly suspended: boolean
}

export interface OfAccount {
  readonly acctID: number
}

export interface AuditFilters extends OfAccount {
  /** Such as `account.suspended`. */
  readonly action: string
  /** Inclusive. */
  readonly since: string | Date
  /** Exclusive. */
  readonly until: string | Date
}

const part = encodeURIComponent

export function createAdminCalls(transport: Transport) {
  const { request } = transport
  const accounts: Pages<AccountFilters, AdminAccount> = pagesOf(transport, '/v2/admin/accounts')
  const clients: Pages<OfAccount, AdminClient> = pagesOf(transport, '/v2/admin/clients')
  const audit: Pages<AuditFilters, AuditEntry> = pagesOf(transport, '/v2/admin/audit')
  return {
    accounts: {
      ...accounts,
      get: (acctID: number, options?: CallOptions) =>
        request<AdminAccount>('GET', `/v2/admin/accounts/${acctID}`, options),
      create: (account: NewAccount, options?: CallOptions) =>
        request<AdminAccount>('POST', '/v2/admin/accounts', { ...options, body: account }),
      change: (acctID: number, patch: AccountPatch, options?: CallOptions) =>
        request<AdminAccount>('PATCH', `/v2/admin/accounts/${acctID}`, { ...options, body: patch }),
      /** Deletes the account permanently. */
      remove: (acctID: number, deletion: AccountDeletion, options?: CallOptions) =>
        request<LeavingReport>('DELETE', `/v2/admin/accounts/${acctID}`, {
          ...options,
          body: deletion,
          isRepeatable: false,
        }),
      /** A link to choose a password; it works once. */
      resetLink: (acctID: number, options?: CallOptions) =>
        request<Link>('POST', `/v2/admin/accounts/${acctID}/reset-link`, options),
    },
    invitations: {
      list: (options?: CallOptions) => wholeSet<Invitation>(transport, '/v2/admin/invitations', options),
      create: (invitation: NewInvitation, options?: CallOptions) =>
        request<MadeInvitation>('POST', '/v2/admin/invitations', { ...options, body: invitation }),
      remove: (invitationId: string, options?: CallOptions) =>
        request<void>('DELETE', `/v2/admin/invitations/${part(invitationId)}`, options),
    },
    clients: {
      ...clients,
      create: (client: NewAdminClient, options?: CallOptions) =>
        request<MadeClient>('POST', '/v2/admin/clients', { ...options, body: client }),
      change: (clientId: string, patch: ClientPatch, options?: CallOptions) =>
        request<void>('PATCH', `/v2/admin/clients/${part(clientId)}`, { ...options, body: patch }),
      remove: (clientId: string, options?: CallOptions) =>
        request<void>('DELETE', `/v2/admin/clients/${part(clientId)}`, options),
      newSecret: (clientId: string, options?: CallOptions) =>
        request<ClientSecret>('POST', `/v2/admin/clients/${part(clientId)}/secret`, options),
    },
    audit,
    settings: (options?: CallOptions) => wholeSet<Setting>(transport, '/v2/admin/settings', options),
    /** Get storage use and free space. */
    storage: (options?: CallOptions) => request<StorageReport>('GET', '/v2/admin/storage', options),
    /** Background work of the server that answers, and the result of its last runs. */
    jobs: (options?: CallOptions) => wholeSet<JobReport>(transport, '/v2/admin/jobs', options),
    terms: {
      get: (options?: CallOptions) => request<PhotoTerms>('GET', '/v2/terms', options),
      set: (terms: NewPhotoTerms, options?: ChangeOptions) =>
        request<PhotoTerms>('PUT', '/v2/admin/terms', { ...options, body: terms }),
    },
    /** Branding of the site. */
    branding: {
      get: (options?: CallOptions) => request<Branding>('GET', '/v2/admin/branding', options),
      set: (branding: NewBranding, options?: ChangeOptions) =>
        request<Branding>('PUT', '/v2/admin/branding', { ...options, body: branding }),
      /** The logo or the favicon: a PNG, JPEG or WebP, with its type. */
      setPicture: (name: 'logo' | 'favicon', picture: Blob, options?: CallOptions) =>
        request<Branding>('PUT', `/v2/admin/branding/${name}`, {
          ...options,
          body: picture,
          headers: { 'content-type': picture.type },
        }),
      removePicture: (name: 'logo' | 'favicon', options?: CallOptions) =>
        request<Branding>('DELETE', `/v2/admin/branding/${name}`, options),
    },
    map: {
      /** The base map: which one is active, its files, and any problems. */
      get: (options?: CallOptions) => request<SiteMap>('GET', '/v2/admin/map', options),
      choose: (choice: SiteMapChoice, options?: CallOptions) =>
        request<SiteMap>('PUT', '/v2/admin/map', { ...options, body: choice }),
    },
    reasons: {
      /** Replaces the whole list. */
      set: async (
        reasons: ReviewReasons['items'],
        options?: CallOptions,
      ): Promise<readonly ReviewReason[]> => {
        const body = { items: reasons }
        return (await request<Page<ReviewReason>>('PUT', '/v2/admin/review-reasons', { ...options, body }))
          .items
      },
    },
  }
}
