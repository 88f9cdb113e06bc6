export { catalogue } from '../en/upload.ts'
