import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../support/graph-doubles/random.ts';
import type { Performed } from './client.ts';
import type { Gate } from './gate.ts';
import { newText } from './member-actions.ts';
import type { Person, World } from './people.ts';
import { SquadSocket } from './squad-socket.ts';

/** A host and a guest who open a squad, train, chat, end the squad, and begin again. */
export class Pair {
  readonly host: Person;
  readonly guest: Person;
  readonly sockets: readonly [SquadSocket, SquadSocket];
  /** The squad in which both people are, or the last one in which they were. */
  squadId: string | undefined;
  /** The ids of all squads that were opened. */
  readonly squads: string[] = [];
  private readonly world: World;
  private sets = 0;

  constructor(world: World, [host, guest]: readonly [Person, Person], squadUrl: string) {
    this.world = world;
    this.host = host;
    this.guest = guest;
    const socketOf = (person: Person) => new SquadSocket(person, squadUrl, world.client.history);
    this.sockets = [socketOf(host), socketOf(guest)];
  }

  /** Trains until the run is over. */
  async train(gate: Gate, random: Random, pauseMillis: () => number): Promise<void> {
    for (const socket of this.sockets) socket.open();
    while (!gate.over) {
      let isOpen = false;
      if (!(await gate.pass(async () => (isOpen = await this.begin())))) return;
      if (!isOpen) {
        await sleep(200);
        continue;
      }
      for (let step = 10 + random.below(15); step > 0; step -= 1) {
        await sleep(pauseMillis());
        if (!(await gate.pass(() => this.step(random)))) return;
      }
      await gate.pass(() => this.finish());
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.sockets.map((socket) => socket.close()));
  }

  /** Opens a squad with both people in it. Returns false if that failed; the caller then opens another squad. */
  private async begin(): Promise<boolean> {
    const created = await this.rest<string>(this.host, 'squad', '/squad/squads', {}, (id) => id);
    if (!created.value) return false;
    const squadId = created.value;
    this.squads.push(squadId);
    this.squadId = squadId;
    this.sets = 0;
    const message = newText(this.world);
    const body = { toUserId: this.guest.id, squadId, message };
    const invited = await this.rest<string>(this.host, 'invite', '/squad/invites', body, (id) => id);
    const accepted =
      invited.value &&
      (await this.rest(this.guest, 'accept', `/squad/invites/${invited.value}/respond`, { accept: true }));
    const joined =
      accepted && accepted.outcome === 'ok'
        ? await this.rest(this.guest, 'join', `/squad/squads/${squadId}/join`, {})
        : undefined;
    if (joined?.outcome !== 'ok') {
      await this.finish();
      return false;
    }
    for (const socket of this.sockets) await socket.enter(squadId);
    return true;
  }

  private async step(random: Random): Promise<void> {
    const isHost = random.chance(0.5);
    const way = random.below(5);
    if (way === 0) await this.chatByRest(isHost ? this.host : this.guest, random);
    else if (way === 1) await this.chatBySocket(isHost ? 0 : 1);
    else if (way === 2) await this.setByRest();
    else if (way === 3) await this.setByGraph();
    else await this.setBySocket();
  }

  private async chatByRest(person: Person, random: Random): Promise<void> {
    const text = newText(this.world);
    const squadId = this.squadId!;
    const isKeyed = random.chance(0.5);
    // Either the key or the clientId alone makes the repetition harmless.
    const body = isKeyed ? { text } : { text, clientId: randomUUID() };
    await this.world.client.perform<number>(person.name, {
      kind: 'message',
      input: { squadId, text },
      token: person.token,
      request: { method: 'POST', path: `/squad/squads/${squadId}/messages`, body },
      repeat: isKeyed ? 'key' : 'again',
      value: (answer) => answer.body.seq as number,
    });
  }

  private async chatBySocket(index: 0 | 1): Promise<void> {
    const text = newText(this.world);
    const squadId = this.squadId!;
    const clientId = randomUUID();
    await this.sockets[index].perform('message', { squadId, text }, async (client) => {
      const { message } = await client.send('send_squad_message', { squadId, text, clientId });
      return message.seq;
    });
  }

  /** The next set of the guest. Sets are recorded in their order, so each acknowledged one changes the state. */
  private nextSet() {
    this.sets += 1;
    return {
      eventId: randomUUID(),
      exerciseIndex: 0,
      setIndex: this.sets,
      exerciseId: this.world.exerciseId,
      phase: 'DONE' as const,
      set: { reps: 5, weightKg: 50 },
    };
  }

  private async setByRest(): Promise<void> {
    const set = this.nextSet();
    await this.world.client.perform<number>(this.guest.name, {
      kind: 'set',
      input: { squadId: this.squadId, setIndex: set.setIndex },
      token: this.guest.token,
      request: { method: 'POST', path: `/squad/squads/${this.squadId}/workout`, body: set },
      repeat: 'again',
      value: (answer) => answer.body.revision as number,
    });
  }

  private async setByGraph(): Promise<void> {
    const set = this.nextSet();
    await this.world.client.perform<number>(this.guest.name, {
      kind: 'set',
      input: { squadId: this.squadId, setIndex: set.setIndex },
      token: this.guest.token,
      request: {
        query:
          'mutation ($input: UpdateSquadWorkoutInput!) { updateSquadWorkout(input: $input) { revision } }',
        variables: { input: { ...set, squadId: this.squadId } },
      },
      repeat: 'key',
      value: (answer) => answer.body.data.updateSquadWorkout.revision as number,
    });
  }

  private async setBySocket(): Promise<void> {
    const set = this.nextSet();
    const squadId = this.squadId!;
    await this.sockets[1].perform('set', { squadId, setIndex: set.setIndex }, async (client) => {
      const { revision } = await client.send('update_workout', { ...set, squadId });
      return revision;
    });
  }

  private async finish(): Promise<void> {
    await this.rest(this.host, 'end-squad', `/squad/squads/${this.squadId}/end`, {});
  }

  private rest<Value = undefined>(
    person: Person,
    kind: string,
    path: string,
    body: object,
    value?: (id: string) => Value,
  ) {
    return this.world.client.perform<Value>(person.name, {
      kind,
      input: { userId: person.id, squadId: this.squadId, ...body },
      token: person.token,
      request: { method: 'POST', path, body },
      repeat: 'key',
      ...(value && {
        value: (answer: Parameters<NonNullable<Performed<Value>['value']>>[0]) =>
          value(answer.body.id as string),
      }),
    });
  }
}
