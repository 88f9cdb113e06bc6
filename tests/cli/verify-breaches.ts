// Servers that each violate one requirement for reading: `waymark verify` must report it with the right check, and with
// no other.
import {
  answering,
  answerOf,
  grey,
  inJsonList,
  inRoutes,
  inXmlList,
  isFile,
  routes,
  sizeGiven,
  type Breach,
} from './verify-alterations.ts'

export const readingBreaches: readonly Breach[] = [
  {
    id: 'list-needs-key',
    wrong: 'it gives the list to anybody',
    alter: (exchange) => {
      if (/\/Images\/?$/i.test(exchange.path) && exchange.status === 401) answerOf(200, '[]')(exchange)
    },
    seen: /200 and "\[\]", not a refusal/,
    also: ['missing-key-is-401', 'no-referrer', 'problem-documents'],
  },
  {
    id: 'routes-forbidden',
    wrong: 'it says 401 of a wrong token',
    alter: answering('GET', routes, (exchange) => {
      if (exchange.status === 403) exchange.status = 401
    }),
    seen: /401 and "Forbidden"/,
  },
  {
    id: 'unknown-prefix',
    wrong: 'it serves a prefix of the future',
    alter: answering('GET', /^\/V9\//, answerOf(200, '[]')),
    seen: /200/,
  },
  {
    id: 'list-fields',
    wrong: 'a field is null',
    alter: inJsonList(/"detailUrl":"[^"]*"/, '"detailUrl":null'),
    seen: /image \d+ has detailUrl null, not a string/,
    also: ['list-same-in-both'],
  },
  {
    id: 'list-coordinates',
    wrong: 'lat is a number',
    alter: inJsonList('"lat":"46.5"', '"lat":46.5'),
    seen: /has lat 46.5, a bare number/,
  },
  {
    id: 'list-mime-slash',
    wrong: 'the slash of mimeType is bare',
    alter: inJsonList(/image\\\//g, 'image/'),
    seen: /"mimeType":"image\/jpeg"/,
    also: ['list-all-slashes'],
  },
  {
    id: 'list-mime-types',
    wrong: 'a photo is WebP',
    alter: inJsonList('"image\\/png"', '"image\\/webp"'),
    seen: /mimeType "image\/webp"/,
    also: ['list-same-in-both', 'image-mime-type'],
  },
  {
    id: 'list-post-date',
    wrong: 'postDate is RFC 3339',
    alter: inJsonList(/(\d\d) (\d\d:\d\d:\d\d)Z/g, '$1T$2Z'),
    seen: /postDate "2026-05-14T.*, and 2 more like it/,
  },
  {
    id: 'list-text-limits',
    wrong: 'a title has 257 characters',
    alter: inJsonList('Grat\\/Ridge', 'x'.repeat(257)),
    seen: /the title of image \d+ has 257 characters/,
    also: ['list-same-in-both'],
  },
  {
    id: 'list-lone-space',
    wrong: 'an empty caption is empty',
    alter: inJsonList('"caption":" "', '"caption":""'),
    seen: /the caption of image \d+ is an empty string/,
    also: ['list-same-in-both'],
  },
  {
    id: 'list-xml-only',
    wrong: 'addUser is in JSON',
    alter: inJsonList('"trailName"', '"addUser":"Person 1","trailName"'),
    seen: /has addUser/,
    also: ['list-key-order'],
  },
  {
    id: 'list-ids',
    wrong: 'an image is of another trail',
    alter: inJsonList('"trailID":4711', '"trailID":4712'),
    seen: /trailID 4712/,
    also: ['list-same-in-both'],
  },
  {
    id: 'list-key-order',
    wrong: 'two keys are swapped',
    alter: inJsonList(/("caption":"[^"]*"),("detailUrl":"[^"]*")/, '$2,$1'),
    seen: /has detailUrl, caption/,
  },
  {
    id: 'list-xml-fields',
    wrong: 'XML has no email',
    alter: inXmlList(/<email>[^<]*<\/email>|<email\/>/, ''),
    seen: /has no email/,
    also: ['list-xml-order'],
  },
  {
    id: 'list-xml-order',
    wrong: 'two elements are swapped',
    alter: inXmlList(/(<lat>[^<]*<\/lat>)(<lon>[^<]*<\/lon>)/, '$2$1'),
    seen: /has lon where lat belongs/,
  },
  {
    id: 'list-xml-post-date',
    wrong: 'postDate has a Z in XML',
    alter: inXmlList('</postDate>', 'Z</postDate>'),
    seen: /postDate "2026-.*Z"/,
    also: ['list-same-in-both'],
  },
  {
    id: 'list-same-in-both',
    wrong: 'XML has one title less',
    alter: inXmlList('Grat/Ridge', 'Ridge'),
    seen: /title "Grat\/Ridge" in JSON and "Ridge" in XML/,
  },
  {
    id: 'list-xml',
    wrong: 'the root is called otherwise',
    alter: inXmlList(/ArrayOfTrailImageDetails/g, 'Images'),
    seen: /element Images/,
  },
  {
    id: 'image-named-sides',
    wrong: '640 is served as 300',
    alter: sizeGiven('640', grey[0]),
    seen: /300 × 300, and no side has 640/,
    also: ['image-fit'],
  },
  {
    id: 'image-square',
    wrong: '150 is served as 151',
    alter: sizeGiven('150', grey[1]),
    seen: /151 × 151, not 150/,
  },
  {
    id: 'image-fit',
    wrong: 'a small photo is enlarged',
    alter: sizeGiven('640', grey[2]),
    seen: /it is 640 × 640, for a photo of 800 × 500/,
  },
  {
    id: 'image-sizes',
    wrong: 'there is no thumbnail',
    alter: answering('GET', /t=sm$/, answerOf(404, '')),
    seen: /404 and an empty body/,
  },
  {
    id: 'image-mime-type',
    wrong: 'every photo is converted to JPEG',
    alter: (exchange) => {
      if (isFile(exchange, 'lg') && exchange.headers['content-type'] === 'image/png')
        sizeGiven('lg', grey[2])(exchange)
    },
    seen: /bytes are image\/jpeg, but mimeType is "image\/png"/,
    also: ['image-fit'],
  },
  {
    id: 'route-fields',
    wrong: 'length is a string',
    alter: inRoutes(/"length":([\d.]+)/, '"length":"$1"'),
    seen: /length "2.5", not a number/,
  },
  {
    id: 'route-lone-space',
    wrong: 'an empty description is empty',
    alter: inRoutes('"description":" "', '"description":""'),
    seen: /description of route \d+ is an empty string/,
  },
  {
    id: 'route-date',
    wrong: 'the year has four digits',
    alter: inRoutes(/"dateCreated":"(\d\d\/\d\d)\/\d\d"/, '"dateCreated":"$1/2026"'),
    seen: /dateCreated "05\/14\/2026"/,
  },
  {
    id: 'unknown-account',
    wrong: 'an account that does not exist has no routes',
    alter: (exchange) => {
      if (exchange.path.includes('/Accounts/9007199254740991/'))
        answerOf(404, 'No routes found', 'text/plain')(exchange)
    },
    seen: /404 and "No routes found"/,
  },
]
