// The link to the page for device codes, which the server renders.
import { Button, List, Text } from '@mantine/core'
import '@mantine/core/styles/List.css'
import { Link } from '@tanstack/react-router'
import { href } from '../../../data/base.ts'
import { useSite } from '../../../data/site.ts'
import { account } from '../../../strings/account.ts'
import { Card, Section } from '../parts.tsx'
import { Sample } from '../shown-once.tsx'

const strings = account.devices

export function DevicesSection() {
  const { publicUrl } = useSite()
  return (
    <Section title={account.sections.devices} lead={strings.lead}>
      <Card title={strings.open}>
        <List type="ordered" spacing="xs">
          {strings.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        <div>
          <Button component="a" href={href('/device')}>
            {strings.open}
          </Button>
        </div>
        <Text c="dimmed">
          {strings.later}{' '}
          <Link to="/account/$section" params={{ section: 'applications' }}>
            {account.sections.applications}
          </Link>
        </Text>
      </Card>
      <Sample
        title={strings.command}
        code={`waymark login --url ${publicUrl}`}
        copyLabel={account.once.copySample}
      />
    </Section>
  )
}
