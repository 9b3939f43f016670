import type { z } from 'zod';
import type { UnitOfWork } from '../unit-of-work.ts';

/** How often a scheduled job runs. The minute of the hour, and the hour of the day (UTC), depend on its name. */
export type Schedule = 'minute' | 'hour' | 'day';

/** What a job gets at each attempt. */
export interface JobContext<Resources> {
  /** A unit of work of its own, without a viewer. */
  unit: UnitOfWork;
  /** A further unit of work, for a run with several transactions. */
  unitOf(): UnitOfWork;
  resources: Resources;
  /** Aborts when the service stops: a job with many steps ends after its current one. */
  signal: AbortSignal;
  /** Whether no attempt follows if this one fails. */
  isLastAttempt: boolean;
}

interface JobDeclaration<Payload extends object, Resources> {
  /**
   * Small letters, digits and `_`, e.g. `mail_password_token`. The database stores the name: jobs that were stored under an
   * old name no longer run.
   */
  readonly name: string;
  /**
   * What a run needs to know. Ids only: texts, addresses and secrets belong in the service's own tables, which the erasure of
   * an account covers. `userId` in a payload is the user whom the job is about; the job is removed with their account.
   */
  readonly payload: z.ZodType<Payload>;
  /** The fields of the payload that an operator may see. Default: none. */
  readonly shown?: readonly (keyof Payload & string)[];
  /**
   * After this number of failures, or one `JobRefused`, the job has failed for good. The pauses between attempts grow: 3 s, 7 s,
   * 20 s, 55 s, 2 min, 7 min, 18 min, 50 min, 2 h, then 6 h.
   */
  readonly maxAttempts: number;
  /** The job is also added at the start of the service and then at this interval, once for all replicas, with an empty payload. */
  readonly schedule?: Schedule;
  /**
   * Does the work. It may run again although it has done its work, if its process is killed before that is recorded; so what
   * must not happen twice needs a constraint or a state that the run checks first.
   */
  run(payload: Payload, context: JobContext<Resources>): Promise<void>;
}

/** A declared job. */
export type Job<Payload extends object = object, Resources = object> = Omit<
  JobDeclaration<Payload, Resources>,
  'run'
> & {
  // `run` is a property, because TypeScript would accept a method that needs more resources than the service has.
  readonly run: (payload: Payload, context: JobContext<Resources>) => Promise<void>;
};

/** A job with any payload, for lists. */
export type AnyJob<Resources = never> = Omit<Job<never, Resources>, 'payload' | 'shown' | 'run'> & {
  readonly payload: z.ZodType;
  readonly shown?: readonly string[];
  readonly run: (payload: never, context: JobContext<Resources>) => Promise<void>;
};

/**
 * A function that declares jobs, typed with the resources that they need:
 *
 *     const defineJob = jobOf<{ mailer: Mailer }>();
 *     export const mailPasswordToken = defineJob({ name: 'mail_password_token', ... });
 */
export function jobOf<Resources>() {
  return <Payload extends object>(
    declaration: JobDeclaration<Payload, Resources>,
  ): Job<Payload, Resources> => {
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(declaration.name))
      throw new Error(`Expected a job's name of small letters, digits and _, got "${declaration.name}".`);
    return declaration;
  };
}
