export { catalogue } from '../en/trails.ts'
