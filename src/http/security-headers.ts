// Headers that every answer carries, whoever writes it.

export interface SecurityHeadersOptions {
  readonly publicUrl: string
  /** Whether the rule of https holds for every name under that of PUBLIC_URL. */
  readonly hstsSubdomains: boolean
}

export function securityHeaders({
  publicUrl,
  hstsSubdomains,
}: SecurityHeadersOptions): Record<string, string> {
  const transport = hstsSubdomains ? 'max-age=31536000; includeSubDomains' : 'max-age=31536000'
  return {
    'X-Content-Type-Options': 'nosniff', // stops a browser from running an upload as something else
    'Referrer-Policy': 'no-referrer', // stops an API key in the address from travelling on in Referer
    ...(publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': transport } : {}),
  }
}
