// One operation: access, parameters, responses, samples, and a form to try it.
import { useState } from 'react'
import { apiStrings as strings } from '../../../strings/docs.ts'
import { CodeTabs } from '../code-tabs.tsx'
import { refusalsIn, type NamedOperation } from './api-document.ts'
import styles from './api.module.css'
import { ContentView } from './content-view.tsx'
import { firstBody, samplesFor, type Filled } from './samples.ts'
import { formOf } from './schema-view.tsx'
import { TryIt } from './try-it.tsx'

interface OperationViewProps {
  readonly operation: NamedOperation
  readonly serverUrl: string
}

function wayOf(way: Readonly<Record<string, readonly string[]>>): string {
  const { security } = strings
  const [[name, scopes] = ['', []]] = Object.entries(way)
  if (name === '') return security.none
  if (name === 'oauth') return security.oauth(scopes.join(', '))
  if (name === 'session') return security.session
  return name === 'pageOfThisSite' ? security.page : security.apiKey
}

function Security({ operation }: Pick<OperationViewProps, 'operation'>) {
  const { security = [] } = operation
  const ways = security.length === 0 ? [strings.security.none] : [...new Set(security.map(wayOf))]
  return (
    <section>
      <h4>{strings.open}</h4>
      <ul>
        {ways.map((way) => (
          <li key={way}>{way}</li>
        ))}
      </ul>
    </section>
  )
}

function Parameters({ operation }: Omit<OperationViewProps, 'serverUrl'>) {
  const { parameters = [] } = operation
  if (parameters.length === 0) return null
  return (
    <section>
      <h4>{strings.parameters}</h4>
      <ul className={styles.properties}>
        {parameters.map(({ name, in: place, required, description, schema = {} }) => (
          <li key={`${place} ${name}`}>
            <div className={styles.property}>
              <code>{name}</code>
              <span className={styles.form}>
                {strings.places[place] ?? place}, {formOf(schema)}
              </span>
              {required === true && <span className={styles.required}>{strings.required}</span>}
            </div>
            {description !== undefined && <p className={styles.about}>{description}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** All problems have the same format, so their names are enough. */
function Answers({ operation }: Omit<OperationViewProps, 'serverUrl'>) {
  const replies = Object.entries(operation.responses)
  const isProblem = ([, { content = {} }]: (typeof replies)[number]): boolean =>
    'application/problem+json' in content
  const named = replies
    .filter(isProblem)
    .flatMap(([status, { description }]) => refusalsIn(description, status))
  // Refusals that every operation may return are also listed under their own status, if it has an entry.
  const refusals = [...new Map(named.map((refusal) => [refusal.code, refusal])).values()].toSorted(
    (one, other) => Number(one.status) - Number(other.status),
  )
  return (
    <>
      <section>
        <h4>{strings.answers}</h4>
        {replies
          .filter((reply) => !isProblem(reply))
          .map(([status, { description, content = {} }]) => (
            <div key={status} className={styles.reply}>
              <p>
                <strong>{status}</strong> {description}
              </p>
              {status !== '304' && (
                <ContentView
                  content={status === '204' ? {} : content}
                  label={`${strings.answers} ${status}`}
                />
              )}
            </div>
          ))}
      </section>
      <section>
        <details>
          <summary>{strings.refusals}</summary>
          <p className={styles.about}>{strings.refusalsHint}</p>
          <ul className={styles.properties}>
            {refusals.map(({ status, title, code }) => (
              <li key={code}>
                <div className={styles.property}>
                  <strong>{status}</strong> <code>{code}</code> <span className={styles.form}>{title}</span>
                </div>
              </li>
            ))}
          </ul>
        </details>
      </section>
    </>
  )
}

export function OperationView({ operation, serverUrl }: OperationViewProps) {
  const [filled, setFilled] = useState<Filled>(() => ({ values: {}, body: firstBody(operation) }))
  const { description, requestBody } = operation
  return (
    <div className={styles.body}>
      {description !== undefined && <p>{description}</p>}
      <div className={styles.columns}>
        <div>
          <Security operation={operation} />
          <Parameters operation={operation} />
          {requestBody && (
            <section>
              <h4>{strings.body}</h4>
              <ContentView content={requestBody.content} label={strings.body} />
            </section>
          )}
          <Answers operation={operation} />
        </div>
        <div>
          <section>
            <h4>{strings.samples}</h4>
            <CodeTabs samples={samplesFor(operation, filled, serverUrl)} />
          </section>
          <TryIt operation={operation} filled={filled} onFill={setFilled} />
        </div>
      </div>
    </div>
  )
}
