// Types of the parts of oidc-provider that we import by path. Its index warns on the console about every Node that is
// not yet an LTS release (26 among them), and does nothing else: importing what it re-exports leaves out that one
// warning and no other. The version is pinned, and tests/auth/oauth/oauth-quiet.own.test.ts fails should a path ever move.

declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider'
}

declare module 'oidc-provider/lib/helpers/weak_cache.js' {
  import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
  type Answer = Readonly<Record<string, string | undefined>>
  type ResponseMode = (ctx: KoaContextWithOIDC, redirectUri: string, answer: Answer) => unknown
  /** What the provider keeps beside itself; `responseModes` is every way in which it sends a browser to an application. */
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
