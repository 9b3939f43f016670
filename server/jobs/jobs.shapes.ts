import { z } from 'zod';

export const JobStatus = { PENDING: 'PENDING', RUNNING: 'RUNNING', FAILED: 'FAILED' } as const;
export type JobStatus = (typeof JobStatus)[keyof typeof JobStatus];

export const JobShape = z
  .object({
    id: z.string().max(20).meta({ description: 'Unique in its service.' }),
    name: z.string().meta({ description: 'What the job does, e.g. `mail_password_token`.' }),
    status: z.enum(JobStatus).meta({
      description:
        '`PENDING`: it waits for its time or its next attempt. `RUNNING`. `FAILED`: its last attempt failed, and it does not run again by itself.',
    }),
    attempts: z.int().meta({ description: 'The attempts so far, with the one that is running.' }),
    maxAttempts: z.int(),
    createdAt: z.iso.datetime(),
    runAt: z.iso.datetime().nullable().meta({
      description:
        'The time of the next attempt, or of the running one before it began; null after the last one.',
    }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why the last attempt failed; null if none has, or if its process was killed.' }),
    payload: z.record(z.string(), z.unknown()).meta({
      description:
        'The part of what the job was given that an operator may see. Secrets and personal data are not in it.',
    }),
  })
  .meta({ id: 'Job' });
export type JobShape = z.infer<typeof JobShape>;

/** A job's id, a bigint of PostgreSQL. */
export const JobId = z.string().regex(/^[1-9]\d{0,17}$/, 'expected the id of a job');

export const JobName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'expected the name of a job: small letters, digits and _');
