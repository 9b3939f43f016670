import type { TestAccount } from '../../support/platform.ts';
import { pause, type Stage, type Victim } from './stage.ts';

/** One request to store a set, also if its answer was lost. */
interface Try {
  readonly reps: number;
  isAcknowledged: boolean;
}

/** What the test itself knows about one participant: for the number of each set, the tries in their order. */
export type Deeds = Map<number, Try[]>;

/** What five people have done in a squad. */
export interface Played {
  readonly seed: number;
  readonly squadId: string;
  /** By user id. All of them were in the squad when it became ACTIVE. */
  readonly deeds: ReadonlyMap<string, Deeds>;
  /** Whether an answer has said that the squad has ended. */
  readonly isEndAcknowledged: boolean;
}

interface RoundOptions {
  seed: number;
  random: () => number;
  people: readonly TestAccount[];
  exerciseId: string;
  /** Killed once in the round, and started again. */
  victims: readonly Victim[];
}

/**
 * A squad of five trains and ends. The random numbers decide who does what and when, and when the victims are killed:
 * at most 100 ms after the training has begun, or at most 60 ms after the end was requested. A request whose answer
 * is lost is repeated, as a client would do.
 */
export async function playRound(
  stage: Stage,
  { seed, random, people, exerciseId, victims }: RoundOptions,
): Promise<Played> {
  const [host, ...guests] = people as [TestAccount, ...TestAccount[]];
  const squad = (by: TestAccount, method: string, path: string, body?: object) =>
    stage.insist(by, 'squad', method, path, body);
  const squadId = (await squad(host, 'POST', '/squads', {})).body.id as string;
  const enter = async (guest: TestAccount) => {
    await squad(host, 'POST', '/invites', { toUserId: guest.id, squadId });
    return squad(guest, 'POST', `/squads/${squadId}/join`);
  };
  for (const guest of guests)
    if ((await enter(guest)).status !== 200) throw new Error(`a guest of squad ${squadId} could not join`);

  const deeds = new Map<string, Deeds>(people.map(({ id }) => [id, new Map()]));
  const firstSet = Promise.withResolvers<void>();
  let sent = 0;
  /** Returns false if the person no longer takes part. */
  const doSet = async (by: TestAccount, setIndex: number): Promise<boolean> => {
    const eventId = `${setIndex} ${++sent}`;
    const one: Try = { reps: 1 + Math.floor(random() * 20), isAcknowledged: false };
    const tries = deeds.get(by.id)?.get(setIndex) ?? [];
    deeds.get(by.id)?.set(setIndex, [...tries, one]);
    const set = { reps: one.reps, weightKg: 10 };
    const { status } = await squad(by, 'POST', `/squads/${squadId}/workout`, {
      eventId,
      exerciseIndex: 0,
      setIndex,
      exerciseId,
      phase: 'REST',
      set,
    });
    one.isAcknowledged = status === 200;
    if (one.isAcknowledged) firstSet.resolve();
    return one.isAcknowledged;
  };
  const train = async (by: TestAccount): Promise<void> => {
    const count = Math.max(by === host ? 1 : 0, Math.floor(random() * 6));
    const leavesAfter = by !== host && random() < 0.4 ? Math.floor(random() * count) : -1;
    for (let setIndex = 0; setIndex < count; setIndex += 1) {
      if (!(await doSet(by, setIndex))) return;
      if (random() < 0.3 && !(await doSet(by, Math.floor(random() * (setIndex + 1))))) return;
      if (setIndex !== leavesAfter) continue;
      await squad(by, 'POST', `/squads/${squadId}/leave`);
      if (random() < 0.2) return;
      // Sometimes the training of the first stay is written before the next one begins.
      if (random() < 0.6) await pause(random() * 250);
      if ((await enter(by)).status !== 200) return;
    }
  };
  const training = Promise.all(people.map(train));

  const kill = async () => {
    await Promise.all(victims.map((name) => stage.kill(name)));
    await pause(random() * 100);
    await Promise.all(victims.map((name) => stage.start(name)));
  };
  const killsDuringTraining = random() < 0.3;
  const early = killsDuringTraining ? pause(random() * 100).then(kill) : undefined;
  // Sometimes the squad is ended while participants still train, but no squad ends without a set.
  const endsDuringTraining = random() < 0.3;
  await (endsDuringTraining ? Promise.race([firstSet.promise, training]) : training);
  const late = killsDuringTraining ? undefined : pause(random() * 60).then(kill);
  if (random() < 0.7) await squad(host, 'POST', `/squads/${squadId}/end`);
  else for (const one of [...guests, host]) await squad(one, 'POST', `/squads/${squadId}/leave`);
  await Promise.all([training, early, late]);
  // A participant who has just joined again may still be in the squad. Everybody who was there at its end reads that it has ended.
  let isEndAcknowledged = false;
  for (const one of people) {
    const { status, body } = await squad(one, 'POST', `/squads/${squadId}/leave`);
    isEndAcknowledged ||= status === 200 && body.status === 'ENDED';
  }
  return { seed, squadId, deeds, isEndAcknowledged };
}
