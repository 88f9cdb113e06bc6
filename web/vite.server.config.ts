// How the app is built for the server: into one file that needs nothing beside it, since an installation for production has
// no React. One file, because an instance for each language is made by another query of its address (web/server.tsx).
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { guides } from './build/guides.ts'
import { palette } from './build/palette.ts'

/**
 * Libraries that only browsers load. If they were external, the single output file would import them when it is loaded, and
 * production installations do not have them. The replacement is CommonJS, so that any name can be imported.
 */
const ofBrowsers = (): Plugin => {
  const names = new Set(['maplibre-gl', 'pmtiles', 'photoswipe', 'uplot'])
  const nothing = '\0nothing:'
  return {
    name: 'leave-out-what-only-browsers-load',
    enforce: 'pre',
    resolveId: (id) => (names.has(id) ? nothing + id : undefined),
    load: (id) => (id.startsWith(nothing) ? 'module.exports = {}' : undefined),
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [ofBrowsers(), react(), palette(), guides()],
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
      output: { entryFileNames: 'server.js', codeSplitting: false },
    },
  },
})
