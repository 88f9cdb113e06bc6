// The app around its pages: theme, session, queries, shortcuts and messages. The same in browsers and on the server.
import { MantineProvider } from '@mantine/core'
import { RouterProvider, type AnyRouter } from '@tanstack/react-router'
import { StrictMode, Suspense } from 'react'
import { WaymarkProvider, type Data } from './data/waymark.tsx'
import { ShortcutsProvider } from './ui/keys/shortcuts.tsx'
import { PagePending } from './ui/notices/route-states.tsx'
import { ToastsProvider } from './ui/notices/toasts.tsx'
import { cssVariables, theme } from './ui/theme.ts'

export function App({ data, router }: { readonly data: Data; readonly router: AnyRouter }) {
  return (
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <WaymarkProvider data={data}>
          <ShortcutsProvider>
            <ToastsProvider>
              <Suspense fallback={<PagePending />}>
                <RouterProvider router={router} />
              </Suspense>
            </ToastsProvider>
          </ShortcutsProvider>
        </WaymarkProvider>
      </MantineProvider>
    </StrictMode>
  )
}
