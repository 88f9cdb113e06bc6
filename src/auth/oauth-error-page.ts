// The page a browser gets where an OAuth request fails: no script, nothing fetched from elsewhere.
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** The texts may repeat what the client sent. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

export function renderErrorPage(
  ctx: KoaContextWithOIDC,
  { error, error_description: description }: ErrorOut,
): void {
  ctx.type = 'html'
  ctx.set('Content-Security-Policy', policy)
  ctx.set('Cache-Control', 'no-store')
  ctx.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>This did not work · Waymark</title>
<style>
:root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1.25rem }
h1 { font-size: 1.6rem; line-height: 1.25 }
</style>
</head>
<body>
<h1>This did not work</h1>
<p>The application that sent you here made a request that Waymark cannot take.</p>
<p><code>${escapeHtml(error)}</code>${description === undefined ? '' : `: ${escapeHtml(description)}`}</p>
</body>
</html>
`
}
