export { catalogue } from '../en/route-editor.ts'
