import type { Installation } from './installation.ts';
import { journalTexts } from './installation.ts';

/**
 * A user who writes one thing after the other, each at another service and only after the one before was acknowledged. So at
 * every moment the installation has the first n of these writes. A backup that copied one service later than another one
 * would have a gap.
 */
export interface Writer {
  readonly name: string;
  /** How many writes were acknowledged. */
  acknowledged: number;
  readonly failures: string[];
  /** Resolves when so many writes were acknowledged. */
  reached(count: number): Promise<void>;
  stop(): Promise<void>;
}

interface Place {
  write(
    installation: Installation,
    token: string,
    mark: string,
    squadId: string,
  ): Promise<{ status: number }>;
  /** All texts in which the marks of all writers are found. */
  read(installation: Installation, dataDir: string): Promise<string>;
}

const texts = (database: string, statement: string) => async (installation: Installation) =>
  (await installation.column(database, statement)).join('\n');

const PLACES: readonly Place[] = [
  {
    write: ({ rest }, token, mark) =>
      rest('nutrition', 'POST', '/log', {
        token,
        body: { foodName: mark, calories: 100, protein: 1, carbs: 1, fats: 1 },
      }),
    read: texts('platform_nutrition', 'select food_name from food_log'),
  },
  {
    write: ({ rest }, token, mark, squadId) =>
      rest('squad', 'POST', `/squads/${squadId}/messages`, { token, body: { text: mark } }),
    read: (_installation, dataDir) => journalTexts(dataDir),
  },
  {
    async write({ graph }, token, mark) {
      const { status, errors } = await graph(
        'gateway',
        'mutation ($text: String!) { createPost(input: { text: $text }) { id } }',
        { text: mark },
        { token },
      );
      return { status: errors ? 500 : status };
    },
    read: texts('platform_gym', 'select text from post'),
  },
  {
    write: ({ rest }, token, mark) =>
      rest('content', 'POST', '/trainings', {
        token,
        body: {
          title: mark,
          startedAt: '2026-11-20T17:00:00Z',
          endedAt: '2026-11-20T17:01:00Z',
          entries: [],
        },
      }),
    read: texts('platform_content', 'select title from training'),
  },
];

export async function startWriter(installation: Installation, email: string): Promise<Writer> {
  const token = await installation.token(email);
  const { body: routines } = await installation.rest('content', 'GET', '/workouts?limit=1', { token });
  const { body: squad } = await installation.rest('squad', 'POST', '/squads', {
    token,
    body: { routineId: routines[0].id },
  });
  let isStopped = false;
  let whenAcknowledged = () => {};
  const writer: Writer = {
    name: email.split('@')[0] ?? '',
    acknowledged: 0,
    failures: [],
    reached: (count) =>
      new Promise((resolve) => {
        whenAcknowledged = () => void (writer.acknowledged >= count && resolve());
        whenAcknowledged();
      }),
    async stop() {
      isStopped = true;
      await running;
    },
  };
  const write = async () => {
    for (let number = 1; !isStopped; number += 1) {
      const place = PLACES[number % PLACES.length];
      const answer = await place?.write(installation, token, markOf(writer, number), squad.id);
      if (answer?.status !== 201 && answer?.status !== 200)
        writer.failures.push(`${number}: ${answer?.status}`);
      writer.acknowledged = number;
      whenAcknowledged();
    }
  };
  const running = write();
  return writer;
}

/** The numbers of a writer's writes that an installation has, ascending. */
export async function writesIn(
  installation: Installation,
  dataDir: string,
  writers: readonly Writer[],
): Promise<number[][]> {
  const all = (await Promise.all(PLACES.map((place) => place.read(installation, dataDir)))).join('\n');
  return writers.map(({ name }) => {
    const found = all.matchAll(new RegExp(`${name}-write-(\\d+)\\b`, 'g'));
    return [...new Set([...found].map(([, number]) => Number(number)))].toSorted((a, b) => a - b);
  });
}

const markOf = ({ name }: Pick<Writer, 'name'>, number: number): string => `${name}-write-${number}`;
