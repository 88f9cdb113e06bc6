// Headers that every answer carries, whoever writes it.

export function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff', // stops a browser from running an upload as something else
    'Referrer-Policy': 'no-referrer', // stops an API key in the address from travelling on in Referer
    ...(publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }
}
