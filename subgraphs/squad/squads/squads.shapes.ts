import { z } from 'zod';
import { instant, MAX_INTEGER, uuid } from '#server/shapes.ts';

export const SquadStatus = { LOBBY: 'LOBBY', ACTIVE: 'ACTIVE', PAUSED: 'PAUSED', ENDED: 'ENDED' } as const;
export type SquadStatus = (typeof SquadStatus)[keyof typeof SquadStatus];
export const Phase = { WORK: 'WORK', REST: 'REST', DONE: 'DONE' } as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

const amount = (most: number) => z.number().min(0).max(most).nullish();

/** What was done in one set. The limits are wider than in `DoneSetInputShape`, because the previous version stored such sets. */
export const DoneSetShape = z.object({
  reps: z.int().min(0).max(10_000).nullish(),
  weightKg: amount(2_000),
  durationSeconds: amount(86_400),
  distanceMeters: amount(1_000_000),
  rpe: z.number().min(0).max(10).nullish(),
});
export type DoneSetShape = z.infer<typeof DoneSetShape>;

/** A set that a client sends, with the limits of a set in a training of the content service. */
const DoneSetInputShape = z
  .object({
    reps: z.int().min(1).max(1_000).nullish(),
    weightKg: amount(1_000),
    durationSeconds: z.number().min(1).max(86_400).nullish(),
    distanceMeters: z.number().positive().max(1_000_000).nullish(),
    rpe: z.number().min(1).max(10).nullish(),
  })
  .meta({ graphType: 'DoneSetInput' });

export const ParticipantShape = z
  .object({
    userId: z.string().meta({ description: "The participant's id." }),
    joinedAt: z.iso.datetime(),
    leftAt: z.iso.datetime().nullable(),
    exerciseIndex: z.int(),
    setIndex: z.int(),
    phase: z.enum(Phase),
    restEndsAt: z.iso.datetime().nullable(),
    lastSet: DoneSetShape.nullable(),
    setsDone: z.int(),
  })
  .meta({ id: 'SquadParticipant' });
export type ParticipantShape = z.infer<typeof ParticipantShape>;

export const SquadShape = z
  .object({
    id: uuid(),
    gymId: z.string(),
    hostId: z.string().meta({ description: 'The id of the host.' }),
    routineId: z.string().nullable(),
    routineVersion: z.int().nullable(),
    status: z.enum(SquadStatus),
    revision: z.int(),
    participants: z.array(ParticipantShape),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    pausedAt: z.iso.datetime().nullable(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'SquadSession' });
export type SquadShape = z.infer<typeof SquadShape>;

/** One change of a session, as sockets get it; `missed` contains these events, too. */
export const SquadEventShape = z
  .object({
    event: z.enum(['squad_joined', 'squad_left', 'squad_updated']).meta({
      description:
        'squad_joined: a user has joined; squad_left: a user has left or was removed; squad_updated: any other change.',
    }),
    squadId: uuid().meta({ description: "The squad's id." }),
    revision: z.int().meta({ description: 'The number of changes of the squad, including this one.' }),
    at: z.iso.datetime().meta({ description: 'The time of the change.' }),
    userId: z
      .string()
      .meta({ description: 'The user who did it; for squad_left the user who has left or was removed.' }),
    hostId: z.string().meta({ description: 'The id of the host after the change.' }),
    status: z.enum(SquadStatus).meta({ description: 'The state of the squad after the change.' }),
    participant: ParticipantShape.nullable().meta({
      description: 'The participant after the change; null if the session as a whole has changed.',
    }),
  })
  .meta({ id: 'SquadEvent' });
export type SquadEventShape = z.infer<typeof SquadEventShape>;

export const CreateSquadShape = z
  .object({
    routineId: uuid('expected the id of a workout routine').nullish(),
  })
  .meta({ graphType: 'CreateSquadInput' });
export const SquadIdShape = z
  .object({ squadId: uuid('expected the id of a squad') })
  .meta({ graphType: 'SquadInput' });
export const JoinSquadShape = SquadIdShape.extend({
  fromRevision: z
    .int('expected the number of the last revision that you have')
    .min(0)
    .max(MAX_INTEGER)
    .nullish()
    .meta({
      description: 'The last revision that the client has; absent: the answer contains no missed events.',
    }),
}).meta({ graphType: 'SquadInput' });

export const SquadMemberShape = SquadIdShape.extend({ userId: uuid('expected the id of a user') }).meta({
  graphType: 'SquadMemberInput',
});

export const UpdateWorkoutShape = SquadIdShape.extend({
  eventId: z.string().min(1, 'expected an id of your own for this event').max(100),
  exerciseIndex: z.int().min(0).max(500),
  setIndex: z.int().min(0).max(500),
  exerciseId: uuid('expected the id of an exercise').nullish(),
  phase: z.enum(Phase, 'expected WORK, REST or DONE'),
  set: DoneSetInputShape.nullish(),
  restEndsAt: instant.nullish(),
}).meta({ graphType: 'UpdateSquadWorkoutInput' });
export type UpdateWorkoutShape = z.infer<typeof UpdateWorkoutShape>;
