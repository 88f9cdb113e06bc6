// Finds circles of files that import one another: one of two is a pair, a longer one has no part that can be read by itself.

/** A file to the files that it imports, for types alone or when it runs. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Leaves out whatever imports nothing that is left, or is imported by nothing that is left: no circle passes there. */
function withoutEnds(graph: ImportGraph): ImportGraph {
  const imported = new Set([...graph.values()].flat())
  const left = [...graph].filter(([file, targets]) => targets.length > 0 && imported.has(file))
  if (left.length === graph.size) return graph
  const names = new Set(left.map(([file]) => file))
  return withoutEnds(
    new Map(left.map(([file, targets]) => [file, targets.filter((target) => names.has(target))])),
  )
}

/** The shortest way from one file to another by way of at least a third. */
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

/** For each import the shortest circle of more than two files that it is part of; each circle once, by its first name. */
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
