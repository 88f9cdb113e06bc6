// The map files on the server: which exist, and the command that creates the missing ones.
import { Text } from '@mantine/core'
import type { SiteMap, SiteMapFile } from '../../../client/client.ts'
import { adminMap as strings } from '../../strings/admin-map.ts'
import { CopyButton } from '../../ui/fields/copy-button.tsx'
import { formatBytes } from '../../ui/format.ts'
import styles from './admin.module.css'

/** Attributions usually contain links; here only their text is needed. */
function wordsOf(markup: string): string {
  return new DOMParser().parseFromString(markup, 'text/html').body.textContent.trim()
}

function FileFacts({ title, file }: { readonly title: string; readonly file: SiteMapFile | null }) {
  return (
    <section className={styles.card} data-tone={file?.trouble ? 'bad' : undefined}>
      <h3>{title}</h3>
      {file === null ? (
        <p className={styles.hint}>{strings.noFile}</p>
      ) : (
        <>
          <code>{file.path}</code>
          {file.trouble !== null && <Text>{file.trouble}</Text>}
          {file.content && (
            <>
              <Text>
                {strings.fileOf(
                  strings.tiles[file.content.tiles] ?? file.content.tiles,
                  `${file.content.minZoom}–${file.content.maxZoom}`,
                  formatBytes(file.bytes),
                )}
              </Text>
              <p className={styles.hint}>
                {strings.bounds(file.content.bounds.map((degrees) => degrees.toFixed(2)).join(', '))}
              </p>
              {file.content.attribution !== null && (
                <p className={styles.hint}>{strings.attribution(wordsOf(file.content.attribution))}</p>
              )}
            </>
          )}
        </>
      )}
    </section>
  )
}

function Command({ about, text }: { readonly about: string; readonly text: string }) {
  return (
    <div className={styles.secret}>
      <Text size="sm">{about}</Text>
      <code>{text}</code>
      <div>
        <CopyButton text={text} label={strings.copy} hasWords />
      </div>
    </div>
  )
}

export function MapFiles({ map }: { readonly map: SiteMap }) {
  const box = map.trailsBox?.join(',') ?? '<west,south,east,north>'
  const command = (more: string) => `waymark map extract --from <archive> --bbox ${box}${more}`
  return (
    <>
      <h2>{strings.files}</h2>
      <div className={styles.cards}>
        <FileFacts title={strings.base} file={map.files.base} />
        <FileFacts title={strings.terrain} file={map.files.terrain} />
      </div>
      {map.trailsBox === null && <p className={styles.hint}>{strings.makeAnywhere}</p>}
      <Command about={strings.make} text={command('')} />
      <Command about={strings.makeTerrain} text={command(' --terrain --max-zoom 12')} />
    </>
  )
}
