// The shape of the cone in which a camera looked, as an SVG path.

const halfAngle = 26

/** From the middle of the box upward, which is north; the point of the photo itself stays free. */
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
