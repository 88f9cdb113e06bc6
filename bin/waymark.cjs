#!/usr/bin/env node
// The `waymark` command: checks the Node version in plain JavaScript, then hands over to the TypeScript command line.
require('./require-node.cjs')
import('../cli/cli.ts').then(function (cli) {
  return cli.main(process.argv.slice(2))
})
