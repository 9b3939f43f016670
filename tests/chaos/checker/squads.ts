import type { History } from '../history.ts';
import type { Pair } from '../workload/pair.ts';
import type { ReadReplica } from './agreement.ts';
import type { Violation } from './violation.ts';
import type { Query } from './visits.ts';
import { compared, type Stored } from './writes.ts';

interface Session {
  revision: number;
  status: string;
  participants: { userId: string; setIndex: number; setsDone: number }[];
}

/** The squads of a pair: their number, their messages, their sets, and their entries in the history. */
export async function squadViolations(
  query: Query,
  read: ReadReplica,
  history: History,
  pair: Pair,
): Promise<Violation[]> {
  const violations = await doubledSquads(query, history, pair);
  for (const [index, squadId] of pair.squads.entries()) {
    const replica = index % 3;
    const session = await read<Session>(replica, `/squads/${squadId}`, pair.host.token);
    const messages = await messagesOf(read, replica, squadId, pair.host.token);
    violations.push(
      ...messageViolations(history, squadId, messages),
      ...setViolations(history, squadId, session, pair.guest.id),
    );
    const ended = history.of('end-squad').find(({ input }) => input.squadId === squadId);
    if (ended?.outcome === 'ok' && session.status !== 'ENDED')
      violations.push({
        rule: 'lost',
        what: `squad ${squadId} was ended, but is ${session.status}`,
        operations: [ended],
      });
  }
  return [...violations, ...(await historyViolations(read, history, pair))];
}

async function doubledSquads(query: Query, history: History, { host, squads }: Pair): Promise<Violation[]> {
  const stored = await query<{ id: string }>(
    'platform_squad',
    `select id from journal_record where kind = 'squads' and record::text like $1
     union select id from journal_snapshot where kind = 'squads' and records::text like $1`,
    [`%${host.id}%`],
  );
  const unknown = history
    .of('squad')
    .filter(({ input, outcome }) => input.userId === host.id && outcome === 'unknown');
  const unexplained = stored.filter(({ id }) => !squads.includes(id));
  if (unexplained.length <= unknown.length) return [];
  return [
    {
      rule: 'doubled',
      what: `${host.name} opened the squads ${unexplained.map(({ id }) => id).join()}, which were never acknowledged; ${unknown.length} requests had no answer`,
      operations: history
        .of('squad')
        .filter(({ input, attempts }) => input.userId === host.id && attempts.length > 1),
    },
  ];
}

/** All messages of a squad, the oldest first. */
async function messagesOf(
  read: ReadReplica,
  replica: number,
  squadId: string,
  token: string,
): Promise<(Stored & { id: number })[]> {
  const newestFirst = await read<{ text: string; seq: number }[]>(
    replica,
    `/squads/${squadId}/messages?limit=200`,
    token,
  );
  return newestFirst.toReversed().map(({ text, seq }) => ({ text, id: seq }));
}

function messageViolations(
  history: History,
  squadId: string,
  messages: readonly (Stored & { id: number })[],
): Violation[] {
  const sent = history.of<number>('message').filter(({ input }) => input.squadId === squadId);
  const isNumbered = messages.every(({ id }, index) => id === index + 1);
  return [
    ...compared(sent, messages),
    ...(isNumbered
      ? []
      : [
          {
            rule: 'order',
            what: `the messages of ${squadId} have the numbers ${messages.map(({ id }) => id).join()}`,
            operations: [],
          },
        ]),
  ];
}

function setViolations(history: History, squadId: string, session: Session, guestId: string): Violation[] {
  const sets = history.of<number>('set').filter(({ input }) => input.squadId === squadId);
  const acknowledged = sets.filter(({ outcome }) => outcome === 'ok');
  const unknown = sets.filter(({ outcome }) => outcome === 'unknown');
  const { setIndex = 0, setsDone = 0 } = session.participants.find(({ userId }) => userId === guestId) ?? {};
  const violations: Violation[] = [];
  const add = (rule: string, what: string) =>
    violations.push({ rule, what: `squad ${squadId} ${what}`, operations: acknowledged.slice(-3) });
  const highest = Math.max(0, ...acknowledged.map(({ input }) => Number(input.setIndex)));
  if (setIndex < highest) add('lost', `is at set ${setIndex}; set ${highest} was acknowledged`);
  if (setsDone < acknowledged.length || setsDone > acknowledged.length + unknown.length)
    add(
      setsDone < acknowledged.length ? 'lost' : 'doubled',
      `has ${setsDone} sets; ${acknowledged.length} were acknowledged, ${unknown.length} had no answer`,
    );
  const revisions = acknowledged.map(({ value }) => value);
  if (new Set(revisions).size < revisions.length)
    add('doubled', `acknowledged a revision twice: ${revisions.join()}`);
  if (session.revision < Math.max(0, ...acknowledged.map(({ value }) => value ?? 0)))
    add('lost', `has revision ${session.revision}, lower than an acknowledged one`);
  return violations;
}

/** A squad in which the guest trained, and that was ended, is in their history exactly once. */
async function historyViolations(
  read: ReadReplica,
  history: History,
  { guest, squads }: Pair,
): Promise<Violation[]> {
  const entries = await read<{ squadId: string }[]>(0, `/history/${guest.id}?limit=200`, guest.token);
  return squads.flatMap((squadId) => {
    const count = entries.filter((entry) => entry.squadId === squadId).length;
    const ended = history
      .of('end-squad')
      .filter(({ input, outcome }) => input.squadId === squadId && outcome === 'ok');
    const sets = history
      .of('set')
      .filter(({ input, outcome }) => input.squadId === squadId && outcome === 'ok');
    const isExpected = ended.length > 0 && sets.length > 0 && entries.length < 200;
    if (count <= 1 && (count === 1 || !isExpected)) return [];
    return [
      {
        rule: count === 0 ? 'lost' : 'doubled',
        what: `squad ${squadId} is ${count} times in the history of ${guest.name}`,
        operations: ended,
      },
    ];
  });
}
