// The logo and the name of the site, at the start of the bar; a wide logo stands for both.
import { isWideLogo } from '../../../src/shared/wide-logo.ts'
import { useSite } from '../../data/site.ts'
import { Logo } from './logo.tsx'

export function Brand() {
  const { name, branding } = useSite()
  const { logo, logoRatio } = branding
  if (logo === null || logoRatio === null) {
    return (
      <>
        <Logo />
        <span>{name}</span>
      </>
    )
  }
  const isWide = isWideLogo(logoRatio)
  return (
    <>
      <img src={logo} alt={isWide ? name : ''} style={{ aspectRatio: logoRatio }} />
      {!isWide && <span>{name}</span>}
    </>
  )
}
