import type { ApiTag } from '#server/rest/route.ts';

/** The tags of the service's REST operations, which group them in the API reference. */
export const TAGS = {
  gyms: { name: 'Gyms', description: 'Gyms, and the branding and feature switches of each.' },
  locations: { name: 'Locations', description: 'The sites of a gym, and how many members are inside.' },
  checkIns: {
    name: 'Check-ins',
    description: 'Visits of members: check-in by QR code, check-out, refused check-ins.',
  },
  audit: {
    name: 'Audit of a gym',
    description: 'The append-only record of what staff and services did in a gym.',
  },
  classes: {
    name: 'Classes',
    description: 'Classes with their sessions, bookings, waiting lists and calendar feeds.',
  },
  challenges: { name: 'Challenges', description: 'Competitions of members, with a leaderboard.' },
  announcements: { name: 'Announcements', description: 'News by the staff of a gym.' },
  posts: { name: 'Posts', description: 'Texts and pictures of members, with likes, comments and reports.' },
  shop: { name: 'Shop', description: 'The products and routines of the content service that a gym offers.' },
  orders: {
    name: 'Orders',
    description: 'What members order from the shop of their gym, to collect it at the desk.',
  },
  webhooks: { name: 'Webhooks', description: 'Events of a gym, sent to a URL.' },
} as const satisfies Readonly<Record<string, ApiTag>>;
