export { catalogue } from '../en/review.ts'
