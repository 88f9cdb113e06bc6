// The download of all data of the account.
import { Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { href } from '../../../data/base.ts'
import { account } from '../../../strings/account.ts'
import { Card, Facts, Section } from '../parts.tsx'

const strings = account.data

export function DataSection() {
  return (
    <Section title={account.sections.data} lead={strings.lead}>
      <div>
        {/* The browser streams it to disk: it may be larger than memory. */}
        <Button
          component="a"
          href={href('/v2/me/takeout')}
          download
          leftSection={<Download size={18} aria-hidden />}
        >
          {strings.download}
        </Button>
      </div>
      <Text c="dimmed">{strings.note}</Text>
      <Card title={strings.whatIsIn}>
        <Facts facts={strings.contents.map(({ file, what }) => [file, what])} />
      </Card>
      <Link to="/docs/$guide" params={{ guide: 'leaving' }}>
        {strings.guide}
      </Link>
    </Section>
  )
}
