#!/usr/bin/env node
// `node bin/node.cjs ARGS`: Node with these arguments, new enough for Waymark whichever one the machine has.
require('./newer-node.cjs').run(process.argv.slice(2))
