// Where a link in the footer of a site may lead: only to a page, a mailbox, or a path of the site itself.

export const maxBrandUrlLength = 500

/** Browsers drop tabs and line breaks inside an address, and take `\` for `/`. */
const isPlain = (url: string): boolean => !/[\s\\\p{Cc}\p{Cf}]/u.test(url)

function isWebAddress(url: string): boolean {
  if (!/^https?:\/\/[^/]/i.test(url)) return false
  const parsed = URL.parse(url)
  // Before an @ a URL can pretend to be another host.
  return parsed !== null && parsed.username === '' && parsed.password === ''
}

/** A path below PUBLIC_URL: two slashes would lead to another host. */
export const isOwnPath = (url: string): boolean =>
  url.startsWith('/') && !url.startsWith('//') && isPlain(url)

/** Whether the footer may contain it: no script, and nothing that a browser executes. */
export function isBrandLink(url: string): boolean {
  if (url.length > maxBrandUrlLength || !isPlain(url)) return false
  return isOwnPath(url) || isWebAddress(url) || /^mailto:[^<>"',;:@?&]+@[^<>"',;:@?&]+$/i.test(url)
}
