// Converts the chosen file for upload: the server refuses SVG, which may contain scripts, so it is rendered to a
// bitmap here.

const maxSide = 1024

async function loadImage(address: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.src = address
  await image.decode()
  return image
}

/** A browser that renders an SVG as an image runs no scripts in it, and loads nothing from it. */
async function drawn(file: File): Promise<Blob> {
  const address = URL.createObjectURL(file)
  try {
    const image = await loadImage(address)
    // An SVG may have no intrinsic size.
    const [width, height] = [image.naturalWidth || maxSide, image.naturalHeight || maxSide]
    const scale = maxSide / Math.max(width, height)
    const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale))
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await canvas.convertToBlob({ type: 'image/png' })
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** @throws if the browser cannot show it. */
export const pictureOf = async (file: File): Promise<Blob> =>
  file.type === 'image/svg+xml' || file.name.toLowerCase().endsWith('.svg') ? drawn(file) : file
