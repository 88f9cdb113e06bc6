// Keeps photos going while other pages are looked at: a small note of how far they are, and a warning before the tab closes.
import { Link, useRouterState } from '@tanstack/react-router'
import { Camera } from 'lucide-react'
import { Suspense, useEffect } from 'react'
import { uploadStrings } from '../strings/upload.ts'
import { countQueue } from './queue-view.ts'
import styles from './uploads-tray.module.css'
import { useUploads, useUploadsState } from './use-uploads.ts'

/** Browsers show words of their own here; ours stand on the page: what is not sent yet goes on later. */
function useWarning(): void {
  const uploads = useUploads()
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (uploads.wouldLose()) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [uploads])
}

function Tray() {
  useWarning()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { queue, hold } = useUploadsState()
  const { underWay, done, paused } = countQueue(queue)
  if (path.endsWith('/upload') || underWay + paused === 0) return null
  const isStopped = hold !== undefined || underWay === 0
  return (
    <Link to="/upload" className={styles.tray ?? ''} aria-label={uploadStrings.tray.label}>
      <Camera size={16} aria-hidden />
      {isStopped ? uploadStrings.tray.stopped : uploadStrings.tray.sending(done, done + underWay)}
    </Link>
  )
}

export function UploadsTray() {
  return (
    <Suspense>
      <Tray />
    </Suspense>
  )
}
