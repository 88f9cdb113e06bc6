// How the app is built for the server: into one file that needs nothing beside it, since an installation for production has
// no React. One file, because an instance for each language is made by another query of its address (web/server.tsx).
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { guides } from './build/guides.ts'
import { palette } from './build/palette.ts'

/** Loaded once a browser shows something, and never here. */
const ofBrowsers = ['maplibre-gl', 'pmtiles', 'photoswipe', 'uplot']

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), palette(), guides()],
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: 'server.tsx',
    outDir: '../dist/web/server',
    emptyOutDir: true,
    target: 'node24',
    minify: true,
    rolldownOptions: {
      external: ofBrowsers,
      output: { entryFileNames: 'server.js', codeSplitting: false },
    },
  },
})
