import { AccountData } from '#server/accounts/account-data.ts';
import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import type { ServerSettings } from '#server/settings.ts';
import type { Quota } from '#server/http/quota.ts';
import type { IdempotencyStore } from '#server/rest/idempotency.ts';
import { Jobs } from '#server/jobs/jobs.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { squadAccountPart } from './accounts/account-part.ts';
import { Blocks } from './blocks/blocks.ts';
import { MessageReports } from './chat/message-reports.ts';
import { Messages } from './chat/messages.ts';
import { ClassSessions } from './class-sessions/class-sessions.ts';
import type { GymFeed } from './class-sessions/gym-feed.ts';
import { Feed } from './feed/feed.ts';
import { Groups } from './groups/groups.ts';
import { History } from './history/history.ts';
import type { Hub } from './hub.ts';
import { squadJobs } from './jobs.ts';
import { EndedMemberships } from './members/membership-ended.ts';
import { Invites } from './invites/invites.ts';
import type { GymBoards } from './presence/gym-boards.ts';
import { OnlineUsers } from './presence/online-users.ts';
import type { SquadSettings } from './settings.ts';
import { Squads } from './squads/squads.ts';
import { TrainedRoutines } from './squads/trained-routines.ts';
import type { TrainingDelivery } from './squads/training-delivery.ts';
import type { Upkeep } from './squads/upkeep.ts';
import type { FileJobs } from './storage/file-jobs.ts';
import { Platform } from './upstream/platform.ts';

/** Objects that exist as long as the service runs. */
export interface SquadResources {
  settings: ServerSettings & SquadSettings;
  hub: Hub;
  /** The answers to keyed requests, if they are in files. */
  keys?: IdempotencyStore | undefined;
  boards: GymBoards;
  upkeep: Upkeep;
  gymFeed: GymFeed;
  trainingDelivery: TrainingDelivery;
  /** The jobs, if the journals are in files. */
  fileJobs?: FileJobs | undefined;
  /** Counts the raw sockets of each user at this instance. */
  userSockets: Quota;
}

/** The rules of this service, made for one unit of work. */
export const squadServices = (
  unit: UnitOfWork,
  { hub, boards, upkeep, gymFeed, settings, fileJobs }: SquadResources,
) => {
  const platform = new Platform(unit, settings);
  const squads = new Squads(unit, hub, platform, upkeep);
  return {
    onlineUsers: new OnlineUsers(unit, hub, boards),
    groups: new Groups(unit, hub),
    squads,
    invites: new Invites(unit, hub, squads, platform, settings),
    messages: new Messages(unit, hub, settings),
    messageReports: new MessageReports(unit, hub),
    blocks: new Blocks(unit, hub),
    trainedRoutines: new TrainedRoutines(unit, hub, upkeep),
    history: new History(unit, hub, upkeep),
    classSessions: new ClassSessions(unit, gymFeed),
    feed: new Feed(unit, hub, platform),
    endedMemberships: new EndedMemberships(unit, hub, upkeep),
    jobs: new Jobs(unit, squadJobs, fileJobs),
    accountData: new AccountData(unit, squadAccountPart(unit, hub)),
  };
};

export type SquadServices = ReturnType<typeof squadServices>;
export type Context = GraphContext<SquadServices>;
