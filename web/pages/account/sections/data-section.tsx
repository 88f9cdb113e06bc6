// The download of all that is kept of the person.
import { Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { href } from '../../../data/base.ts'
import { account } from '../../../strings/account.ts'
import { Card, Facts, Section } from '../parts.tsx'

const words = account.data

export function DataSection() {
  return (
    <Section title={account.sections.data} lead={words.lead}>
      <div>
        {/* The browser saves it as it comes: it may be larger than memory. */}
        <Button
          component="a"
          href={href('/v2/me/takeout')}
          download
          leftSection={<Download size={18} aria-hidden />}
        >
          {words.download}
        </Button>
      </div>
      <Text c="dimmed">{words.note}</Text>
      <Card title={words.whatIsIn}>
        <Facts facts={words.contents.map(({ file, what }) => [file, what])} />
      </Card>
      <Link to="/docs/$guide" params={{ guide: 'leaving' }}>
        {words.guide}
      </Link>
    </Section>
  )
}
