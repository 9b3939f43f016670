/**
 * The TypeScript types of the objects that resolvers get, each under the name of its GraphQL type. For GraphQL types that are
 * not here, the resolvers get the generated type. `npm run generate` reads this file.
 */
export type { JobShape as Job } from '#server/jobs/jobs.shapes.ts';
export type { OnlineUserShape as OnlineUser, OnlineUsersUpdate } from './presence/presence.shapes.ts';
export type { GroupShape as Group } from './groups/groups.shapes.ts';
export type { InviteShape as SquadInvite } from './invites/invites.shapes.ts';
export type {
  SquadShape as SquadSession,
  ParticipantShape as SquadParticipant,
  DoneSetShape as DoneSet,
} from './squads/squads.shapes.ts';
export type {
  MessageShape as SquadMessage,
  MessageReportShape as SquadMessageReport,
} from './chat/messages.shapes.ts';
export type { SquadWorkoutShape as SquadWorkout } from './history/history.shapes.ts';
export type { FeedItemOfGym as FeedItem } from './feed/feed.shapes.ts';

/** A reference to a user of identity. */
export interface User {
  id: string;
}

/** One version of a routine. */
export interface WorkoutRoutine {
  versionId: string;
}
