import { z } from 'zod';
import { instant, uuid } from '../shapes.ts';

/** The end of a membership, which identity reports to the services with data that needs one, such as bookings and squads. */
export const MembershipEndShape = z
  .object({
    userId: uuid().meta({ description: 'The user whose membership has ended.' }),
    gymId: uuid().meta({ description: 'The gym that the user has left.' }),
    before: instant.nullable().meta({
      description:
        'If the user has joined the gym again meanwhile, when the earlier membership ended: what began later stays. Null if they have not.',
    }),
  })
  .meta({ id: 'MembershipEnd' });
export type MembershipEndShape = z.infer<typeof MembershipEndShape>;
