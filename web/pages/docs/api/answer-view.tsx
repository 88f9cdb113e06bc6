// The response: status, duration, headers, and the body if it can be displayed.
import { apiStrings } from '../../../strings/docs.ts'
import { formatBytes } from '../../../ui/format.ts'
import { CodeBlock } from '../code-block.tsx'
import styles from './api.module.css'
import { maxPublicViewBytes, type SentAnswer } from './send-request.ts'
import { locale } from '../../../strings/language.ts'

const strings = apiStrings.try

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
        {strings.took(milliseconds.format(answer.milliseconds))}, {size}
      </p>
      <details>
        <summary>{strings.headers}</summary>
        <CodeBlock
          label={strings.headers}
          text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        />
      </details>
      {bytes === 0 && <p>{strings.noBody}</p>}
      {text !== undefined && bytes > 0 && <CodeBlock label={strings.answer} text={text} />}
      {text !== undefined && bytes > maxPublicViewBytes && <p>{strings.cut(size)}</p>}
      {picture !== undefined && (
        <img src={picture} alt={strings.image} onLoad={() => URL.revokeObjectURL(picture)} />
      )}
      {text === undefined && picture === undefined && bytes > 0 && <p>{strings.binary(type, size)}</p>}
    </div>
  )
}
