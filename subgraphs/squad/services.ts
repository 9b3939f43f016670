import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import type { ServerSettings } from '#server/settings.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Groups } from './groups/groups.ts';
import { History } from './history/history.ts';
import type { Hub } from './hub.ts';
import type { GymBoards } from './presence/gym-boards.ts';
import { OnlineUsers } from './presence/online-users.ts';
import type { SquadSettings } from './settings.ts';

/** What lives as long as the service. */
export interface SquadResources {
  settings: ServerSettings & SquadSettings;
  hub: Hub;
  boards: GymBoards;
}

/** The rules of this service, made for one unit of work. */
export const squadServices = (unit: UnitOfWork, { hub, boards }: SquadResources) => ({
  onlineUsers: new OnlineUsers(unit, hub, boards),
  groups: new Groups(unit),
  history: new History(unit),
});

export type SquadServices = ReturnType<typeof squadServices>;
export type Context = GraphContext<SquadServices>;
