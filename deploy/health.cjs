// The health check of the image, which has no curl: asks the server in this container whether it can do its work.
// Ends with 0 where it can. Plain JavaScript without libraries, since it starts every few seconds.
const http = require('node:http')

const request = http.get({
  host: '127.0.0.1',
  port: process.env.PORT || 8080,
  path: '/health/ready',
  timeout: 4_000,
})
request.on('response', (answer) => process.exit(answer.statusCode === 200 ? 0 : 1))
request.on('timeout', () => request.destroy(new Error('no answer within 4 seconds')))
request.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
