import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { Role } from '#server/auth/viewer.ts';
import type { ServiceCalls } from '#server/service-calls.ts';
import type { Origin } from '#server/unit-of-work.ts';

export const MembershipShape = z
  .object({
    gymId: uuid().meta({ description: 'The gym of the membership.' }),
    status: z.enum(['PENDING', 'ACTIVE', 'FROZEN', 'ENDED']).meta({
      description: 'Only a member whose membership is ACTIVE may check in and book.',
    }),
    since: z.iso.datetime().meta({ description: 'When the membership got this status.' }),
    until: z.iso.datetime().nullable().meta({
      description:
        'When an ACTIVE membership ends, or a FROZEN one becomes ACTIVE again; null if that is open.',
    }),
    reason: z.string().nullable().meta({ description: 'Why staff changed the membership, in their words.' }),
  })
  .meta({ id: 'Membership' });
export type MembershipShape = z.infer<typeof MembershipShape>;

const MemberState = z.object({
  userId: uuid(),
  role: z.enum(Role),
  suspended: z.boolean(),
  membership: MembershipShape.nullable(),
});
/** The facts about a user that decide whether a gym admits them. */
export type MemberState = z.infer<typeof MemberState>;

/** Finds those of these users that exist. @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT while identity does not answer */
export type FindMemberStates = (userIds: readonly string[], origin: Origin) => Promise<MemberState[]>;

/** The most users that identity accepts in one request. */
const MAX_USERS_PER_REQUEST = 100;

/**
 * Asks identity, which stores the memberships. Nothing is cached, because a membership that has just ended must be refused.
 */
export const memberStatesOf =
  (identity: ServiceCalls): FindMemberStates =>
  async (userIds, origin) => {
    const chunks = Array.from({ length: Math.ceil(userIds.length / MAX_USERS_PER_REQUEST) }, (_, index) =>
      userIds.slice(index * MAX_USERS_PER_REQUEST, (index + 1) * MAX_USERS_PER_REQUEST),
    );
    const answers = await Promise.all(
      chunks.map(async (chunk) => {
        const path = `/memberships?userIds=${chunk.join(',')}`;
        const answer = await identity.call({ method: 'GET', path, as: 'service', origin });
        return z.array(MemberState).parse(answer);
      }),
    );
    return answers.flat();
  };
