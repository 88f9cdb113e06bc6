// Like verify-breaches.ts, for the checks of --write.
import {
  answering,
  answerOf,
  image,
  inRoutes,
  isJson,
  isOk,
  isXml,
  photo,
  routes,
  upload,
  type Breach,
} from './verify-alterations.ts'
import type { Exchange } from './verify-helpers.ts'

const xmlAnswer = (exchange: Exchange): boolean => exchange.accept === 'application/xml'

export const writingBreaches: readonly Breach[] = [
  {
    id: 'upload-answer',
    wrong: 'the imageID is in an object',
    alter: answering('POST', upload, (exchange) => {
      if (isOk(exchange) && !xmlAnswer(exchange))
        exchange.body = Buffer.from(`{"imageID":${exchange.body.toString()}}`)
    }),
    seen: /imageID/,
  },
  {
    id: 'upload-answer-xml',
    wrong: 'the element is called id',
    alter: answering('POST', upload, (exchange) => {
      if (isXml(exchange)) exchange.body = Buffer.from(exchange.body.toString().replaceAll('long>', 'id>'))
    }),
    seen: /<id>\d+<\/id>/,
    after: photo,
  },
  {
    id: 'pending-sizes',
    wrong: 'pending photos are seen by nobody',
    alter: (exchange) => {
      if (exchange.headers['x-robots-tag'] !== undefined) answerOf(404, '')(exchange)
    },
    seen: /404/,
    after: photo,
  },
  {
    id: 'exif-position',
    wrong: 'the position of the file is not read',
    alter: answering('GET', image, (exchange) => {
      exchange.body = Buffer.from(exchange.body.toString().replace('"45.5"', '"0"'))
    }),
    seen: /has "0", "-122.25", not 45.5, -122.25/,
    also: ['position-kept'],
    after: photo,
  },
  {
    id: 'details-json',
    wrong: '"true" is a string',
    alter: answering('PUT', image, (exchange) => {
      if (exchange.body.toString() === 'true') exchange.body = Buffer.from('"true"')
    }),
    seen: /"true"/,
    also: ['caption-code-points', 'lone-space', 'whole-object'],
    after: photo,
  },
  {
    id: 'caption-too-long',
    wrong: 'a longer caption is cut',
    alter: answering('PUT', image, (exchange) => {
      if (exchange.status === 400 && isJson(exchange) && exchange.sent.length > 257)
        answerOf(200, 'true')(exchange)
    }),
    seen: /200 and "true"/,
    also: ['caption-not-cut'],
    after: photo,
  },
  {
    id: 'route-made',
    wrong: 'the route comes back whole',
    alter: answering('POST', routes, (exchange) => {
      if (isOk(exchange)) exchange.body = Buffer.from(`{"routeID":${exchange.body.toString()}}`)
    }),
    seen: /routeID/,
  },
  {
    id: 'route-shown',
    wrong: 'the gpx is not given',
    alter: inRoutes(/"gpx":"(?:[^"\\]|\\.)*(waymark verify)(?:[^"\\]|\\.)*"/, '"gpx":""'),
    seen: /gpx is ""/,
    also: ['route-changed'],
    after: ['route-made'],
  },
  {
    id: 'route-deleted',
    wrong: 'a DELETE is answered without a body',
    alter: answering('DELETE', /\/Routes\/\d+$/, (exchange) => {
      if (isOk(exchange)) answerOf(204, '')(exchange)
    }),
    seen: /204 and an empty body, not a bare true/,
    after: ['route-made'],
  },
]
