import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom, type Random } from '../../support/graph-doubles/random.ts';
import { Gate } from './gate.ts';
import { ACTIONS } from './member-actions.ts';
import { Pair } from './pair.ts';
import { keepTokensValid, type Person, type World } from './people.ts';

/** All actors at work. */
export interface Workload {
  gate: Gate;
  pairs: readonly Pair[];
  /** Lets every actor finish its operation, and ends the run. */
  end(): Promise<void>;
}

/** @param perSecond operations a second of all actors together, about */
export function startWorkload(
  world: World,
  { seed, perSecond }: { seed: string; perSecond: number },
): Workload {
  const gate = new Gate();
  const stopRenewing = keepTokensValid(world);
  const pairs = world.pairs.map((people) => new Pair(world, people, `${world.client.url}/squad`));
  const actors = world.members.length + pairs.length;
  const pauseOf = (random: Random) => () => random.below((2_000 * actors) / perSecond);
  const member = async (person: Person): Promise<void> => {
    const random = randomFrom(`${seed} ${person.name}`);
    const pause = pauseOf(random);
    do await sleep(pause());
    while (await gate.pass(() => random.pick(ACTIONS)(world, person, random)));
  };
  const all = Promise.all([
    ...world.members.map(member),
    ...pairs.map((pair, index) => {
      const random = randomFrom(`${seed} pair ${index}`);
      return pair.train(gate, random, pauseOf(random));
    }),
  ]);
  return {
    gate,
    pairs,
    async end() {
      gate.end();
      await all;
      stopRenewing();
      await Promise.all(pairs.map((pair) => pair.close()));
    },
  };
}
