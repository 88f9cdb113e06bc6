// Finds import cycles between files. Two files that import each other are allowed; in a longer cycle, no file can be
// understood by itself.

/** Maps a file to the files that it imports, as types or at run time. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Removes files without remaining imports or importers, repeatedly: they cannot be part of a cycle. */
function withoutEnds(graph: ImportGraph): ImportGraph {
  const imported = new Set([...graph.values()].flat())
  const left = [...graph].filter(([file, targets]) => targets.length > 0 && imported.has(file))
  if (left.length === graph.size) return graph
  const names = new Set(left.map(([file]) => file))
  return withoutEnds(
    new Map(left.map(([file, targets]) => [file, targets.filter((target) => names.has(target))])),
  )
}

/** The shortest path between two files that passes through at least one other file. */
function wayBetween(graph: ImportGraph, from: string, to: string): string[] | undefined {
  const cameFrom = new Map([[from, from]])
  for (const file of cameFrom.keys()) {
    for (const target of graph.get(file) ?? []) {
      if (cameFrom.has(target) || (file === from && target === to)) continue
      cameFrom.set(target, file)
      if (target !== to) continue
      const way = [to]
      for (let at = file; at !== from; at = cameFrom.get(at) ?? from) way.unshift(at)
      return [from, ...way]
    }
  }
  return undefined
}

/**
 * For each import, the shortest cycle of more than two files that contains it. Each cycle is listed once, starting with
 * its first name.
 */
export function findCircles(graph: ImportGraph): string[][] {
  const core = withoutEnds(graph)
  const circles = new Map<string, string[]>()
  for (const [file, targets] of core) {
    for (const target of targets) {
      const circle = target === file ? undefined : wayBetween(core, target, file)
      if (!circle) continue
      const first = circle.indexOf(circle.toSorted()[0] ?? file)
      const turned = [...circle.slice(first), ...circle.slice(0, first)]
      circles.set(turned.join(' '), turned)
    }
  }
  return [...circles.values()]
}
