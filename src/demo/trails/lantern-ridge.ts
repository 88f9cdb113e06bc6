// Lantern Ridge Trail, invented: a day among alpine lakes and meadows.
import { approved, pending, type DemoTrail } from '../demo-trail.ts'

export const lanternRidge: DemoTrail = {
  id: 4711,
  name: 'Lantern Ridge Trail',
  description:
    'From the car park past two lakes to the ridge, and back by the afternoon bus.\n\n' +
    '* **Water** at the hut, not above it.\n' +
    '* The meadows stay wet until *July*.\n' +
    '* Snow may lie on the last kilometre in any month.',
  line: [
    [46.6021, 8.0214],
    [46.6078, 8.0302],
    [46.6102, 8.0431],
    [46.6167, 8.0498],
    [46.6201, 8.0627],
    [46.6263, 8.0701],
    [46.6318, 8.0843],
    [46.6355, 8.0962],
  ],
  heights: [1188, 1264, 1352, 1431, 1420, 1605, 1760, 1832],
  photos: [
    {
      file: 'lantern-ridge-1.jpg',
      hour: 'noon',
      by: 'ida',
      title: 'First look at the lower lake',
      caption: 'Twenty minutes from the car park and already worth the early bus.',
      hoursAgo: 803.4,
      along: 0.12,
      fate: approved,
    },
    {
      file: 'lantern-ridge-2.jpg',
      hour: 'dawn',
      by: 'tomas',
      title: 'Before the first bus',
      caption: '5:48. Nobody but me and a very loud cuckoo.',
      hoursAgo: 790.1,
      along: 0.18,
      fate: approved,
    },
    {
      file: 'lantern-ridge-3.jpg',
      hour: 'golden',
      by: 'reviewer',
      title: 'Evening on the long wall',
      caption: 'The wall glows for about ten minutes. Wait for it at the bench, not at the lake.',
      hoursAgo: 611.7,
      along: 0.43,
      fate: approved,
    },
    {
      file: 'lantern-ridge-4.jpg',
      hour: 'noon',
      by: 'boots',
      title: 'The Needle',
      caption: '',
      hoursAgo: 466.2,
      along: 0.55,
      fate: approved,
    },
    {
      file: 'lantern-ridge-5.jpg',
      hour: 'morning',
      by: 'ida',
      title: 'Nebel über dem See',
      caption: 'Der Nebel lag bis neun Uhr, danach den ganzen Tag Sonne ☀',
      hoursAgo: 241.9,
      along: 0.61,
      fate: {
        is: 'edited',
        caption: 'Der Nebel lag bis neun Uhr, danach den ganzen Tag Sonne ☀ Brücke am Auslauf ist repariert!',
      },
    },
    {
      file: 'lantern-ridge-6.jpg',
      hour: 'noon',
      by: 'tomas',
      title: 'Panorama from the saddle',
      caption:
        'Seven shots stitched on my phone. From left to right: the Lantern, the two Sisters, the Needle with its lake, and on the far right the hut, if you zoom in and believe me.',
      hoursAgo: 190.5,
      along: 0.82,
      fate: approved,
    },
    {
      file: 'lantern-ridge-7.jpg',
      hour: 'night',
      by: 'ida',
      title: 'Milky Way from the hut',
      caption: '20 s, f/2.8. Cold hands, no regrets.',
      hoursAgo: 52.3,
      along: 0.87,
      fate: pending,
    },
    {
      file: 'lantern-ridge-8.jpg',
      hour: 'overcast',
      by: 'boots',
      title: 'oops',
      caption: 'think this was my pocket',
      hoursAgo: 188.8,
      along: 0.8,
      fate: { is: 'rejected', reason: 'blurred', note: 'Nothing to be seen, sorry. Do send another!' },
    },
  ],
}
