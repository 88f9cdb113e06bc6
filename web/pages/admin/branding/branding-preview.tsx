// A preview of the site in light and dark, with the contrast of the colours derived from the accent.
import type { CSSProperties } from 'react'
import {
  backs,
  inks,
  measureAccent,
  ownAccent,
  shadesOf,
  type AccentShades,
  type Scheme,
} from '../../../../src/shared/colours/accent.ts'
import { isWideLogo } from '../../../../src/shared/wide-logo.ts'
import { branding as strings } from '../../../strings/branding.ts'
import { locale } from '../../../strings/language.ts'
import { Logo } from '../../../ui/frame/logo.tsx'
import admin from '../admin.module.css'
import styles from './branding.module.css'

interface PreviewProps {
  readonly name: string
  /** Null for the default palette. */
  readonly accent: string | null
  readonly logo: string | null
  readonly logoRatio: number | null
}

const ratios = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
/** Rounded down: 4.49 is not enough. */
const ratioText = (ratio: number): string => ratios.format(Math.floor(ratio * 10) / 10)

type PairName = keyof typeof strings.pairs
const pairNames: readonly PairName[] = ['on-accent', 'link', 'accent', 'tint-text']

const variablesOf = (colours: object): CSSProperties =>
  Object.fromEntries(Object.entries(colours).map(([name, hex]) => [`--${name}`, String(hex)]))

/** The lowest contrast of each kind, over all its backgrounds. */
function Contrast({ scheme, shades }: { readonly scheme: Scheme; readonly shades: AccentShades }) {
  const measured = measureAccent(scheme, shades)
  return (
    <dl className={admin.facts} aria-label={strings.contrast}>
      {pairNames.map((pair) => {
        const alike = measured.filter(({ front }) => front === pair)
        const lowest = Math.min(...alike.map(({ ratio }) => ratio))
        return (
          <div key={pair} className={styles.pair}>
            <dt>{strings.pairs[pair]}</dt>
            <dd>{strings.ratio(ratioText(lowest), ratioText(alike[0]?.needed ?? 0))}</dd>
          </div>
        )
      })}
    </dl>
  )
}

function SchemePreview({
  scheme,
  name,
  accent,
  logo,
  logoRatio,
}: PreviewProps & { readonly scheme: Scheme }) {
  const shades = shadesOf(accent ?? ownAccent[scheme])[scheme]
  const isWide = logoRatio !== null && isWideLogo(logoRatio)
  return (
    <section aria-label={strings.schemes[scheme]} className={styles.scheme}>
      <h3>{strings.schemes[scheme]}</h3>
      <div
        className={styles.sample}
        data-scheme={scheme}
        style={variablesOf({ ...backs[scheme], ...inks[scheme], ...shades })}
      >
        <div className={styles.sampleBar}>
          {logo === null ? <Logo /> : <img src={logo} alt="" />}
          {!isWide && <span>{name}</span>}
        </div>
        <div className={styles.sampleBody}>
          <span className={styles.sampleChosen}>{strings.sampleChosen}</span>
          <span>{strings.sampleText}</span>
          <span className={styles.sampleLink}>{strings.sampleLink}</span>
          <span className={styles.sampleButton}>{strings.sampleButton}</span>
        </div>
      </div>
      {accent !== null && (
        <p className={admin.hint}>
          {shades.accent === accent.toLowerCase() ? strings.kept : strings.adapted(shades.accent)}
        </p>
      )}
      <Contrast scheme={scheme} shades={shades} />
    </section>
  )
}

export function BrandingPreview(props: PreviewProps) {
  return (
    <section className={admin.preview} aria-label={strings.preview}>
      <h2>{strings.preview}</h2>
      <SchemePreview scheme="light" {...props} />
      <SchemePreview scheme="dark" {...props} />
    </section>
  )
}
