export { catalogue } from '../en/admin.ts'
