import { randomUUID } from 'node:crypto';
import type { UserViewer } from '#server/auth/viewer.ts';
import { PlatformError } from '#server/errors.ts';
import { createLogger } from '#server/observability/logger.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { Blocks } from '../../../subgraphs/squad/blocks/blocks.ts';
import { MessageReports } from '../../../subgraphs/squad/chat/message-reports.ts';
import { Messages } from '../../../subgraphs/squad/chat/messages.ts';
import { Groups } from '../../../subgraphs/squad/groups/groups.ts';
import { MemoryHub } from '../../../subgraphs/squad/hub.memory.ts';
import { Invites } from '../../../subgraphs/squad/invites/invites.ts';
import type { InviteShape } from '../../../subgraphs/squad/invites/invites.shapes.ts';
import { squads, type SquadState } from '../../../subgraphs/squad/squads/squad.journal.ts';
import { Squads } from '../../../subgraphs/squad/squads/squads.ts';
import { Upkeep } from '../../../subgraphs/squad/squads/upkeep.ts';
import type { Journals } from '../../../subgraphs/squad/storage/journal.ts';
import { users } from '../../../subgraphs/squad/users/user.journal.ts';
import { randomOf, Scheduler } from '../support/scheduler.ts';

export const log = createLogger('squad', 'silent');
export const gymId = randomUUID();

/** All actors share this hub, but not its journals: each actor has journals whose steps the scheduler controls. */
const sharedHub = new MemoryHub({ graceMillis: 1_000 }, undefined as unknown as Journals);

/** The rules for one request of this user of this gym. */
export function rulesOf(
  userId: string,
  journals: Journals,
  ofGym: string = gymId,
  role: UserViewer['role'] = 'MEMBER',
) {
  const viewer: UserViewer = {
    kind: 'user',
    userId,
    role,
    gymId: ofGym,
    sessionId: randomUUID(),
    expiresAt: Date.now() + 3_600_000,
  };
  const hub = Object.create(sharedHub, { journals: { value: journals } }) as MemoryHub;
  const upkeep = new Upkeep(hub, { hostAwayMillis: 120_000, lobbyLifetimeMillis: 3_600_000 });
  const unit = new UnitOfWork(undefined, viewer, log, NO_ORIGIN);
  const platform = {
    isUserOfGym: async () => true,
    routine: async () => undefined,
    exerciseModality: async () => null,
  };
  const squadRules = new Squads(unit, hub, platform, upkeep);
  const settings = { squadInviteLifetimeMillis: 600_000, rateLimits: false };
  return {
    squads: squadRules,
    invites: new Invites(unit, hub, squadRules, platform, settings),
    blocks: new Blocks(unit, hub),
    groups: new Groups(unit, hub),
    messages: new Messages(unit, hub, settings),
    messageReports: new MessageReports(unit, hub),
    dispose: () => upkeep.dispose(),
  };
}
type Rules = ReturnType<typeof rulesOf>;

/** An action of one user, possibly towards another: between which steps of the scheduler it ran, and its result. */
export interface Act {
  name: 'send' | 'accept' | 'decline' | 'revoke' | 'join' | 'leave' | 'end' | 'start' | 'kick' | 'block';
  by: string;
  to: string;
  inviteId?: string;
  from: number;
  until: number;
  /** The code with which the rules refused the action; undefined if it was done. */
  code?: string;
}

/** Three users of a gym and their simultaneous actions, determined by a seed. */
export class World {
  readonly acts: Act[] = [];
  readonly scheduler: Scheduler;
  squadId = '';
  readonly names: readonly string[] = ['anna', 'ben', 'cleo'];
  readonly ids = new Map(this.names.map((name) => [name, randomUUID()]));
  private readonly random: () => number;
  private readonly instances: readonly Journals[];

  constructor(seed: number, instances: readonly Journals[]) {
    this.random = randomOf(seed);
    this.scheduler = new Scheduler(this.random);
    this.instances = instances;
  }

  idOf(name: string): string {
    return this.ids.get(name) ?? '';
  }

  /** Anna hosts a squad that Ben has joined; Cleo may have been invited by one of them or both. */
  async open(): Promise<void> {
    const [anna, ben] = [this.rules('anna'), this.rules('ben')];
    this.squadId = (await anna.squads.create({})).id;
    await anna.invites.send({ toUserId: this.idOf('ben'), squadId: this.squadId });
    await ben.squads.join({ squadId: this.squadId });
    for (const sender of [anna, ben])
      if (this.random() < 0.6)
        await sender.invites.send({ toUserId: this.idOf('cleo'), squadId: this.squadId });
    await Promise.all([anna.dispose(), ben.dispose()]);
  }

  /** Three to five actors at once; each does one to three actions, one after the other. */
  async act(): Promise<void> {
    const actors = [
      'anna',
      'ben',
      'cleo',
      ...(this.random() < 0.7 ? ['cleo'] : []),
      ...(this.random() < 0.3 ? ['anna'] : []),
    ];
    await this.scheduler.run(
      actors.map((name, index) => {
        const plan = Array.from({ length: 1 + Math.floor(this.random() * 3) }, () => this.choose(name));
        const instance = this.instances[index % this.instances.length] as Journals;
        const rules = rulesOf(this.idOf(name), this.scheduler.journalsOf(`${name}${index}`, instance));
        return async () => {
          for (const [act, to] of plan) await this.perform(act, name, to, rules);
          await rules.dispose();
        };
      }),
    );
  }

  rules(name: string): Rules {
    return rulesOf(this.idOf(name), this.instances[0] as Journals);
  }

  async squad(): Promise<SquadState> {
    return (await (this.instances[0] as Journals).of(squads).read(this.squadId)) as SquadState;
  }

  user(name: string) {
    return (this.instances[0] as Journals).of(users).read(this.idOf(name));
  }

  private choose(name: string): [Act['name'], string] {
    const choices: [Act['name'], string][] =
      name === 'cleo'
        ? [
            ['accept', ''],
            ['accept', ''],
            ['accept', ''],
            ['join', ''],
            ['join', ''],
            ['decline', ''],
            ['leave', ''],
            ['block', 'ben'],
          ]
        : [
            ['send', 'cleo'],
            ['send', 'cleo'],
            ['revoke', 'cleo'],
            ['revoke', 'cleo'],
            ['leave', ''],
            ['block', 'cleo'],
            ...(name === 'anna'
              ? ([
                  ['kick', 'cleo'],
                  ['kick', 'ben'],
                  ['end', ''],
                  ['start', ''],
                ] as [Act['name'], string][])
              : []),
          ];
    return choices[Math.floor(this.random() * choices.length)] as [Act['name'], string];
  }

  private async perform(name: Act['name'], by: string, to: string, rules: Rules): Promise<void> {
    const act: Act = { name, by, to, from: this.scheduler.now, until: 0 };
    try {
      await this.carryOut(act, rules);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status >= 500) throw error;
      act.code = error.code;
    }
    act.until = this.scheduler.now;
    this.acts.push(act);
  }

  private async carryOut(act: Act, { invites, squads: squadRules, blocks }: Rules): Promise<void> {
    const { squadId } = this;
    const userId = this.idOf(act.to);
    switch (act.name) {
      case 'send':
        act.inviteId = (await invites.send({ toUserId: userId, squadId })).id;
        return;
      case 'accept':
      case 'decline': {
        const invite = await this.pick(invites, 'received');
        if (!invite) throw new PlatformError('NOT_FOUND', 'no invite');
        act.inviteId = invite.id;
        await invites.respond({ inviteId: invite.id, accept: act.name === 'accept' });
        return;
      }
      case 'revoke': {
        const invite = await this.pick(invites, 'sent');
        if (!invite) throw new PlatformError('NOT_FOUND', 'no invite');
        act.inviteId = invite.id;
        return invites.revoke(invite.id);
      }
      case 'join':
        await squadRules.join({ squadId });
        return;
      case 'leave':
        await squadRules.leave({ squadId });
        return;
      case 'end':
        await squadRules.end({ squadId });
        return;
      case 'start':
        await squadRules.start({ squadId });
        return;
      case 'kick':
        await squadRules.kick({ squadId, userId });
        return;
      case 'block':
        return blocks.block(userId);
    }
  }

  /** One of the two newest invites to Cleo in this box. */
  private async pick(invites: Invites, box: 'received' | 'sent'): Promise<InviteShape | undefined> {
    const { items } = await invites.list(box, {});
    const fitting = items.filter(({ toUserId }) => toUserId === this.idOf('cleo')).slice(0, 2);
    return fitting[Math.floor(this.random() * fitting.length)];
  }
}
