#!/usr/bin/env -S node --
// The `waymark` command: hands over to the TypeScript command line, on a Node new enough for it, with the flag that a server needs.
// Node looks for its own --env-file in all arguments up to "--", also in those after the script, before any script runs.
var newerNode = require('./newer-node.cjs')

newerNode.keepCompiled()
newerNode.endWithShell()
if (newerNode.isNewEnough() && !newerNode.lacksFlag()) start()
else newerNode.run(['--'].concat(process.argv.slice(1))) // or Node would take --env-file for itself

function start() {
  import('../cli/cli.ts')
    .then(function (cli) {
      return cli.main(process.argv.slice(2))
    })
    .catch(function (error) {
      // Only what keeps the command line itself from loading comes here, such as a library that is not installed.
      var sentence = String((error && error.message) || error)
        .split('\n')[0]
        .replace(/\.?$/, '.')
      process.stderr.write(
        'Waymark cannot start; run "npm ci" if its libraries are missing: ' + sentence + '\n',
      )
      process.exitCode = 1
    })
}
