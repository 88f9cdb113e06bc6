// Stops any entry of Waymark on a Node too old to run it, in one sentence. Plain old JavaScript on purpose:
// it must itself run where nothing newer does, so no syntax younger than ES5.
var oldest = 24
var major = Number(process.versions.node.split('.')[0])
if (major < oldest) {
  process.stderr.write(
    'Waymark needs Node ' +
      oldest +
      ' or newer and this is ' +
      process.versions.node +
      ': run "npm ci" once, which brings Node 26, then start it with "npm start" or "npx waymark".\n',
  )
  process.exit(1)
}
