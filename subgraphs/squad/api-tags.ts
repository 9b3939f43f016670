import type { ApiTag } from '#server/rest/route.ts';

/** The tags of the service's REST operations, which group them in the API reference. */
export const TAGS = {
  presence: { name: 'Presence', description: 'The users of a gym who are online.' },
  clubs: { name: 'Clubs', description: 'Groups of members that last.' },
  invites: { name: 'Invites', description: '"Train with me", from one member to another.' },
  squads: { name: 'Squads', description: 'Members who train together now.' },
  chat: { name: 'Chat', description: 'The messages of a squad, and reports about them.' },
  blocks: { name: 'Blocks', description: 'The users whom a user has blocked.' },
  squadHistory: { name: 'Squad history', description: 'The squads in which a user trained.' },
  feed: {
    name: 'Feed',
    description: 'What happens at a gym: posts, announcements and activities of squads.',
  },
} as const satisfies Readonly<Record<string, ApiTag>>;
