// How the app is built: into dist/web, with a manifest from which the server writes the page around it.
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from './build/compressed.ts'
import { darkWithoutScripts } from './build/dark-without-scripts.ts'
import { guides } from './build/guides.ts'
import { palette } from './build/palette.ts'

export default defineConfig({
  root: import.meta.dirname,
  // Addresses relative to the chunk that names them: the server may be mounted at a path that nobody knows at build time.
  base: './',
  plugins: [react(), palette(), guides(), darkWithoutScripts(), compressed()],
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
    rolldownOptions: {
      input: 'main.tsx',
      // What every page waits for comes in two files, not in forty small ones that cannot be compressed together. The
      // libraries are one of them, since they stay the same from one build to the next more often than the app.
      output: {
        codeSplitting: {
          groups: [
            { name: 'libraries', tags: ['$initial'], test: /[\\/]node_modules[\\/]/ },
            { name: 'frame', tags: ['$initial'] },
            { name: 'maplibre', test: /[\\/]node_modules[\\/]maplibre-gl[\\/]/ },
            // Styles hold up the first paint: those of public pages are one small file, not one for each component.
            {
              name: 'looks',
              test: /[\\/]web[\\/](?:pages[\\/](?:gallery|trails)|map|ui[\\/](?:markdown|list-beside-map)|pages[\\/]routes[\\/]public)\b.*\.module\.css$/,
            },
            // What several pages share, by what it is for: a slow line takes longer to ask for forty files than to fetch them.
            {
              name: 'fields',
              test: /@mantine[\\/](?:hooks|core[\\/]esm[\\/](?:core[\\/]|utils[\\/](?!Floating)|components[\\/](?:Input|InputBase|TextInput|NativeSelect|SegmentedControl|InlineInput)[\\/]|.*(?:CheckIcon|RadioIcon)))/,
              minShareCount: 2,
            },
            { name: 'modal', test: /[\\/]ModalBase[\\/]/, minShareCount: 2 },
            {
              name: 'dialogs',
              test: /@mantine[\\/]core[\\/]esm[\\/]components[\\/](?:Modal|Menu)[\\/]|web[\\/]ui[\\/]dialog\./,
              minShareCount: 3,
            },
            { name: 'icons', test: /lucide-react/, minShareCount: 2 },
            {
              name: 'parts',
              test: /[\\/]web[\\/](?:ui|data|rendering)[\\/](?!dialog\.|fields[\\/]trail-)/,
              minShareCount: 3,
            },
            {
              name: 'map-parts',
              test: /[\\/]web[\\/]map[\\/](?:map-view|map-pending|search-map|geometry|trail-lines|box-text|colours)/,
              minShareCount: 2,
            },
            {
              name: 'tracks',
              // Only the pages of routes write files.
              test: /[\\/]src[\\/]shared[\\/](?:gpx[\\/](?!rewrite)|xml[\\/])|geographiclib|[\\/]web[\\/]route-editor[\\/](?!route-file)/,
              minShareCount: 3,
            },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
})
