import { setTimeout as pause } from 'node:timers/promises';
import { SquadClient } from '../../../subgraphs/squad/client/squad-client.socket.ts';
import type { Person } from '../support/people.ts';
import { ListeningDoors } from './doors.ts';
import { comparable, listsWith, LOOK, request, type Answer } from './requests.ts';
import { VIEWERS, type Action, type Name, type Presence, type Script } from './script.ts';
import { Settling } from './settling.ts';
import { Transcript } from './transcript.ts';

const NAMES: readonly Name[] = [...VIEWERS, 'dora', 'hugo'];

/** `stranger` is a user of another gym. */
type People = Record<Name | 'stranger', Person>;

export interface Stage {
  /** The instances of the squad service. */
  readonly urls: readonly string[];
  /** Creates members of a new gym. */
  newGym(count: number): Promise<Person[]>;
  /** The number of requests to identity about that user so far. */
  identityRequestsAbout(userId: string): number;
  readonly graceMillis: number;
  /** An exercise that is counted in repetitions. */
  readonly exerciseId: string;
}

/** The result of one run of a script. */
export interface Played {
  /** What each viewer received. */
  readonly transcripts: ReadonlyMap<Name, Transcript>;
  /** The statuses of the visible actions of users who may see hugo. */
  readonly outcomes: readonly string[];
}

/** One run of a script, in a gym of its own. */
export class World {
  private readonly stage: Stage;
  private readonly people: People;
  private readonly marker: Person;
  private readonly settling: Settling;
  private readonly startOfStep: number[] = [];
  readonly outcomes: string[] = [];
  /** Whether the status of the present step's action belongs to the outcomes. */
  private isOutcome = false;
  readonly transcripts = new Map<Name, Transcript>();
  private readonly doors = new Map<Name, ListeningDoors>();
  private readonly sockets = new Map<Name, SquadClient>();
  private readonly groups = new Map<number, string>();
  private readonly invites = new Map<number, { id: string; squadId: string }>();
  private step = 0;

  private constructor(stage: Stage, people: People, marker: Person, settling: Settling) {
    this.stage = stage;
    this.people = people;
    this.marker = marker;
    this.settling = settling;
    const names = new Map(NAMES.map((name) => [people[name].id, name as string]));
    names.set(marker.id, 'marker');
    for (const name of VIEWERS) this.transcripts.set(name, new Transcript(names, this.startOfStep));
  }

  static async play(stage: Stage, script: Script, withHidden: boolean): Promise<Played> {
    const members = await stage.newGym(NAMES.length + 1);
    const [stranger] = await stage.newGym(1);
    const named = NAMES.map((name, at) => [name, members[at]] as const);
    const people = Object.fromEntries([...named, ['stranger', stranger]]) as People;
    const settling = await Settling.open(stage.urls, stage.newGym);
    const world = new World(stage, people, members.at(-1) as Person, settling);
    try {
      await world.open();
      for (const { by, action, isHidden, instead } of script.steps) {
        world.beginStep();
        world.isOutcome = !isHidden && !(script.hiddenFrom as readonly Name[]).includes(by);
        if (withHidden || !isHidden) await world.act(by, action);
        else if (instead) await world.act(by, instead);
        await world.endStep();
      }
    } finally {
      await world.close();
    }
    return world;
  }

  private beginStep(): void {
    this.startOfStep.push(Date.now());
    this.step = this.startOfStep.length - 1;
  }

  private async endStep(): Promise<void> {
    await this.settling.settled();
    const activity = `marks step ${this.step}`;
    await this.call(this.marker, 'PUT', '/presence', { activity });
    await Promise.all([...this.doors.values()].map((doors) => doors.reached(this.marker.id, activity)));
    for (const [name, doors] of this.doors)
      doors.recordTo(this.transcripts.get(name) as Transcript, this.step);
  }

  private async open(): Promise<void> {
    const { urls } = this.stage;
    // A connection keeps the marker online.
    const socket = await SquadClient.connect({ url: urls[0] as string, token: this.marker.token });
    this.sockets.set('marker' as Name, socket);
    for (const name of VIEWERS) {
      this.beginStep();
      this.doors.set(name, await ListeningDoors.open(urls, this.people[name]));
      await pause(2); // so that no two viewers have the same `since`
      // Without this, either one message or two could contain the presence of this viewer and of the next one.
      await this.endStep();
    }
    for (const name of ['dora', 'hugo'] as const)
      this.sockets.set(
        name,
        await SquadClient.connect({ url: urls.at(-1) as string, token: this.people[name].token }),
      );
    this.beginStep();
    await this.endStep();
  }

  private async close(): Promise<void> {
    await Promise.all(
      [this.settling, ...this.doors.values(), ...this.sockets.values()].map((one) =>
        one.close().catch(() => undefined),
      ),
    );
  }

  private record(name: Name, door: string, what: unknown): void {
    this.transcripts.get(name)?.add(this.step, door, what);
  }

  private async act(by: Name, action: Action): Promise<void> {
    switch (action.type) {
      case 'announce':
        return this.announce(by, action.door, action.presence);
      case 'listenAgain': {
        const doors = this.doors.get(by) as ListeningDoors;
        this.record(by, 'ack', await doors.whole.send('user_online', action.presence));
        // Without this, the second ack might or might not contain the change of the first frame.
        await this.settling.settled();
        this.record(by, 'delta ack', await doors.delta.send('user_online', { delta: true }));
        return;
      }
      case 'secondTab': {
        const tab = await this.socketOf(by);
        await tab.send('user_online', action.presence);
        return tab.close();
      }
      case 'reconnect':
        await this.sockets.get(by)?.close();
        await pause(this.stage.graceMillis * 2);
        this.sockets.set(by, await this.socketOf(by));
        await this.sockets.get(by)?.send('user_online', action.presence);
        return;
      case 'leave':
        await this.sockets.get(by)?.close();
        this.sockets.delete(by);
        await pause(this.stage.graceMillis * 2);
        return;
      case 'look':
        return this.look(by);
      case 'trainTogether':
        return this.trainTogether(action.host, action.host === 'hugo' ? 'dora' : 'hugo');
      case 'openSquad': {
        const { body } = await this.ask(by, 'POST', '/squads', {});
        return void (await this.ask(by, 'POST', `/squads/${body.id}/leave`, {}));
      }
      default: {
        const answer = await this.write(by, action);
        if (this.isOutcome) this.outcomes.push(`step ${this.step}: ${answer?.status ?? 'nothing'}`);
        this.record(by, action.type, comparable(answer));
      }
    }
  }

  private async write(by: Name, action: Action): Promise<Answer | undefined> {
    switch (action.type) {
      case 'block':
      case 'unblock':
        return this.ask(
          by,
          action.type === 'block' ? 'POST' : 'DELETE',
          `/blocks/${this.people[action.other].id}`,
        );
      case 'createGroup': {
        const made = await this.ask(by, 'POST', '/groups', { name: `Group ${action.group}` });
        if (made.status === 201) this.groups.set(action.group, made.body.id);
        return made;
      }
      case 'joinGroup':
      case 'leaveGroup': {
        const group = this.groups.get(action.group);
        const verb = action.type === 'joinGroup' ? 'join' : 'leave';
        return group === undefined ? undefined : this.ask(by, 'POST', `/groups/${group}/${verb}`);
      }
      case 'invite':
        return this.invite(by, action);
      case 'answer': {
        const invite = this.invites.get(action.invite);
        if (!invite) return undefined;
        return this.ask(by, 'POST', `/invites/${invite.id}/respond`, { accept: action.accept });
      }
      case 'joinSquad':
      case 'leaveSquad':
      case 'endSquad':
      case 'workOut':
      case 'chat':
        return this.inSquad(by, action);
      default:
        throw new Error(`the action ${action.type} sends no write`);
    }
  }

  private async invite(by: Name, { other, invite }: Extract<Action, { type: 'invite' }>): Promise<Answer> {
    const toUserId = this.people[other].id;
    const before = this.stage.identityRequestsAbout(toUserId);
    const made = await this.ask(by, 'POST', '/invites', { toUserId });
    if (made.status === 201) this.invites.set(invite, made.body);
    return { ...made, identityRequests: this.stage.identityRequestsAbout(toUserId) - before };
  }

  private async inSquad(
    by: Name,
    { type, invite }: Extract<Action, { type: 'joinSquad' | 'leaveSquad' | 'endSquad' | 'workOut' | 'chat' }>,
  ): Promise<Answer | undefined> {
    const squadId = this.invites.get(invite)?.squadId;
    if (squadId === undefined) return undefined;
    const at = `/squads/${squadId}`;
    if (type === 'workOut') return this.ask(by, 'POST', `${at}/workout`, this.workout());
    if (type === 'chat') return this.ask(by, 'POST', `${at}/messages`, { text: `in step ${this.step}` });
    if (type === 'endSquad') return this.ask(by, 'POST', `${at}/end`);
    if (type === 'leaveSquad') return this.ask(by, 'POST', `${at}/leave`);
    const doors = this.doors.get(by);
    if (!doors) return this.ask(by, 'POST', `${at}/join`);
    return doors.whole.send('join_squad', { squadId }).then(
      (body) => ({ status: 200, body }),
      (error: { code: string }) => ({ status: 400, body: { code: error.code } }),
    );
  }

  private async announce(by: Name, door: 'rest' | 'graph' | 'socket', presence: Presence): Promise<void> {
    if (!this.doors.has(by) && !this.sockets.has(by)) this.sockets.set(by, await this.socketOf(by));
    if (door === 'rest')
      return this.record(by, door, comparable(await this.ask(by, 'PUT', '/presence', presence)));
    if (door === 'graph') {
      const query =
        'mutation ($input: GoOnlineInput) { goOnline(input: $input) { online status activity since } }';
      return this.record(by, door, comparable(await this.graph(by, query, { input: presence })));
    }
    const socket = this.doors.get(by)?.whole ?? this.sockets.get(by);
    this.record(by, door, await socket?.send('user_online', presence));
  }

  private async trainTogether(host: Name, guest: Name): Promise<void> {
    // A new squad, because an invite without a squad is for a LOBBY to which the host may have invited a viewer already.
    const { id: squadId } = (await this.ask(host, 'POST', '/squads', {})).body;
    await this.ask(host, 'POST', '/invites', { toUserId: this.people[guest].id, squadId });
    const at = `/squads/${squadId}`;
    await this.ask(guest, 'POST', `${at}/join`);
    await this.ask(host, 'POST', `${at}/start`);
    await this.ask(guest, 'POST', `${at}/workout`, this.workout());
    await this.ask(host, 'POST', `${at}/messages`, { text: 'unseen' });
    await this.ask(host, 'POST', `${at}/end`);
  }

  /** Reads lists, squads and entities by REST and in the graph. */
  private async look(by: Name): Promise<void> {
    const squadIds = [...this.invites.values()].map(({ squadId }) => squadId);
    for (const path of listsWith(squadIds))
      this.record(by, path.slice(0, 9), comparable(await this.ask(by, 'GET', path)));
    // Clubs with a number from 1,000 exist only in the run with the hidden steps.
    const references = [
      ...NAMES.map((name) => ({ __typename: 'User', id: this.people[name].id })),
      ...squadIds.map((id) => ({ __typename: 'SquadSession', id })),
      ...[...this.groups].flatMap(([index, id]) => (index < 1000 ? [{ __typename: 'Group', id }] : [])),
    ];
    this.record(by, 'graph', comparable(await this.graph(by, LOOK, { references })));
  }

  private workout(): object {
    return {
      eventId: `event ${this.step}`,
      exerciseId: this.stage.exerciseId,
      exerciseIndex: 0,
      setIndex: this.step,
      phase: 'WORK',
      set: { reps: 5 },
    };
  }

  private ask(by: Name, method: string, path: string, body?: object): Promise<Answer> {
    return this.call(this.people[by], method, path, body);
  }

  private graph(by: Name, query: string, variables: object): Promise<Answer> {
    return this.ask(by, 'POST', '/graphql', { query, variables });
  }

  private call(person: Person, method: string, path: string, body?: object): Promise<Answer> {
    const { urls } = this.stage;
    return request(urls[this.step % urls.length] as string, person, method, path, body);
  }

  private socketOf(name: Name): Promise<SquadClient> {
    return SquadClient.connect({ url: this.stage.urls[0] as string, token: this.people[name].token });
  }
}
