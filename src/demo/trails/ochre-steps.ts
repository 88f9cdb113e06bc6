// Ochre Steps Trail, invented: red rock, ledges and early starts.
import { approved, pending, type DemoTrail } from '../demo-trail.ts'

export const ochreSteps: DemoTrail = {
  id: 4713,
  name: 'Ochre Steps Trail',
  description:
    'Up through sandstone on steps that are older than the map.\n\n' +
    '1. Start *before eight* in summer.\n' +
    '2. Carry all the water that you need.\n' +
    '3. Turn back if it thunders.',
  line: [
    [37.2716, -112.9418],
    [37.2751, -112.9373],
    [37.2768, -112.9301],
    [37.2822, -112.9264],
    [37.2841, -112.9187],
    [37.2897, -112.9152],
    [37.2933, -112.9088],
  ],
  heights: [1420, 1466, 1538, 1522, 1640, 1702, 1790],
  photos: [
    {
      file: 'ochre-steps-1.jpg',
      hour: 'golden',
      by: 'ida',
      title: 'The second step',
      caption: 'Exposed on the outside, but the ledge is wider than it looks.',
      hoursAgo: 588.9,
      along: 0.34,
      fate: approved,
    },
    {
      file: 'ochre-steps-2.jpg',
      hour: 'morning',
      by: 'tomas',
      title: 'Juniper flat',
      caption: 'Last shade for 6 km. Fill up here, the spring behind the big boulder runs all year.',
      hoursAgo: 540.2,
      along: 0.1,
      fate: approved,
    },
    {
      file: 'ochre-steps-3.jpg',
      hour: 'golden',
      by: 'reviewer',
      title: 'Layer cake',
      caption: 'Count them: I got 23.',
      hoursAgo: 337.6,
      along: 0.49,
      fate: approved,
    },
    {
      file: 'ochre-steps-4.jpg',
      hour: 'golden',
      by: 'boots',
      title: 'narrow bit',
      caption: '',
      hoursAgo: 160.3,
      along: 0.63,
      fate: {
        is: 'removed',
        reason: 'not-the-trail',
        note: 'This is the closed shortcut; people followed the photo. Restore when it opens again.',
      },
    },
    {
      file: 'ochre-steps-5.jpg',
      hour: 'dusk',
      by: 'tomas',
      title: '',
      caption: '',
      hoursAgo: 33.1,
      along: 0.95,
      fate: pending,
    },
    {
      file: 'ochre-steps-6.png',
      hour: 'golden',
      by: 'reviewer',
      title: 'Patch for finishers',
      caption: 'Draft of the patch for those who walk all twelve steps. Comments welcome!',
      hoursAgo: 20.6,
      along: undefined,
      fate: approved,
    },
  ],
}
