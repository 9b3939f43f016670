import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import { callSpan, endCall } from '#server/observability/call-span.ts';
import { errorTypeOf, outgoing } from '#server/observability/tracing.ts';
import type { ServerSettings } from '#server/settings.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Plan } from '../squads/plan.ts';

const TIMEOUT_MILLIS = 2_000; // 2 s

/** A page of another service's REST list. */
interface UpstreamPage {
  items: unknown[];
  /** Undefined on the last page. */
  nextCursor: string | undefined;
}

/** A version of a routine, as far as a squad needs it. */
interface TrainedRoutine {
  id: string;
  version: number;
  plan: Plan;
}

const RoutineAnswer = z.looseObject({
  id: z.string(),
  version: z.int(),
  exercises: z.array(
    z.looseObject({
      entries: z.array(z.looseObject({ exerciseId: z.string(), sets: z.array(z.unknown()) })),
    }),
  ),
});
const ExerciseAnswer = z.looseObject({ id: z.string(), modality: z.string().nullable() });

/** Requests to other services with the caller's token, so that the caller's rights decide there. */
export class Platform {
  private readonly unit: UnitOfWork;
  private readonly settings: ServerSettings;

  constructor(unit: UnitOfWork, settings: ServerSettings) {
    this.unit = unit;
    this.settings = settings;
  }

  /** Whether the gym has that user, as far as the caller may know. @throws UPSTREAM_UNAVAILABLE */
  async isUserOfGym(userId: string, gymId: string): Promise<boolean> {
    const user = await this.get(
      `${this.settings.identityUrl}/users/${encodeURIComponent(userId)}`,
      'identity',
    );
    if (user === undefined) return false;
    const known = z.looseObject({ gymId: z.string().nullish() }).safeParse(user.body).data?.gymId;
    // If the answer has no gymId, the user belongs to the caller's gym: identity shows no users of other gyms.
    return known === undefined || known === gymId;
  }

  /** A routine at its present version; undefined if there is none that the caller may see. @throws UPSTREAM_UNAVAILABLE */
  async routine(routineId: string): Promise<TrainedRoutine | undefined> {
    const url = `${this.settings.contentUrl}/workouts/${encodeURIComponent(routineId)}`;
    const answer = await this.get(url, 'content');
    if (!answer) return undefined;
    const routine = RoutineAnswer.safeParse(answer.body).data;
    // The routine may change between the two requests; its versions do not.
    const exercises = routine && (await this.get(`${url}/exercises?version=${routine.version}`, 'content'));
    const known = z.array(ExerciseAnswer).safeParse(exercises?.body).data;
    if (!routine || !known) throw unavailable('content');
    const modalities = new Map(known.map(({ id, modality }) => [id, modality]));
    return {
      id: routine.id,
      version: routine.version,
      plan: routine.exercises.flatMap(({ entries }, block) =>
        entries.map(({ exerciseId, sets }) => ({
          exerciseId,
          modality: modalities.get(exerciseId) ?? null,
          block,
          sets: sets.length,
        })),
      ),
    };
  }

  /**
   * The modality of an exercise; null if it has none; undefined if there is no exercise that the caller may see.
   * @throws UPSTREAM_UNAVAILABLE
   */
  async exerciseModality(exerciseId: string): Promise<string | null | undefined> {
    const answer = await this.get(
      `${this.settings.contentUrl}/exercises/${encodeURIComponent(exerciseId)}`,
      'content',
    );
    return answer && (ExerciseAnswer.safeParse(answer.body).data?.modality ?? null);
  }

  /**
   * All announcements of the gym, or a page of its posts, from the gym service.
   * @throws UPSTREAM_UNAVAILABLE
   */
  async gymList(path: '/posts' | '/announcements', gymId: string, cursor?: string): Promise<UpstreamPage> {
    const query = new URLSearchParams({
      gymId,
      ...(path === '/posts' && { limit: '50' }),
      ...(cursor !== undefined && { cursor }),
    });
    const answer = await this.get(`${this.settings.gymUrl}${path}?${query.toString()}`, 'gym');
    const items = z.array(z.unknown()).safeParse(answer?.body);
    if (!items.success) throw unavailable('gym');
    const next = /<([^>]*)>;\s*rel="next"/.exec(answer?.headers.get('link') ?? '')?.[1];
    return {
      items: items.data,
      nextCursor: next
        ? (new URL(next, this.settings.gymUrl).searchParams.get('cursor') ?? undefined)
        : undefined,
    };
  }

  /** Undefined if the service refuses the request, for example because the object does not exist. @throws UPSTREAM_UNAVAILABLE */
  private async get(url: string, service: string): Promise<{ body: unknown; headers: Headers } | undefined> {
    const { authorization, requestId, traceparent } = this.unit.origin;
    const span = callSpan('GET', service);
    let response: Response;
    try {
      response = await fetch(url, {
        headers: {
          Accept: 'application/json',
          ...(authorization && { Authorization: authorization }),
          traceparent: outgoing(span, traceparent),
          ...(requestId && { 'X-Request-Id': requestId }),
        },
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
        redirect: 'error',
      });
      endCall(span, response.status);
      if (response.ok) return { body: await response.json(), headers: response.headers };
      await response.body?.cancel();
    } catch (cause) {
      endCall(span, errorTypeOf(cause));
      throw unavailable(service, cause);
    }
    if (response.status >= 500 || response.status === 429) throw unavailable(service);
    return undefined;
  }
}

const unavailable = (service: string, cause?: unknown) =>
  new PlatformError(
    'UPSTREAM_UNAVAILABLE',
    `The ${service} service does not answer; try again in a moment.`,
    { retryAfterSeconds: 1, cause },
  );
