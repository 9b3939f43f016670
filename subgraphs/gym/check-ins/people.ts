import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import type { ServiceCalls } from '#server/service-calls.ts';
import type { Origin } from '#server/unit-of-work.ts';

/** A person in an answer of identity. */
export const PersonAnswer = z.object({
  id: uuid(),
  displayName: z.string(),
  avatar: z.string().nullable(),
});
export type Person = z.infer<typeof PersonAnswer>;

/** Names and pictures of people by their ids; those whose account is deleted are absent. @throws UPSTREAM_UNAVAILABLE */
export type FindPeople = (ids: readonly string[], origin: Origin) => Promise<ReadonlyMap<string, Person>>;

/** @param person with the path of the picture at identity's own port; the result has the path at the gateway */
export const atGateway = ({ id, displayName, avatar }: Person): Person => ({
  id,
  displayName,
  avatar: avatar?.startsWith('/') ? `/identity${avatar}` : avatar,
});

/** The most people in one request to identity. */
const MAX_PEOPLE = 1_000;

/** Asks identity with this service's own token. */
export const peopleOf =
  (identity: ServiceCalls): FindPeople =>
  async (ids, origin) => {
    const people = new Map<string, Person>();
    for (let start = 0; start < ids.length; start += MAX_PEOPLE) {
      const body = { ids: ids.slice(start, start + MAX_PEOPLE) };
      const answer = await identity.call({
        method: 'POST',
        path: '/users/lookup',
        body,
        as: 'service',
        origin,
      });
      for (const person of z.array(PersonAnswer).parse(answer)) people.set(person.id, atGateway(person));
    }
    return people;
  };
