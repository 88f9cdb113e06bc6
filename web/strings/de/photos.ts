export { catalogue } from '../en/photos.ts'
