import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { jobOf, type Job } from '#server/jobs/job.ts';
import type { CallsToServices } from '#server/service-calls.ts';
import { NO_ORIGIN } from '#server/unit-of-work.ts';
import { gymOf, type MembershipColumns } from './membership.ts';

const Payload = z.object({
  userId: uuid(),
  gymId: uuid(),
  service: z.enum(['gym', 'squad']),
  endedAt: z.iso.datetime(),
});

interface Needed {
  calls: CallsToServices;
}

/**
 * Notifies a service that a membership has ended, so that the service ends what the membership allowed. The job is stored in
 * the transaction that ends the membership, and repeated until the service has answered.
 */
export const reportMembershipEnd: Job<z.infer<typeof Payload>, Needed> = jobOf<Needed>()({
  name: 'report_membership_end',
  payload: Payload,
  shown: ['userId', 'gymId', 'service', 'endedAt'],
  maxAttempts: 25,
  async run({ userId, gymId, service, endedAt }, { unit, resources: { calls }, signal }) {
    const [user] = await unit.em.execute<MembershipColumns[]>(
      `select membership_gym_id as "membershipGymId", membership_status as "membershipStatus",
              membership_since as "membershipSince", membership_until as "membershipUntil"
       from user_account where id = ?`,
      [userId],
    );
    if (!user) return; // The account was deleted, so each service erases all data of the user anyway.
    // If the user has joined the gym again meanwhile, the service ends only what began before the end of this membership.
    const before = gymOf(user) === gymId ? endedAt : null;
    await calls.to(service).call({
      method: 'POST',
      path: '/memberships/ended',
      body: { userId, gymId, before },
      as: 'service',
      origin: NO_ORIGIN,
      signal,
    });
  },
});
