/** Which of our types stands behind each GraphQL type; code generation reads this file. */
export type { AuthPayloadShape as AuthPayload, SessionShape as Session } from './sessions/sessions.shapes.ts';
export type { UserShape as User } from './users/users.shapes.ts';
