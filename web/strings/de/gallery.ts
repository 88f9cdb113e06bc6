export { catalogue } from '../en/gallery.ts'
