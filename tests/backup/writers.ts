import { pictures } from '../support/pictures.ts';
import type { Installation } from './installation.ts';
import type { PartName } from './moment/parts.ts';

/**
 * A user who writes one thing after the other, each at another place than the one before, and only after that was
 * acknowledged. So at every moment the installation has the first n of these writes. A backup that copied one service
 * later than another one would have a gap.
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

/** What an installation or a backup of it contains. */
export interface Stored {
  /** The values of one column, with the text of JSON as it is stored. */
  column(database: PartName, table: string, column: string): Promise<string[]>;
  /** Posts with a picture whose file exists. */
  postsWithPicture(): Promise<string[]>;
  /** All text of squad's journals. */
  journals(): Promise<string>;
}

interface Target {
  readonly installation: Installation;
  readonly token: string;
  readonly superAdmin: string;
  readonly squadId: string;
  readonly wizardId: string;
}

interface Place {
  write(target: Target, mark: string): Promise<{ status: number }>;
  /** Texts in which the marks of all writers are found. */
  read(stored: Stored): Promise<string[]>;
  /** If set, a write replaces the previous one, so that only the last one is found. */
  readonly keepsLast?: true;
}

const PLACES: readonly Place[] = [
  {
    write: ({ installation: { rest }, token }, mark) =>
      rest('nutrition', 'POST', '/log', {
        token,
        body: { foodName: mark, calories: 100, protein: 1, carbs: 1, fats: 1 },
      }),
    read: (stored) => stored.column('nutrition', 'food_log', 'food_name'),
  },
  {
    write: ({ installation: { rest }, token, squadId }, mark) =>
      rest('squad', 'POST', `/squads/${squadId}/messages`, { token, body: { text: mark } }),
    read: async (stored) => [await stored.journals()],
  },
  {
    async write({ installation: { graph }, token }, mark) {
      const { status, errors } = await graph(
        'gateway',
        'mutation ($text: String!) { createPost(input: { text: $text }) { id } }',
        { text: mark },
        { token },
      );
      const isSlow = errors?.some(({ extensions: { code } }) => code.startsWith('UPSTREAM'));
      return { status: isSlow ? 503 : errors ? 500 : status };
    },
    read: (stored) => stored.column('gym', 'post', 'text'),
  },
  {
    write: ({ installation: { rest }, token }, mark) =>
      rest('identity', 'PUT', '/profile', { token, body: { bio: mark } }),
    read: (stored) => stored.column('identity', 'user_account', 'bio'),
    keepsLast: true,
  },
  {
    async write({ installation: { rest }, token }, mark) {
      const body = new FormData();
      body.set('text', mark);
      const bytes = new Uint8Array(await pictures.normal('png'));
      body.set('image', new Blob([bytes], { type: 'image/png' }), 'a.png');
      return rest('gym', 'POST', '/posts', { token, body });
    },
    read: (stored) => stored.postsWithPicture(),
  },
  {
    write: ({ installation: { rest }, token }, mark) =>
      rest('content', 'POST', '/trainings', {
        token,
        body: {
          title: mark,
          startedAt: '2026-11-20T17:00:00Z',
          endedAt: '2026-11-20T17:01:00Z',
          entries: [],
        },
      }),
    read: (stored) => stored.column('content', 'training', 'title'),
  },
  {
    write: ({ installation: { rest }, superAdmin, wizardId }, mark) =>
      rest('wizard', 'PUT', `/${wizardId}`, {
        token: superAdmin,
        body: { step: 'basics', data: { name: mark, slug: wizardId, timezone: 'Europe/Berlin' } },
      }),
    read: (stored) => stored.column('wizard', 'wizard_session', 'data'),
    keepsLast: true,
  },
];

/** After so many writes a writer has written once at each place. */
export const ROUND = PLACES.length;

export async function startWriter(installation: Installation, email: string): Promise<Writer> {
  const target = await targetOf(installation, email);
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
      const place = PLACES[number % ROUND]!;
      let { status } = await place.write(target, markOf(writer, number));
      // On a busy machine a service may be too slow. A mark that is stored twice changes nothing.
      while (status === 503 || status === 504)
        ({ status } = await place.write(target, markOf(writer, number)));
      if (status !== 201 && status !== 200) writer.failures.push(`${number}: ${status}`);
      writer.acknowledged = number;
      whenAcknowledged();
    }
  };
  const running = write();
  return writer;
}

async function targetOf(installation: Installation, email: string): Promise<Target> {
  const { rest } = installation;
  const token = await installation.token(email);
  const superAdmin = await installation.token('super@demo.test');
  const { body: routines } = await rest('content', 'GET', '/workouts?limit=1', { token });
  const { body: squad } = await rest('squad', 'POST', '/squads', {
    token,
    body: { routineId: routines[0].id },
  });
  const { body: wizard } = await rest('wizard', 'POST', '/', {
    token: superAdmin,
    body: { kind: 'GYM_SETUP' },
  });
  return { installation, token, superAdmin, squadId: squad.id, wizardId: wizard.id };
}

/** For each writer the numbers of the writes that are stored, ascending. */
export async function writesIn(stored: Stored, writers: readonly Writer[]): Promise<number[][]> {
  const texts = await Promise.all(PLACES.map(async (place) => (await place.read(stored)).join('\n')));
  return writers.map(({ name }) => {
    const numbers = PLACES.flatMap(({ keepsLast }, at) => {
      const marks = (texts[at] ?? '').matchAll(new RegExp(`${name}-write-(\\d+)\\b`, 'g'));
      // The texts of posts contain the marks of two places.
      const found = [...marks].map(([, number]) => Number(number)).filter((number) => number % ROUND === at);
      const last = Math.max(0, ...found);
      return keepsLast
        ? Array.from({ length: Math.ceil(last / ROUND) }, (_, back) => last - back * ROUND)
        : found;
    });
    return [...new Set(numbers)].filter((number) => number > 0).toSorted((a, b) => a - b);
  });
}

/** The writers of whose writes an earlier one is missing, as texts. */
export const gapsIn = (numbers: readonly number[][]): string[] =>
  numbers.flatMap((found, writer) =>
    found.at(-1) === found.length || found.length === 0
      ? []
      : [
          `writer ${writer} lacks ${found.findIndex((number, at) => number !== at + 1) + 1} of ${found.at(-1)}`,
        ],
  );

const markOf = ({ name }: Pick<Writer, 'name'>, number: number): string => `${name}-write-${number}`;
