export { catalogue } from '../en/account.ts'
