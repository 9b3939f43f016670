import type { History, Operation } from '../history.ts';
import type { Violation } from './violation.ts';
import type { Query } from './visits.ts';

/** For each kind of operation that writes a text, the column with this text. */
const TEXTS: readonly { kind: string; database: string; table: string; column: string }[] = [
  { kind: 'food', database: 'platform_nutrition', table: 'food_log', column: 'food_name' },
  { kind: 'post', database: 'platform_gym', table: 'post', column: 'text' },
  { kind: 'comment', database: 'platform_gym', table: 'post_comment', column: 'text' },
  { kind: 'announcement', database: 'platform_gym', table: 'announcement', column: 'title' },
];

/** A row with a text that an operation wrote. */
export interface Stored {
  text: string;
  /** The id or number of the row, which its acknowledgement names. */
  id: string | number;
}

/** An acknowledged text is stored once, a refused one not, an unknown one at most once, and no other text is stored. */
export function compared(
  operations: readonly Operation<string | number>[],
  stored: readonly Stored[],
): Violation[] {
  const rows = Map.groupBy(stored, ({ text }) => text);
  const violations: Violation[] = [];
  for (const operation of operations) {
    const text = String(operation.input.text);
    const found = rows.get(text) ?? [];
    rows.delete(text);
    const add = (rule: string, what: string) =>
      violations.push({ rule, what: `${operation.kind} "${text}" ${what}`, operations: [operation] });
    if (found.length > 1)
      add('doubled', `is stored ${found.length} times: ${found.map(({ id }) => id).join()}`);
    else if (operation.outcome === 'ok' && found[0]?.id !== operation.value)
      add('lost', `was acknowledged as ${operation.value}; stored is ${found[0]?.id ?? 'nothing'}`);
    else if (operation.outcome === 'refused' && found.length > 0)
      add('refused', 'was refused, but is stored');
  }
  for (const [text] of rows)
    violations.push({
      rule: 'unexplained',
      what: `"${text}" is stored, but nobody wrote it`,
      operations: [],
    });
  return violations;
}

export async function textViolations(query: Query, history: History, mark: string): Promise<Violation[]> {
  const found = await Promise.all(
    TEXTS.map(async ({ kind, database, table, column }) =>
      compared(
        history.of<string>(kind),
        await query<Stored>(
          database,
          `select ${column} as text, id from ${table} where starts_with(${column}, $1)`,
          [mark],
        ),
      ),
    ),
  );
  return found.flat();
}

/** A score is the sum of all acknowledged amounts and of some of those without an answer. */
export async function progressViolations(
  query: Query,
  history: History,
  challengeId: string,
): Promise<Violation[]> {
  const rows = await query<{ userId: string; score: number }>(
    'platform_gym',
    'select user_id as "userId", score from challenge_participant where challenge_id = $1',
    [challengeId],
  );
  return rows.flatMap(({ userId, score }) => {
    const mine = history.of('progress').filter(({ input }) => input.userId === userId);
    const amounts = (outcome: string) =>
      mine.filter((operation) => operation.outcome === outcome).map(({ input }) => Number(input.amount));
    const certain = amounts('ok').reduce((sum, amount) => sum + amount, 0);
    let possible = new Set([certain]);
    for (const amount of amounts('unknown'))
      possible = new Set([...possible, ...[...possible].map((sum) => sum + amount)]);
    if (possible.has(score)) return [];
    return [
      {
        rule: score < certain ? 'lost' : 'doubled',
        what: `the score of ${userId} is ${score}; acknowledged are ${certain}, and without an answer ${amounts('unknown').join() || 'none'}`,
        operations: mine.filter(({ attempts }) => attempts.length > 1 || attempts[0]?.status !== 200),
      },
    ];
  });
}

/** How long a request may still take effect after its client has stopped waiting for it, e.g. in a process that hangs. */
const LATE_MILLIS = 60_000;

/** The counts of a post equal its rows, and a member likes a post if their last acknowledged request says so. */
export async function likeViolations(query: Query, history: History, mark: string): Promise<Violation[]> {
  const posts = await query<Record<'id' | 'likeCount' | 'likes' | 'commentCount' | 'comments', string>>(
    'platform_gym',
    `select id, like_count as "likeCount", comment_count as "commentCount",
       (select count(*)::int from post_like where post_id = post.id) as likes,
       (select count(*)::int from post_comment where post_id = post.id) as comments
     from post where starts_with(text, $1)`,
    [mark],
  );
  const violations: Violation[] = posts
    .filter(
      ({ likeCount, likes, commentCount, comments }) => likeCount !== likes || commentCount !== comments,
    )
    .map((post) => ({ rule: 'counts', what: `post ${JSON.stringify(post)}`, operations: [] }));
  const rows = await query<{ key: string }>(
    'platform_gym',
    `select post_id || ' ' || user_id as key from post_like`,
  );
  const liked = new Set(rows.map(({ key }) => key));
  const byKey = Map.groupBy(
    history.of('like').filter(({ outcome }) => outcome !== 'refused'),
    ({ input }) => `${String(input.postId)} ${String(input.userId)}`,
  );
  for (const [key, operations] of byKey) {
    const last = operations.findLast(({ outcome }) => outcome === 'ok');
    // Attempts of a repeated request, and requests without an answer, may take effect late.
    const late = operations.filter(
      ({ outcome, attempts, end = 0 }) =>
        (outcome !== 'ok' || attempts.length > 1) && (!last || end > last.start - LATE_MILLIS),
    );
    const possible = new Set([last?.input.likes ?? false, ...late.map(({ input }) => input.likes)]);
    if (!possible.has(liked.has(key)))
      violations.push({
        rule: 'lost',
        what: `the like ${key} is ${liked.has(key)}; last acknowledged is ${String(last?.input.likes)}`,
        operations: operations.slice(-4),
      });
  }
  return violations;
}

interface ProfileRow {
  id: string;
  bio: string;
  version: number;
}

/** Of the changes that start from the same version, at most one is acknowledged. The last one is stored, or a later unanswered one. */
export async function profileViolations(query: Query, history: History): Promise<Violation[]> {
  const changes = history.of<number>('profile');
  const users = [...new Set(changes.map(({ input }) => String(input.userId)))];
  const rows = await query<ProfileRow>(
    'platform_identity',
    'select id, bio, version from user_account where id = any($1)',
    [users],
  );
  const violations: Violation[] = [];
  for (const { id, bio, version } of rows) {
    const mine = changes.filter(({ input }) => input.userId === id);
    const acknowledged = mine.filter(({ outcome }) => outcome === 'ok');
    for (const [from, same] of Map.groupBy(acknowledged, ({ input }) => Number(input.from)))
      if (same.length > 1)
        violations.push({
          rule: 'lost update',
          what: `${same.length} changes of version ${from} of ${id} were acknowledged`,
          operations: same,
        });
    const last = acknowledged.toSorted((one, other) => one.value! - other.value!).at(-1);
    if (!last) continue;
    const later = mine.filter(
      ({ outcome, input }) => outcome === 'unknown' && Number(input.from) >= last.value!,
    );
    const isLast = version === last.value && bio === last.input.bio;
    const isLater = version > last.value! && later.some(({ input }) => input.bio === bio);
    if (!isLast && !isLater)
      violations.push({
        rule: 'lost',
        what: `the profile of ${id} is "${bio}", version ${version}; acknowledged last is version ${last.value}`,
        operations: [last, ...later],
      });
  }
  return violations;
}
