// The documents by which clients discover the authorization server (RFC 8414, OpenID Connect) and the resource (RFC 9728).
import { endpoints, type Offer } from './oauth-offer.ts'
import { scopes } from './scopes.ts'

/**
 * Ours and not the provider's own document: that one takes its URLs from the Host header, and names endpoints and
 * grants that are not served yet. Every URL here comes from PUBLIC_URL.
 */
export function authorizationServerMetadata(publicUrl: string, offer: Offer) {
  const offersCode = offer.has('authorization_code')
  const confidentialMethods = ['client_secret_basic', 'client_secret_post']
  const methods = offersCode ? [...confidentialMethods, 'none'] : confidentialMethods
  const url = ({ path }: { readonly path: string }): string => publicUrl + path

  return {
    issuer: publicUrl,
    token_endpoint: url(endpoints.token),
    revocation_endpoint: url(endpoints.revocation),
    introspection_endpoint: url(endpoints.introspection),
    jwks_uri: url(endpoints.jwks),
    grant_types_supported: [...offer],
    // RFC 8414 requires the field, even where there is no authorization endpoint to answer.
    response_types_supported: offersCode ? ['code'] : [],
    scopes_supported: offersCode ? ['openid', ...scopes] : [...scopes],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
    ...(offersCode && {
      authorization_endpoint: url(endpoints.authorization),
      response_modes_supported: ['query', 'fragment', 'form_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    }),
    ...(offer.has('urn:ietf:params:oauth:grant-type:device_code') && {
      device_authorization_endpoint: url(endpoints.deviceAuthorization),
    }),
  }
}

export function openidConfiguration(publicUrl: string, offer: Offer) {
  return {
    ...authorizationServerMetadata(publicUrl, offer),
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
