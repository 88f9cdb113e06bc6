// The elevation plot without its page: a uPlot chart in the page's colours, with functions to set data and cursor.
import uPlot from 'uplot'
import { profileIndexOf, type Profile } from '../../../route-editor/profile.ts'
import { numberIn } from '../../../ui/format.ts'
import type { Preferences } from '../../../ui/preferences.ts'

export const plotHeight = 150
const [feetOfMetre, kilometresOfMile] = [1 / 0.3048, 1.609344]

export interface PlotOptions {
  readonly target: HTMLElement
  readonly units: Preferences['units']
  readonly onPoint: (index: number | undefined) => void
  readonly onPick: (index: number) => void
}

/** A canvas cannot use CSS: the colours are read from the page's styles. */
function coloursOf(element: Element) {
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  return {
    line: colour('--accent'),
    text: colour('--muted'),
    grid: colour('--hairline'),
    fill: colour('--good-back'),
  }
}

export function createPlot({ target, units, onPoint, onPick }: PlotOptions) {
  const isMiles = units === 'miles'
  const along = (miles: number): number => (isMiles ? miles : miles * kilometresOfMile)
  const up = (metres: number): number => (isMiles ? metres * feetOfMetre : metres)
  const { line, text, grid, fill } = coloursOf(target)
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } }
  const inUnit = (unit: string) => (_: uPlot, ticks: number[]) =>
    ticks.map((tick) => `${numberIn({}, tick)} ${unit}`)
  /** The plot also reports cursor positions that were set by code. */
  let isMovedByCode = false
  const plot = new uPlot(
    {
      width: target.clientWidth,
      height: plotHeight,
      scales: { x: { time: false } },
      axes: [
        { ...axis, size: 30, values: inUnit(isMiles ? 'mi' : 'km') },
        { ...axis, size: 62, values: inUnit(isMiles ? 'ft' : 'm') },
      ],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 9 } },
      series: [{}, { stroke: line, fill, width: 2, points: { show: false } }],
      hooks: { setCursor: [({ cursor }) => void (isMovedByCode || onPoint(cursor.idx ?? undefined))] },
    },
    [[], []],
    target,
  )
  plot.over.addEventListener('click', () => {
    if (typeof plot.cursor.idx === 'number') onPick(plot.cursor.idx)
  })
  const watcher = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: plotHeight }))
  watcher.observe(target)

  return {
    show: ({ miles, eles }: Profile): void =>
      plot.setData([miles.map(along), eles.map((ele) => (ele === null ? null : up(ele)))]),
    /** At the point with this index; a pointer on the plot itself takes precedence. */
    pointAt: (profile: Profile, ordinal: number | undefined): void => {
      if (plot.over.matches(':hover')) return
      const index = ordinal === undefined ? -1 : (profileIndexOf(profile, ordinal) ?? -1)
      const [miles, ele] = [profile.miles[index], profile.eles[index]]
      isMovedByCode = true
      if (miles === undefined || ele === undefined || ele === null) plot.setCursor({ left: -10, top: -10 })
      else plot.setCursor({ left: plot.valToPos(along(miles), 'x'), top: plot.valToPos(up(ele), 'y') })
      isMovedByCode = false
    },
    end: (): void => {
      watcher.disconnect()
      plot.destroy()
    },
  }
}

export type Plot = ReturnType<typeof createPlot>
