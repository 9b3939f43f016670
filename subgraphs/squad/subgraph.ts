import { defineSubgraph } from '#server/define-subgraph.ts';
import { groupsGraphql } from './groups/groups.graphql.ts';
import { groupsRest } from './groups/groups.rest.ts';
import { historyGraphql } from './history/history.graphql.ts';
import { historyRest } from './history/history.rest.ts';
import { MemoryHub } from './hub.memory.ts';
import { GymBoards } from './presence/gym-boards.ts';
import { presenceGraphql } from './presence/presence.graphql.ts';
import { presenceRest } from './presence/presence.rest.ts';
import { presenceSocket } from './presence/presence.socket.ts';
import { squadServices, type SquadResources } from './services.ts';
import { squadSettings } from './settings.ts';
import { squadSocket } from './socket/door.socket.ts';

export const squad = defineSubgraph({
  name: 'squad',
  title: 'Squad service',
  description: 'Who is online, and training together: clubs, invitations, live squads, chat and feed.',
  settings: squadSettings,
  async resources({ settings }): Promise<SquadResources & { dispose(): Promise<void> }> {
    const hub = new MemoryHub({ graceMillis: settings.squadPresenceGraceMillis });
    const boards = new GymBoards(hub, settings.squadPresenceIntervalMillis);
    return {
      settings,
      hub,
      boards,
      async dispose() {
        boards.dispose();
        await hub.dispose();
      },
    };
  },
  services: squadServices,
  graphql: [presenceGraphql, groupsGraphql, historyGraphql],
  rest: [...presenceRest, ...groupsRest, ...historyRest],
  sockets: [squadSocket({ ...presenceSocket })],
});
