export { catalogue } from '../en/admin-things.ts'
