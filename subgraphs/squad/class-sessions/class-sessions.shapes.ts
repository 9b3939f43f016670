import { z } from 'zod';

/** What squad sends of a class session; the gym service has the rest. */
export const ClassSessionShape = z
  .object({
    id: z.string().meta({ description: "The session's id." }),
    classId: z.string().meta({ description: "The class's id." }),
    gymId: z.string().meta({ description: 'The gym that offers the class.' }),
    locationId: z.string().meta({ description: 'The location at which the session takes place.' }),
    title: z.string().meta({ description: 'The title of the class.' }),
    startsAt: z.iso.datetime().meta({ description: 'The start.' }),
    endsAt: z.iso.datetime().meta({ description: 'The end.' }),
    capacity: z.int().meta({ description: 'The places.' }),
    booked: z.int().meta({ description: 'How many places are taken.' }),
    waiting: z.int().meta({ description: 'How many bookings are on the waiting list.' }),
    status: z.enum(['SCHEDULED', 'CANCELLED', 'DONE']).meta({ description: 'The state of the session.' }),
  })
  .meta({ id: 'ClassSession' });
export type ClassSessionShape = z.infer<typeof ClassSessionShape>;
