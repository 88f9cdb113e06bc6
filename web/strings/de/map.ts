export { catalogue } from '../en/map.ts'
