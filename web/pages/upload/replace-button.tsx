// Replaces a refused file: the texts and the position in the list stay.
import { Button } from '@mantine/core'
import { useRef } from 'react'
import { uploadStrings } from '../../strings/upload.ts'
import { useUploads } from '../../upload/use-uploads.ts'

interface ReplaceButtonProps {
  readonly id: string
  readonly name: string
}

export function ReplaceButton({ id, name }: ReplaceButtonProps) {
  const uploads = useUploads()
  const input = useRef<HTMLInputElement>(null)
  const label = uploadStrings.row.replaceOf(name)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) void uploads.replace(id, file)
          currentTarget.value = ''
        }}
      />
      <Button size="compact-sm" variant="default" aria-label={label} onClick={() => input.current?.click()}>
        {uploadStrings.row.replace}
      </Button>
    </>
  )
}
