// The texts of the docs.
import type { Tools } from '../language.ts'

export function catalogue({ plural }: Tools) {
  const docs = {
    title: 'Docs',
    lead: 'Guides for using this site and building on it.',
    keys: 'Docs',
    api: 'API reference',
    apiLead: 'Every operation with its parameters and responses. You can try them here.',
    guides: 'Guides',
    allPages: 'All pages',
    search: 'Search the docs',
    searchHint: 'Words in a title',
    found: (count: number) => plural(count, { one: '# result', other: '# results' }),
    nothing: 'No results',
    nothingDetail: 'Try another word, or browse the list.',
    onThisPage: 'On this page',
    copyCode: 'Copy code',
    code: 'Code',
    ways: 'Language',
    missing: 'Guide not found',
    missingDetail: 'The address may be wrong. These are the guides:',
    next: 'Next guide',
    previous: 'Previous guide',
  }

  const apiStrings = {
    search: 'Search operations',
    searchHint: 'Word, path or method',
    count: (count: number) => plural(count, { one: '# operation', other: '# operations' }),
    shortest: (count: number) => `${plural(count, { one: '# character', other: '# characters' })} or more`,
    longest: (count: number) => `up to ${plural(count, { one: '# character', other: '# characters' })}`,
    listOf: (form: string) => `array of ${form}`,
    none: 'No matching operations',
    noneDetail: 'Search by path or description.',
    all: 'Show all',
    document: 'OpenAPI 3.1 document',
    copyLink: 'Copy link to this operation',
    open: 'Authorization',
    parameters: 'Parameters',
    places: { path: 'path', query: 'query', header: 'header', cookie: 'cookie' } as Readonly<
      Record<string, string>
    >,
    required: 'required',
    body: 'Body',
    answers: 'Responses',
    refusals: 'Errors',
    refusalsHint:
      'Problem documents (RFC 9457) in JSON or XML, depending on Accept: type, title, status, detail, instance.',
    samples: 'Samples',
    emptyAnswer: 'No body.',
    bytes: 'Bytes.',
    anything: 'anything',
    each: 'each',
    orElse: 'or',
    xmlName: (name: string) => `<${name}>`,
    methods: 'Format',
    security: {
      none: 'None.',
      apiKey: 'API key.',
      session: 'Signed-in session, from a page of this site.',
      page: 'Pages of this site, for published content.',
      oauth: (scopes: string) => (scopes === '' ? 'Bearer token.' : `Bearer token with the scope ${scopes}.`),
    },
    try: {
      title: 'Try it',
      as: 'Credential',
      nobody: 'None',
      session: (name: string) => `Signed in as ${name}`,
      key: 'API key',
      keyLabel: 'API key',
      keyHint:
        'Stored in this tab only (sessionStorage) and sent only to this site. It is deleted when you close the tab.',
      forget: 'Forget key',
      body: 'Body',
      file: 'File',
      mediaType: 'Content type',
      accept: 'Accept',
      details: 'details (JSON)',
      send: 'Send',
      warning: (method: string) =>
        `This is not a dry run: ${method} changes real data on this site as the current user.`,
      agree: 'I understand',
      stream: 'Event streams cannot be shown here. Use the curl sample.',
      status: 'Status',
      took: (ms: string) => `in ${ms}`,
      headers: 'Headers',
      answer: 'Response',
      cut: (bytes: string) => `Showing the first 100 kB of ${bytes}.`,
      binary: (type: string, bytes: string) => `${bytes} of ${type}`,
      noBody: 'No body.',
      image: 'Image response',
      failed: 'Could not send the request',
    },
  }

  return { docs, apiStrings }
}

export type DocsCatalogue = ReturnType<typeof catalogue>
