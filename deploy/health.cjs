// The health check of the image, which has no curl: exits with 0 if the server in this container is ready.
// Plain JavaScript without libraries, since it starts every few seconds.
const http = require('node:http')

const request = http.get({
  host: '127.0.0.1',
  port: process.env.PORT || 8080,
  path: '/health/ready',
  timeout: 4_000,
})
request.on('response', (answer) => process.exit(answer.statusCode === 200 ? 0 : 1))
request.on('timeout', () => request.destroy(new Error('no response within 4 seconds')))
request.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
