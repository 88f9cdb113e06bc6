export { catalogue } from '../en/common.ts'
