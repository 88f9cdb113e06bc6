// The discovery documents of the authorization server (RFC 8414, OpenID Connect) and of the resource (RFC 9728).
import { endpoints, grantTypes } from './oauth-offer.ts'
import { scopes } from '../scopes.ts'

/**
 * We do not use the provider's own document, because its URLs come from the Host header. Ours all come from PUBLIC_URL.
 */
export function authorizationServerMetadata(publicUrl: string) {
  const confidentialMethods = ['client_secret_basic', 'client_secret_post']
  const methods = [...confidentialMethods, 'none']
  const url = ({ path }: { readonly path: string }): string => publicUrl + path

  return {
    issuer: publicUrl,
    authorization_endpoint: url(endpoints.authorization),
    token_endpoint: url(endpoints.token),
    device_authorization_endpoint: url(endpoints.deviceAuthorization),
    revocation_endpoint: url(endpoints.revocation),
    introspection_endpoint: url(endpoints.introspection),
    jwks_uri: url(endpoints.jwks),
    grant_types_supported: [...grantTypes],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ['openid', ...scopes],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
  }
}

export function openidConfiguration(publicUrl: string) {
  return {
    ...authorizationServerMetadata(publicUrl),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
}

export function protectedResourceMetadata(publicUrl: string) {
  return {
    resource: publicUrl,
    authorization_servers: [publicUrl],
    scopes_supported: [...scopes],
    bearer_methods_supported: ['header'],
  }
}
