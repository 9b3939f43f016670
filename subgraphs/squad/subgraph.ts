import path from 'node:path';
import { accountDataRest } from '#server/accounts/account-data.rest.ts';
import { defineSubgraph } from '#server/define-subgraph.ts';
import { jobsRest } from '#server/jobs/jobs.rest.ts';
import { socketsPerUser } from '#server/http/socket-limits.ts';
import { Gauge } from '#server/observability/metrics.ts';
import { readExamples } from '#server/rest/examples.ts';
import { callsToServices } from '#server/service-calls.ts';
import { blocksGraphql } from './blocks/blocks.graphql.ts';
import { blocksRest } from './blocks/blocks.rest.ts';
import { messagesGraphql } from './chat/messages.graphql.ts';
import { messagesRest } from './chat/messages.rest.ts';
import { messagesSocket } from './chat/messages.socket.ts';
import { GymFeed } from './class-sessions/gym-feed.ts';
import { database } from './database.ts';
import { squadJobs } from './jobs.ts';
import { jobsGraphql } from './jobs.graphql.ts';
import { feedGraphql } from './feed/feed.graphql.ts';
import { feedRest } from './feed/feed.rest.ts';
import { groupsGraphql } from './groups/groups.graphql.ts';
import { groupsRest } from './groups/groups.rest.ts';
import { historyGraphql } from './history/history.graphql.ts';
import { historyRest } from './history/history.rest.ts';
import { invitesGraphql } from './invites/invites.graphql.ts';
import { invitesRest } from './invites/invites.rest.ts';
import { invitesSocket } from './invites/invites.socket.ts';
import { endedMembershipsRest } from './members/memberships.rest.ts';
import { demo } from './demo.ts';
import { openHub } from './open-hub.ts';
import { asyncApiDocument } from './pages/asyncapi.ts';
import { pages } from './pages/pages.ts';
import { GymBoards } from './presence/gym-boards.ts';
import { presenceGraphql } from './presence/presence.graphql.ts';
import { presenceRest } from './presence/presence.rest.ts';
import { presenceSocket } from './presence/presence.socket.ts';
import { openJobs } from './open-jobs.ts';
import { graphqlRateLimits } from './rates.ts';
import { journalRetention } from './retention.ts';
import { squadServices, type SquadResources } from './services.ts';
import { squadSettings } from './settings.ts';
import { squadSocket } from './socket/door.socket.ts';
import { squadsGraphql } from './squads/squads.graphql.ts';
import { squadsRest } from './squads/squads.rest.ts';
import { trainedRoutinesRest } from './squads/trained-routines.rest.ts';
import { squadsSocket } from './squads/squads.socket.ts';
import { FileIdempotency } from './storage/idempotency-keys.rest.ts';
import { DatabaseJournals } from './storage/journal.database.ts';
import { Upkeep } from './squads/upkeep.ts';

export const squad = defineSubgraph({
  name: 'squad',
  title: 'Squad service',
  description: 'Who is online, and training together: clubs, invites, live squads, chat and feed.',
  settings: squadSettings,
  database,
  // With REDIS_URL there may be several instances, which must share their journals.
  withoutDatabase: ({ databaseUrl, redisUrl }) => !databaseUrl && !redisUrl,
  async resources(base): Promise<SquadResources & { dispose(): Promise<void> }> {
    const { settings, metrics, log, orm } = base;
    const hub = await openHub(base);
    // With a database the answers to keyed requests are in the database.
    const keys = orm
      ? undefined
      : await FileIdempotency.open(path.resolve(settings.dataDir, 'squad/keys'), log);
    const boards = new GymBoards(hub, settings.squadPresenceIntervalMillis);
    const upkeep = new Upkeep(hub, {
      hostAwayMillis: settings.squadHostAwayMillis,
      lobbyLifetimeMillis: settings.squadLobbyLifetimeMillis,
    });
    const calls = callsToServices({ settings, tokens: base.serviceTokens });
    const jobs = openJobs(base, hub, calls);
    const gymFeed = new GymFeed({ settings, tokens: base.serviceTokens, log });
    const gauge = (name: string, help: string, value: () => number) =>
      new Gauge({
        name,
        help,
        registers: [metrics.registry],
        collect: function collect() {
          this.set(value());
        },
      });
    gauge('squad_connections', 'Sockets and subscriptions that count for presence.', () => hub.connections);
    gauge(
      'squad_listeners',
      'Listeners of presence boards and journals.',
      () => boards.listeners + hub.journals.listeners,
    );
    return {
      settings,
      hub,
      keys,
      boards,
      upkeep,
      gymFeed,
      ...jobs,
      userSockets: socketsPerUser(settings),
      async dispose() {
        await gymFeed.dispose();
        await jobs.fileJobs?.dispose();
        await calls.close();
        boards.dispose();
        await upkeep.dispose();
        await hub.dispose();
      },
    };
  },
  services: squadServices,
  jobs: squadJobs,
  features: {
    onlineUsers: 'squad',
    groups: 'squad',
    squads: 'squad',
    invites: 'squad',
    messages: 'squad',
    messageReports: 'squad',
    history: 'squad',
    feed: 'feed',
    classSessions: 'classes',
    blocks: null,
    trainedRoutines: null,
    endedMemberships: null,
    jobs: null,
    accountData: null,
  },
  graphql: [
    presenceGraphql,
    groupsGraphql,
    invitesGraphql,
    squadsGraphql,
    messagesGraphql,
    blocksGraphql,
    historyGraphql,
    feedGraphql,
    jobsGraphql,
  ],
  graphqlRateLimits,
  examples: readExamples(new URL('examples.json', import.meta.url)),
  rest: [
    ...presenceRest,
    ...groupsRest,
    ...invitesRest,
    ...squadsRest,
    ...trainedRoutinesRest,
    ...messagesRest,
    ...blocksRest,
    ...historyRest,
    ...feedRest,
    ...accountDataRest,
    ...endedMembershipsRest,
    ...jobsRest,
  ],
  sockets: [squadSocket({ ...presenceSocket, ...invitesSocket, ...squadsSocket, ...messagesSocket })],
  documents: { '/asyncapi.json': asyncApiDocument },
  pages,
  demo: (_services, _unit, { hub }, { demoHistory }) =>
    demoHistory ? demo(hub.journals) : Promise.resolve(),
  idempotency: ({ keys }) => keys,
  retention: ({ hub }) => (hub.journals instanceof DatabaseJournals ? journalRetention : []),
  losses: ({ hub }) => hub.losses(),
});
