// The logo as inline SVG, in the colour of the surrounding text; docs/identity.md describes it.
import { html } from './html.ts'

export const logo = html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <mask id="trail">
    <path fill="#fff" d="M0 0h32v32H0z" />
    <path
      fill="none"
      stroke="#000"
      stroke-width="3.3"
      stroke-linecap="round"
      stroke-linejoin="round"
      d="M6 9.5c2 7 3.5 13.5 5.5 13.5s2.5-9 4.5-9 2.5 9 4.5 9c1.3 0 2.2-2.8 3.1-6"
    />
    <circle cx="25" cy="9.7" r="3" />
  </mask>
  <rect x="1" y="1" width="30" height="30" rx="8" fill="currentColor" mask="url(#trail)" />
</svg>`
