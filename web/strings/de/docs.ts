export { catalogue } from '../en/docs.ts'
