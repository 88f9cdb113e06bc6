// What each OAuth scope lets an application do, in a sentence: where people are asked, and where they look it up later.

export const scopeSentences = {
  'images:read': 'See your photos, also those that are not listed yet.',
  'images:write': 'Send photos in your name, and change or delete yours.',
  'images:review': 'Approve, reject and edit the photos of others, as you may as a reviewer.',
  'routes:read': 'See your routes, which are private.',
  'routes:write': 'Make, change and delete your routes.',
  'trails:write': 'Add, change, import and delete the trails of this site, as you may as an admin.',
} as const
