/** Which of our types stands behind each GraphQL type; code generation reads this file. */
export type { OnlineUserShape as OnlineUser } from './presence/presence.shapes.ts';
export type { GroupShape as Group } from './groups/groups.shapes.ts';
export type { SquadWorkoutShape as SquadWorkout } from './history/history.shapes.ts';

/** All that is known here of a user by herself. */
export interface User {
  id: string;
}
