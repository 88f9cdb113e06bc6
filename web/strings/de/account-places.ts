export { catalogue } from '../en/account-places.ts'
