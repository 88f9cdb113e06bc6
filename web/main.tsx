// The app's entry: its look, what it knows of the server, and the page that the address names.
import 'virtual:palette.css'
import './ui/mantine-styles.ts'
import './ui/look.css'
import { MantineProvider } from '@mantine/core'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { WaymarkProvider } from './data/waymark.tsx'
import { createAppRouter } from './router.tsx'
import { PagePending } from './ui/notices/route-states.tsx'
import { ShortcutsProvider } from './ui/keys/shortcuts.tsx'
import { cssVariables, theme } from './ui/theme.ts'
import { ToastsProvider } from './ui/notices/toasts.tsx'

const place = document.querySelector('#root')
if (!place) throw new Error('the shell has no #root')

createRoot(place).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <WaymarkProvider>
        <ShortcutsProvider>
          <ToastsProvider>
            <Suspense fallback={<PagePending />}>
              <RouterProvider router={createAppRouter()} />
            </Suspense>
          </ToastsProvider>
        </ShortcutsProvider>
      </WaymarkProvider>
    </MantineProvider>
  </StrictMode>,
)
