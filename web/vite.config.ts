// How the app is built: into dist/web, with a manifest from which the server writes the page around it.
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { guides } from './build/guides.ts'
import { palette } from './build/palette.ts'

export default defineConfig({
  root: import.meta.dirname,
  // Addresses relative to the chunk that names them: the server may be mounted at a path that nobody knows at build time.
  base: './',
  plugins: [react(), palette(), guides()],
  publicDir: false,
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    assetsDir: 'app',
    manifest: true,
    target: 'es2024',
    // A worker or an image inlined as a data: address would be refused by the Content-Security-Policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_500,
    rolldownOptions: { input: 'main.tsx' },
  },
  worker: { format: 'es' },
})
