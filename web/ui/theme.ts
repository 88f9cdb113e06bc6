// The look of Mantine's parts: the palette and measures of docs/identity.md, which the server's own pages have too.
import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core'
import { common } from '../strings/common.ts'

const forest: MantineColorsTuple = [
  '#eef7f1',
  '#d9ecdf',
  '#b4e4c9',
  '#7fcca3',
  '#55b184',
  '#3a976b',
  '#2f805a',
  '#26724f',
  '#1d6546',
  '#134b33',
]

/** Their header is no second banner of the page. */
const dialog = { header: { role: 'none' } } as const

/** Mantine chooses the words' colour once, for light; ours change with the scheme as what is below them does. */
const onFilled: Readonly<Record<string, string>> = { forest: 'var(--on-accent)', red: 'var(--on-danger)' }

const variantColorResolver: VariantColorsResolver = (input) => {
  const usual = defaultVariantColorsResolver(input)
  const color = onFilled[input.color ?? input.theme.primaryColor]
  return input.variant === 'filled' && color !== undefined ? { ...usual, color } : usual
}

export const theme = createTheme({
  variantColorResolver,
  primaryColor: 'forest',
  primaryShade: { light: 8, dark: 3 },
  autoContrast: true,
  colors: { forest },
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  headings: { fontFamily: 'var(--sans)', fontWeight: '700' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.5 }, attributes: dialog } },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.5 }, attributes: dialog } },
    Checkbox: { defaultProps: { iconColor: 'var(--on-accent)' } },
    Radio: { defaultProps: { iconColor: 'var(--on-accent)' } },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': common.showPassword } } },
    Tooltip: {
      defaultProps: { openDelay: 400, withArrow: true, events: { hover: true, focus: true, touch: false } },
    },
  },
})

/** Mantine's variables, told in our colours, so that both kinds of pages stay one site. */
export const cssVariables: CSSVariablesResolver = () => {
  const variables = {
    '--mantine-color-body': 'var(--page)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-bright': 'var(--text)',
    '--mantine-color-dimmed': 'var(--muted)',
    '--mantine-color-placeholder': 'var(--muted)',
    '--mantine-color-anchor': 'var(--link)',
    '--mantine-color-error': 'var(--danger)',
    '--mantine-color-default': 'var(--surface)',
    '--mantine-color-default-hover': 'var(--sunken)',
    '--mantine-color-default-color': 'var(--text)',
    '--mantine-color-default-border': 'var(--border)',
    // Edges and backs of fields, which Mantine takes from its greys.
    '--mantine-color-gray-4': 'var(--border)',
    '--mantine-color-dark-4': 'var(--border)',
    '--mantine-color-dark-6': 'var(--sunken)',
    '--mantine-primary-color-filled': 'var(--accent)',
    '--mantine-primary-color-filled-hover': 'var(--accent-strong)',
    '--mantine-primary-color-contrast': 'var(--on-accent)',
    '--mantine-primary-color-light': 'var(--tint-back, var(--good-back))',
    '--mantine-primary-color-light-hover': 'var(--tint-back, var(--good-back))',
    '--mantine-primary-color-light-color': 'var(--tint-text, var(--good-text))',
    '--mantine-color-forest-filled': 'var(--accent)',
    '--mantine-color-forest-filled-hover': 'var(--accent-strong)',
    '--mantine-color-forest-light': 'var(--good-back)',
    '--mantine-color-forest-light-hover': 'var(--good-back)',
    '--mantine-color-forest-light-color': 'var(--good-text)',
    '--mantine-color-red-filled': 'var(--danger)',
    '--mantine-color-red-filled-hover': 'var(--danger-strong)',
    '--mantine-color-red-light': 'var(--bad-back)',
    '--mantine-color-red-light-hover': 'var(--bad-back)',
    '--mantine-color-red-light-color': 'var(--bad-text)',
    '--mantine-color-blue-light': 'var(--info-back)',
    '--mantine-color-blue-light-color': 'var(--info-text)',
  }
  return { variables: {}, light: variables, dark: variables }
}
