// The current settings, with those that differ from the default highlighted.
import { Badge, Button, Checkbox, TextInput } from '@mantine/core'
import { keys } from '../../../data/keys.ts'
import { admin } from '../../../strings/admin.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { useFilters, useTypedFilter } from '../../../ui/filters.ts'
import { Loaded } from '../loaded.tsx'
import { useAsked } from '../queries.ts'

const strings = admin.settings

export function SettingsSection() {
  const query = useAsked([...keys.admin, 'settings'], ({ admin: calls }) => calls.settings())
  const { filter, set } = useFilters()
  const typed = useTypedFilter('q')
  const onlyChanged = filter('only') === 'changed'
  const sought = filter('q').toLowerCase()
  return (
    <AdminFrame section="settings">
      <div className={styles.bar}>
        <TextInput
          type="search"
          className={styles.grow ?? ''}
          label={strings.search}
          value={typed.value}
          onChange={(event) => typed.onChange(event.currentTarget.value)}
        />
        <Checkbox
          label={strings.onlyChanged}
          checked={onlyChanged}
          onChange={(event) => set({ only: event.currentTarget.checked ? 'changed' : '' })}
        />
      </div>
      <Loaded query={query} bars={8}>
        {(settings) => {
          const shown = settings.filter(
            ({ variable, help, isDefault }) =>
              `${variable} ${help}`.toLowerCase().includes(sought) && !(onlyChanged && isDefault),
          )
          if (settings.length === 0) return <Empty title={strings.none} detail="" />
          if (shown.length === 0)
            return (
              <Empty title={strings.nothing} detail={strings.nothingDetail}>
                <Button variant="default" onClick={() => set({ q: '', only: '' })}>
                  {strings.all}
                </Button>
              </Empty>
            )
          return (
            <ul className={styles.list}>
              {shown.map(({ variable, value, isDefault, help }) => (
                <li key={variable} className={styles.card} data-setting={variable}>
                  <div className={styles.bar}>
                    <strong>
                      <code>{variable}</code>
                    </strong>
                    {!isDefault && (
                      <Badge variant="light" color="blue">
                        {strings.changed}
                      </Badge>
                    )}
                  </div>
                  <code>{value === '' ? <em className={styles.hint}>{strings.empty}</em> : value}</code>
                  <p className={styles.hint}>{help}</p>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </AdminFrame>
  )
}
