// What came back: status, how long it took, headers, and the body as far as it can be read.
import { apiWords } from '../../../strings/docs.ts'
import { formatBytes } from '../../../ui/format.ts'
import { CodeBlock } from '../code-block.tsx'
import styles from './api.module.css'
import { maxShownBytes, type SentAnswer } from './send-request.ts'
import { locale } from '../../../strings/language.ts'

const words = apiWords.try

const milliseconds = new Intl.NumberFormat(locale, {
  style: 'unit',
  unit: 'millisecond',
  maximumFractionDigits: 0,
})

export function AnswerView({ answer }: { readonly answer: SentAnswer }) {
  const { status, statusText, headers, type, bytes, text, picture } = answer
  const size = formatBytes(bytes)
  return (
    <div className={styles.answer} role="status" data-status={status}>
      <p>
        <strong className={styles.status} data-tone={status < 400 ? 'good' : 'bad'}>
          {status} {statusText}
        </strong>{' '}
        {words.took(milliseconds.format(answer.milliseconds))}, {size}
      </p>
      <details>
        <summary>{words.headers}</summary>
        <CodeBlock
          label={words.headers}
          text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        />
      </details>
      {bytes === 0 && <p>{words.noBody}</p>}
      {text !== undefined && bytes > 0 && <CodeBlock label={words.answer} text={text} />}
      {text !== undefined && bytes > maxShownBytes && <p>{words.cut(size)}</p>}
      {picture !== undefined && (
        <img src={picture} alt={words.image} onLoad={() => URL.revokeObjectURL(picture)} />
      )}
      {text === undefined && picture === undefined && bytes > 0 && <p>{words.binary(type, size)}</p>}
    </div>
  )
}
