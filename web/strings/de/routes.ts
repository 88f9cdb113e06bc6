export { catalogue } from '../en/routes.ts'
