import type { Person } from '../support/people.ts';

export interface Answer {
  status: number;
  // oxlint-disable-next-line no-explicit-any -- bodies of any shape are recorded
  body: any;
  /** The number of requests that squad sent to identity for this answer; only for invites. */
  identityRequests?: number;
}

/** Sends one request to an instance. */
export async function request(
  url: string,
  { token }: Person,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

/** The answer; of the body of a refusal only the code, because its other fields contain the id of the request. */
export const comparable = (answer: Answer | undefined): unknown =>
  answer && answer.status >= 400 ? { ...answer, body: { code: answer.body?.code } } : answer;

/** The paths that a viewer reads by REST: their lists, and what they may see of these squads. */
export const listsWith = (squadIds: readonly string[]): readonly string[] => [
  '/online-users',
  '/groups',
  '/feed',
  '/invites',
  '/invites?box=sent',
  '/blocks',
  ...squadIds.flatMap((id) => [`/squads/${id}`, `/squads/${id}/events`, `/squads/${id}/messages`]),
];

/** The query by which a viewer reads users, clubs, the feed and these entities in the graph. */
export const LOOK = `query ($references: [_Any!]!) {
  onlineUsers { user { id } status activity since }
  groups { id name memberCount joined createdBy { id } members { id } }
  feed { complete nodes { kind at text user { id } participants { id } group { id memberCount } } }
  _entities(representations: $references) {
    ... on User { presence { online status activity since } }
    ... on SquadSession { id status revision participants { user { id } setIndex } }
    ... on Group { id memberCount members { id } }
  }
}`;
