// Makes of a chosen file what the server takes: it takes no drawings (SVG), which can hold scripts, so one is made a picture here.

const maxSide = 1024

async function loadImage(address: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.src = address
  await image.decode()
  return image
}

/** A browser that shows a drawing as a picture runs nothing in it, and loads nothing that it names. */
async function drawn(file: File): Promise<Blob> {
  const address = URL.createObjectURL(file)
  try {
    const image = await loadImage(address)
    // A drawing may have no size of its own.
    const [width, height] = [image.naturalWidth || maxSide, image.naturalHeight || maxSide]
    const scale = maxSide / Math.max(width, height)
    const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale))
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await canvas.convertToBlob({ type: 'image/png' })
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** @throws where the browser cannot show it. */
export const pictureOf = async (file: File): Promise<Blob> =>
  file.type === 'image/svg+xml' || file.name.toLowerCase().endsWith('.svg') ? drawn(file) : file
