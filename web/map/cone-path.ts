// The shape of a camera's field of view, as an SVG path.

const halfAngle = 26

/** From the centre of the box upward, which is north; the photo's point itself stays free. */
export function conePath(half: number): string {
  const at = (radius: number, degrees: number): string => {
    const angle = (degrees * Math.PI) / 180
    return `${(half + radius * Math.sin(angle)).toFixed(1)} ${(half - radius * Math.cos(angle)).toFixed(1)}`
  }
  const [inner, outer] = [8, half - 1]
  return [
    `M${at(inner, -halfAngle)}`,
    `L${at(outer, -halfAngle)}`,
    `A${outer} ${outer} 0 0 1 ${at(outer, halfAngle)}`,
    `L${at(inner, halfAngle)}`,
    `A${inner} ${inner} 0 0 0 ${at(inner, -halfAngle)}Z`,
  ].join('')
}
