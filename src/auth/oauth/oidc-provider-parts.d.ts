// Types of the parts of oidc-provider that we import by path. Its index prints a warning on every Node that is not yet
// an LTS release (such as 26), and otherwise only re-exports: importing its parts avoids that one warning and no other.
// The version is pinned, and tests/auth/oauth/oauth-quiet.own.test.ts fails if a path changes.

declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider'
}

declare module 'oidc-provider/lib/helpers/weak_cache.js' {
  import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
  type Answer = Readonly<Record<string, string | undefined>>
  type ResponseMode = (ctx: KoaContextWithOIDC, redirectUri: string, answer: Answer) => unknown
  /** The provider's internal state; `responseModes` has every way in which it redirects a browser to an application. */
  export default function instance(provider: Provider): { readonly responseModes: Map<string, ResponseMode> }
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider'
  export const CustomOIDCProviderError: typeof errors.CustomOIDCProviderError
  export const InvalidGrant: typeof errors.InvalidGrant
  export const InvalidRequest: typeof errors.InvalidRequest
  export const SessionNotFound: typeof errors.SessionNotFound
  export const InvalidScope: typeof errors.InvalidScope
}
